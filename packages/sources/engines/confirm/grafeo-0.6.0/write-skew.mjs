// Two transactions read one node each and write the node that the other has read. Exits with 1 if both commit at
// "serializable". The control: both write one node, and the second is refused.
import process from 'node:process';
import grafeo from '@grafeo-db/js';

async function both(title, keysOfFirst, keysOfSecond) {
  const database = grafeo.GrafeoDB.create();
  for (const k of [1, 2]) await database.execute('INSERT (:N {k: $k, v: 0})', { k });
  const pair = [keysOfFirst, keysOfSecond].map((keys) => [database.beginTransaction('serializable'), ...keys]);
  try {
    for (const [transaction, read] of pair)
      await transaction.execute('MATCH (n:N {k: $k}) RETURN n.v AS v', { k: read });
    for (const [transaction, , written] of pair)
      await transaction.execute('MATCH (n:N {k: $k}) SET n.v = 1', { k: written });
    for (const [transaction] of pair) transaction.commit();
    console.log(`${title}: both committed`);
    return true;
  } catch (error) {
    console.log(`${title}: refused, ${error.message}`);
    return false;
  }
}

console.log(`Grafeo ${grafeo.version()}`);
const isSkewed = await both('each writes what the other read', [1, 2], [2, 1]);
await both('both write one node, the control', [1, 2], [1, 2]);
process.exitCode = isSkewed ? 1 : 0;
