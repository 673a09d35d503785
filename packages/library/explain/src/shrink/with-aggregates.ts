import type { FoundAnomaly } from '@isolab/contract';
import { type History, OpKind, type RegisterHistory, countTransactions, registersOf, slice } from '@isolab/history';
import { namedTransactions } from './named.ts';
import { wholeOf } from './part.ts';
import type { ShrinkResult, Violates } from './result.ts';

/**
 * Shrinks an anomaly about aggregates. An aggregate may cover all rows in all versions, so the part keeps all possible
 * writers of a transaction's reads.
 */
export async function shrinkWithAggregates(
  history: History,
  violates: Violates,
  anomaly: FoundAnomaly,
): Promise<ShrinkResult> {
  const whole = Array.from({ length: countTransactions(history) }, (_, t) => t);
  const kept = withWriters(history, registersOf(history, anomaly), namedTransactions(history, anomaly));
  const txns = Uint8Array.from(whole, (t) => (kept.has(t) ? 1 : 0));
  const part = slice(history, { txns });
  const judgement = kept.size < whole.length ? await violates(part.history) : null;
  const [left, found] = typeof judgement === 'object' && judgement ? [part, judgement] : [wholeOf(history), anomaly];
  const { history: lowered, opOf } = registersOf(left.history, found);
  return {
    history: lowered,
    txnOf: left.txnOf,
    opOf: opOf.map((op) => left.opOf[op]),
    anomaly: found,
    checks: kept.size < whole.length ? 1 : 0,
    isMinimal: false,
    lowered: true,
    withScans: left.history,
  };
}

/** Adds all transactions that wrote a value that one of these transactions read. */
function withWriters(history: History, { history: lowered }: RegisterHistory, named: ReadonlySet<number>): Set<number> {
  const { txnStart, opKind, opKey } = lowered;
  const writers = new Map<number, Set<number>>(); // by key
  for (let t = 0; t < countTransactions(history); t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const known = writers.get(opKey[op]);
      if (known === undefined) writers.set(opKey[op], new Set([t]));
      else known.add(t);
    }
  const all = new Set(named);
  // The set grows during the loop.
  for (const t of all)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      for (const writer of opKind[op] === OpKind.Read ? (writers.get(opKey[op]) ?? []) : []) all.add(writer);
  return all;
}
