import { check, open, story } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const told = await story(history, result);
console.log(told.title); // Write skew
console.log(told.prose.length > 0); // true
