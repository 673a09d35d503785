import { type Atom, atomOf } from '../atoms.ts';
import { type History, countKeys } from '../history.ts';
import { OpKind } from '../operation.ts';

/**
 * For each key of a lowered history the one whose versions are in the order of its own: of whether a row matches, that of
 * the row; else itself. Right behind every write of a row stand the writes of its items.
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

/** For each key of a lowered history the row that it says something of; else itself. */
export function rowsOfItems(history: History): Int32Array {
  const rows = new Int32Array(countKeys(history)).map((_, key) => key);
  if (!mentionsWhere(history.keys.text)) return rows; // before all names are made
  const names = Array.from(rows, (key) => atomOf(history.keys, key));
  const items = names.flatMap((name, key) => (typeof name === 'string' && name.includes(' where ') ? key : []));
  if (items.length === 0) return rows;
  const keyOf = new Map(names.map((name, key) => [name, key]));
  for (const item of items) {
    const name = names[item] as string;
    for (let end = name.indexOf(' where '); end >= 0; end = name.indexOf(' where ', end + 1)) {
      const row = keyOf.get(name.slice(0, end));
      if (row !== undefined) rows[item] = row;
    }
  }
  return rows;
}

function mentionsWhere(text: Uint8Array): boolean {
  const [w, h] = [0x77, 0x68];
  for (let at = text.indexOf(w); at >= 0; at = text.indexOf(w, at + 1)) if (text[at + 1] === h) return true;
  return false;
}

const isItemOf = (name: Atom | undefined, row: Atom | undefined): boolean =>
  typeof name === 'string' && typeof row === 'string' && name.startsWith(`${row} where `);
