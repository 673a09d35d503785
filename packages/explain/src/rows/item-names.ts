import { type History, atomOf } from '@isolab/history';

/** What a lowered history calls an item: whether a row matches a predicate (see toRegisters). */
export interface ItemName {
  /** `doctors/1` */
  readonly row: string;
  /** The condition of the first scan that has the item, which need not be that of the scan at hand. */
  readonly where: string;
}

/** Null for a key that is no item. */
export function itemNamed({ keys, keyInitial, values }: History, key: number): ItemName | null {
  if (key < 0) return null;
  const initial = atomOf(values, keyInitial[key]!);
  if (initial === null || typeof initial !== 'object' || !TRUTHS.has(initial.text)) return null;
  const name = atomOf(keys, key);
  const matched = typeof name === 'string' ? ITEM.exec(name) : null;
  return matched && { row: matched[1]!, where: matched[2]! };
}

/** Of a lowered history a 1 for each key that is an item; null if there is none. */
export function itemKeys(history: History): Uint8Array | null {
  const isItem = Uint8Array.from(history.keyInitial, (_, key) => (itemNamed(history, key) === null ? 0 : 1));
  return isItem.includes(1) ? isItem : null;
}

const TRUTHS: ReadonlySet<string> = new Set(['true', 'false']);
const ITEM = /^([^/]+\/(?:-?\d+|"(?:[^"\\]|\\.)*")) where (.+)$/s;
