import { type Atom, atomOf } from '../columns/atoms.ts';
import { type History, countKeys } from '../history/history.ts';
import { OpKind } from '../columns/operation.ts';

/**
 * Returns, for each key of a lowered history, the key whose order it follows: the row for the match of a row, otherwise
 * the key itself. Writes of items come directly after the write of their row.
 */
export function keysInOrder(history: History): Int32Array {
  const { keys, opKind, opKey, txnStart } = history;
  const inOrder = new Int32Array(countKeys(history)).map((_, key) => key);
  const names = Array.from(inOrder, (key) => atomOf(keys, key));
  if (!names.some((name) => typeof name === 'string' && name.includes(' where '))) return inOrder;
  const isApart = new Uint8Array(inOrder.length);
  for (let t = 0; t + 1 < txnStart.length; t++) {
    let row = -1;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Write) row = -1;
      else if (row < 0 || !isItemOf(names[key], names[row])) isApart[(row = key)] = 1;
      else inOrder[key] = row;
    }
  }
  return inOrder.map((row, key) => (isApart[key] === 1 ? key : row));
}

const isItemOf = (name: Atom | undefined, row: Atom | undefined): boolean =>
  typeof name === 'string' && typeof row === 'string' && name.startsWith(`${row} where `);
