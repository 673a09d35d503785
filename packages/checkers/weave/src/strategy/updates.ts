import type { FoundAnomaly } from '@isolab/contract';
import {
  type History,
  NIL,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
  countKeys,
  countValues,
  transactionOf,
} from '@isolab/history';
import type { Model } from '../problem/model.ts';

/**
 * Finds values that more transactions read and overwrite than can have written them, such as a lock that was acquired
 * more often than released. Where each version is overwritten at most once, this is a violation that no search finds
 * (the pigeonhole principle).
 */
export function updatesTooMany(history: History, index: ReadFromIndex, model: Model): FoundAnomaly | null {
  if (index.ambiguousReads === 0 || (model.split && !model.exclusive)) return null;
  const { txnStart, txnStatus, opKind, opKey, opValue } = history;
  const numValues = countValues(history);
  const nameOf = (op: number): number => opKey[op] * numValues + opValue[op];
  const updates = new Map<number, number[]>(); // by key and value: reads that their transaction overwrites
  const stamp = new Int32Array(countKeys(history)).fill(-1); // by key: the first read of the current transaction
  const written = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction that writes it
  for (let t = 0; t < txnStatus.length; t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    const [start, end] = [txnStart[t], txnStart[t + 1]];
    for (let op = start; op < end; op++) if (opKind[op] === OpKind.Write) written[opKey[op]] = t;
    for (let op = start; op < end; op++) {
      const key = opKey[op];
      if (stamp[key] >= start) continue; // read or written before
      stamp[key] = op;
      const isChoice = opKind[op] === OpKind.Read && index.readFrom[op] === ReadFrom.Ambiguous;
      if (!isChoice || written[key] !== t) continue;
      const reads = updates.get(nameOf(op));
      if (reads) reads.push(op);
      else updates.set(nameOf(op), [op]);
    }
  }
  if (updates.size === 0) return null;
  const writers = countWriters(history, (op) => (updates.has(nameOf(op)) ? nameOf(op) : -1));
  for (const [name, reads] of updates) {
    const value = opValue[reads[0]];
    const isInitial = value === NIL || value === history.keyInitial[opKey[reads[0]]];
    const most = (writers.get(name) ?? 0) + (isInitial ? 1 : 0);
    if (reads.length <= most) continue;
    const shown = reads.slice(0, most + 1);
    return {
      name: 'lost-update',
      transactions: shown.map((read) => transactionOf(history, read)),
      certificate: { kind: 'updates', reads: shown },
    };
  }
  return null;
}

/** Returns, for each name other than −1, the number of possible transactions whose last write of the key has it. */
function countWriters(history: History, nameOf: (op: number) => number): Map<number, number> {
  const { txnStart, txnStatus, opKind, opKey } = history;
  const writers = new Map<number, number>();
  const latest = new Int32Array(countKeys(history)).fill(-1); // by key: the transaction that is known to write it later
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      if (opKind[op] !== OpKind.Write || latest[opKey[op]] === t) continue;
      latest[opKey[op]] = t;
      const name = nameOf(op);
      if (name >= 0) writers.set(name, (writers.get(name) ?? 0) + 1);
    }
  }
  return writers;
}
