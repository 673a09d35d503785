import { open, reproduce } from 'isolab';

// Write skew happens at REPEATABLE READ, which is snapshot isolation in PostgreSQL.
const tried = await reproduce(await open('history.jsonl'), {
  database: 'embedded',
  isolation: 'repeatable read',
  level: 'serializable',
  trials: 5,
});
console.log(tried.tally.violated > 0); // true
