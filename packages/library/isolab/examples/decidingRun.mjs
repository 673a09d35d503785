import { check, decidingRun, open } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
console.log(decidingRun(result).checker); // weave
