import { check, collect, open } from 'isolab';

// The PostgreSQL that is installed with isolab; 'postgres://…', 'module:./driver.mjs' and others work alike.
const collected = await collect({
  database: 'embedded',
  path: 'collected.jsonl',
  workload: 'contention',
  isolation: 'serializable',
  sessions: 2,
  transactions: 20,
});
console.log(collected.counts.committed >= 40); // true
const { verdict } = await check(await open('collected.jsonl'), { level: 'serializable' });
console.log(verdict); // satisfied
