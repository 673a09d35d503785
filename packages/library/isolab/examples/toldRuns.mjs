import { check, open, toldRuns } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
console.log(toldRuns(result).length); // 1
