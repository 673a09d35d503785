import { type Rows, keysWritten } from '../last-writes.ts';
import { NO_READ, type World, rowOf } from './world.ts';

/** The same world with the transactions that use a key, and what they do with it. */
export function worldOfKey(world: World, key: number): World {
  const { history, happened, from, versions, txnOf } = world;
  const uses = new Uint8Array(happened.length);
  for (let op = 0; op < history.opKey.length; op++)
    if (history.opKey[op] === key) uses[txnOf[op]] = happened[txnOf[op]];
  const start = versions.start.map((_, k) => (k > key ? versions.start[key + 1] - versions.start[key] : 0));
  const ofKey: Rows = { start, item: versions.item.slice(versions.start[key], versions.start[key + 1]) };
  const all = keysWritten(history, uses);
  const item = all.item.filter((k) => k === key);
  const rows = new Int32Array(all.start.length);
  for (let t = 0; t + 1 < rows.length; t++) rows[t + 1] = rows[t] + (rowOf(all, t, key) >= 0 ? 1 : 0);
  const keys: Rows = { start: rows, item };
  const placeOfVersion = new Int32Array(item.length);
  for (let i = 0; i < ofKey.item.length; i++) placeOfVersion[rowOf(keys, ofKey.item[i], key)] = i;
  const users = (txns: Int32Array): Int32Array => txns.filter((t) => uses[t] === 1);
  return {
    ...world,
    happened: uses,
    versions: ofKey,
    keys,
    placeOfVersion,
    commits: users(world.commits),
    events: world.events.filter((event) => uses[event >> 1] === 1),
    from: from.map((writer, op) => (history.opKey[op] === key ? writer : NO_READ)),
  };
}
