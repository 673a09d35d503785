import { check, jsonOf, open } from 'isolab';

const result = await check(await open('history.jsonl'), { level: 'serializable' });
console.log(jsonOf(result).levels.serializable); // violated
