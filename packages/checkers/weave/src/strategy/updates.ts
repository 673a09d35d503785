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
import { addTo } from '@isolab/graph';
import type { Model } from '../problem/model.ts';
import { lastWriters, versionName } from '../problem/optional.ts';

/**
 * Finds values that more transactions read and overwrite than can have written them, such as a lock that was acquired
 * more often than released. Where each version is overwritten at most once, this is a violation that no search finds
 * (the pigeonhole principle).
 */
export function updatesTooMany(history: History, index: ReadFromIndex, model: Model): FoundAnomaly | null {
  if (index.ambiguousReads === 0 || (model.split && !model.exclusive)) return null;
  const { txnStart, txnStatus, opKind, opKey, opValue } = history;
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
      addTo(updates, versionName(history, op), op);
    }
  }
  if (updates.size === 0) return null;
  const possible = Array.from(txnStatus.keys()).filter((t) => txnStatus[t] !== TxnStatus.Aborted);
  const writers = lastWriters(history, possible, updates);
  for (const [name, reads] of updates) {
    const value = opValue[reads[0]];
    const isInitial = value === NIL || value === history.keyInitial[opKey[reads[0]]];
    const most = (writers.get(name)?.length ?? 0) + (isInitial ? 1 : 0);
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
