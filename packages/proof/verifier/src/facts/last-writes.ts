import { type History, countKeys } from '@isolab/history';
import { isWrite } from './versions.ts';
import type { Rows } from './sorted.ts';

/** Returns the transactions of a set that write each key, in ascending order. */
export function writersByKey(history: History, isIn: Uint8Array): Rows {
  const start = new Int32Array(countKeys(history) + 1);
  forKeysWritten(history, isIn, (_, key) => start[key + 1]++);
  for (let key = 0; key + 1 < start.length; key++) start[key + 1] += start[key];
  const cursor = start.slice();
  const item = new Int32Array(start[start.length - 1]);
  forKeysWritten(history, isIn, (t, key) => (item[cursor[key]++] = t));
  return { start, item };
}

/** Returns the writers of each key, sorted by position. */
export function writersInOrder(history: History, isIn: Uint8Array, position: Int32Array): Rows {
  const { start, item } = writersByKey(history, isIn);
  for (let key = 0; key + 1 < start.length; key++)
    item.subarray(start[key], start[key + 1]).sort((a, b) => position[a] - position[b]);
  return { start, item };
}

/** Returns the keys that each transaction of a set writes, in ascending order. */
export function keysWritten(history: History, isIn: Uint8Array): Rows {
  const start = new Int32Array(isIn.length + 1);
  const item = new Int32Array(history.opKind.length);
  let count = 0;
  let last = 0;
  const finish = (t: number): void => {
    for (; last < t; last++) {
      if (count - start[last] > 1) item.subarray(start[last], count).sort();
      start[last + 1] = count;
    }
  };
  forKeysWritten(history, isIn, (t, key) => {
    if (t > last) finish(t);
    item[count++] = key;
  });
  finish(isIn.length);
  return { start, item: item.subarray(0, count) };
}

function forKeysWritten(history: History, isIn: Uint8Array, visit: (t: number, key: number) => void): void {
  const { txnStart, opKind, opKey } = history;
  const writer = new Int32Array(countKeys(history)).fill(-1);
  for (let t = 0; t < isIn.length; t++) {
    if (isIn[t] === 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (!isWrite(opKind[op]) || writer[opKey[op]] === t) continue;
      writer[opKey[op]] = t;
      visit(t, opKey[op]);
    }
  }
}
