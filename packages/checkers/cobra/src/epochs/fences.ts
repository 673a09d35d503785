import type { IndexedHistory } from '@isolab/contract';
import { OpKind, Outcome, ReadFrom, atomOf, countKeys, transactionOf } from '@isolab/history';

/**
 * Place of every transaction relative to the fences. Fences are transactions that read and write a common key, where
 * each reads the write of the previous fence. So read-from puts all fences in one order, at positions 1, 2, …. A
 * transaction t certainly precedes u if the next fence of t's session, from t on, is not after the last fence of u's
 * session up to u.
 */
export interface Fences {
  readonly count: number;
  /** Position of the last fence of the session up to and including each transaction; 0 if there is none. */
  readonly last: Int32Array;
  /** Position of the next fence from each transaction on; NEVER if there is none. */
  readonly next: Int32Array;
}

export const NEVER = 2 ** 31 - 1;

export function keyNamed({ history }: IndexedHistory, name: string): number {
  for (let key = 0; key < countKeys(history); key++) {
    const atom = atomOf(history.keys, key);
    const text = typeof atom === 'object' && atom !== null ? atom.text : String(atom);
    if (text === name) return key;
  }
  return -1;
}

export function findFences(input: IndexedHistory, key: number): Fences {
  const { history, index } = input;
  const { sessionStart, txnSession } = history;
  const numTxns = txnSession.length;
  const position = new Int32Array(numTxns);
  const chain = longestChain(input, key);
  chain.forEach((t, i) => (position[t] = i + 1));
  const last = new Int32Array(numTxns);
  const next = new Int32Array(numTxns).fill(NEVER);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let passed = 0;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (index.outcome[t] === Outcome.Happened) passed = Math.max(passed, position[t]);
      last[t] = passed;
    }
    let coming = NEVER;
    for (let t = sessionStart[s + 1] - 1; t >= sessionStart[s]; t--) {
      if (position[t] > 0) coming = Math.min(coming, position[t]);
      next[t] = coming;
    }
  }
  return { count: chain.length, last, next };
}

/** The longest chain of transactions that write the key, where each reads the write of the one before it. */
function longestChain({ history, index }: IndexedHistory, key: number): readonly number[] {
  const { txnStart, opKind, opKey } = history;
  const after = new Map<number, number>(); // −1: the initial state
  const heads = [-1];
  for (let t = 0; t + 1 < txnStart.length; t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    let before: number | null = null;
    let writes = false;
    for (let op = txnStart[t]; op < txnStart[t + 1] && !writes; op++) {
      if (opKey[op] !== key) continue;
      if (opKind[op] === OpKind.Write) writes = true;
      else if (before === null) before = sourceOf(history, index.readFrom[op]);
    }
    if (!writes) continue;
    if (before === null || after.has(before)) heads.push(t);
    else after.set(before, t);
  }
  let longest: readonly number[] = [];
  for (const head of heads) {
    const chain = head < 0 ? [] : [head];
    const seen = new Set(chain);
    for (let t = after.get(head); t !== undefined && !seen.has(t); t = after.get(t)) {
      chain.push(t);
      seen.add(t);
    }
    if (chain.length > longest.length) longest = chain;
  }
  return longest;
}

function sourceOf(history: IndexedHistory['history'], from: number): number | null {
  if (from >= 0) return transactionOf(history, from);
  return from === ReadFrom.Initial ? -1 : null;
}
