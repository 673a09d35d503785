import { open, replay, reproduce } from 'isolab';

const options = { database: 'embedded', isolation: 'repeatable read', level: 'serializable', trials: 2 };
const { data } = await reproduce(await open('history.jsonl'), options);
const again = await replay(JSON.stringify(data), options);
console.log(again.tally.violated > 0); // true
