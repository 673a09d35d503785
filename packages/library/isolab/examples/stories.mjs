import { check, open, stories } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const { stories: told } = await stories(history, result);
console.log(told[0].title); // Write skew
