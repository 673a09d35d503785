import { askedLevels, check, open } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
console.log(askedLevels(result).join()); // serializable
