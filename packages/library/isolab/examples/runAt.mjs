import { check, open, runAt } from 'isolab';

const result = await check(await open('history.jsonl'), { level: 'all' });
console.log(runAt(result, 'serializable').verdict.status); // violated
