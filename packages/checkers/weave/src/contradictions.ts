import { OpKind, countKeys } from '@isolab/history';
import type { EmitEdge } from './edges.ts';
import { type Facts, NO_SOURCE } from './facts.ts';
import type { Visibility } from './visibility.ts';

/**
 * The edges that the level's axiom asks for and that an order of the transactions contradicts: t₃ reads x from t₁, and a
 * transaction that the order has between them writes x and is visible to t₃. If there are none, the order satisfies the
 * level. Most reads see the latest version so far, and then there is nothing between.
 *
 * Returns false when it gave up, because reads are so stale that too many writers lie between.
 */
export function contradictions(
  facts: Facts,
  order: Int32Array,
  visibility: Visibility,
  tick: (steps: number) => void,
  emit: EmitEdge,
): boolean {
  const { history, source } = facts;
  const { txnStart, opKey } = history;
  const { start, writer } = writersInOrder(facts, order);
  const numKeys = countKeys(history);
  const latest = start.slice(0, numKeys); // behind the writers of each key that the order has placed so far
  let patience = PATIENCE * history.opKind.length + PATIENCE;

  for (let i = 0; i < order.length; i++) {
    const t3 = order[i];
    const first = txnStart[t3];
    const end = txnStart[t3 + 1];
    visibility.enter(t3);
    for (let read = first; read < end; read++) {
      const t1 = source[read];
      if (t1 === NO_SOURCE) continue;
      const key = opKey[read];
      const begin = start[key];
      for (let at = latest[key] - 1; at >= begin; at--) {
        const t2 = writer[at];
        if (t2 === t1) break;
        patience--;
        if (visibility.isVisible(t2, read)) emit(t2, t1, read);
      }
    }
    if (patience < 0) return false;
    for (let op = first; op < end; op++) {
      const key = opKey[op];
      if (key >= 0 && latest[key] < start[key + 1] && writer[latest[key]] === t3) latest[key]++;
    }
    tick(end - first);
  }
  return true;
}

/** The writers of each key in the given order. */
function writersInOrder({ history, writerStart }: Facts, order: Int32Array): { start: Int32Array; writer: Int32Array } {
  const { txnStart, opKind, opKey } = history;
  const cursor = writerStart.slice(0, countKeys(history));
  const writer = new Int32Array(writerStart[writerStart.length - 1]);
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const key = opKey[op];
      if (cursor[key] > writerStart[key] && writer[cursor[key] - 1] === t) continue;
      writer[cursor[key]++] = t;
    }
  }
  return { start: writerStart, writer };
}

/** Writers looked at for each operation before giving up. */
const PATIENCE = 64;
