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
  transactionOf,
} from '@isolab/history';
import type { Model } from '../model.ts';

/**
 * Values that more transactions read and overwrite than may have left them, such as a lock that was taken more often than
 * it was given back. At the levels at which a version is overwritten at most once by one that read it, that is a violation
 * which no search finds: it would try every way to tell the many versions apart (the pigeonhole principle).
 */
export function updatesTooMany(history: History, index: ReadFromIndex, model: Model): FoundAnomaly | null {
  if (index.ambiguousReads === 0 || (model.split && !model.exclusive)) return null;
  const updates = new Map<string, number[]>();
  const writers = new Map<string, number>();
  const { txnStart, txnStatus, opKind, opKey, opValue } = history;
  const nameOf = (op: number): string => `${opKey[op]} ${opValue[op]}`;
  const stamp = new Int32Array(countKeys(history)).fill(-1); // by key: the first read of the transaction at hand
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    const [start, end] = [txnStart[t], txnStart[t + 1]];
    const written = new Set<number>();
    for (let op = end - 1; op >= start; op--) {
      if (opKind[op] !== OpKind.Write || written.has(opKey[op])) continue;
      written.add(opKey[op]);
      writers.set(nameOf(op), (writers.get(nameOf(op)) ?? 0) + 1);
    }
    if (index.outcome[t] !== Outcome.Happened) continue;
    for (let op = start; op < end; op++) {
      const key = opKey[op];
      if (stamp[key] >= start) continue; // read or written before
      stamp[key] = op;
      const isChoice = opKind[op] === OpKind.Read && index.readFrom[op] === ReadFrom.Ambiguous;
      if (!isChoice || !written.has(key)) continue;
      const reads = updates.get(nameOf(op));
      if (reads) reads.push(op);
      else updates.set(nameOf(op), [op]);
    }
  }
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
