/** Places of the transactions of a history in a commit order that explains it. */
import type { IndexedHistory, LevelName } from '@isolab/contract';
import { type History, OpKind, Outcome, UNKNOWN_VALUE } from '@isolab/history';
import { Judge } from './judge.ts';

/** Returns the place of each transaction by a checker's certificate, or the verdict if the level is not known to hold. */
export async function commitPlaces(
  { history }: IndexedHistory,
  level: LevelName,
  ends: number,
): Promise<Int32Array | 'violated' | 'unknown'> {
  const judgement = await new Judge(level, ends).of(history);
  if (judgement.status !== 'satisfied') return judgement.status;
  const { certificate } = judgement;
  if (certificate?.kind === 'commit-order') return placesIn(history, certificate.order);
  if (certificate?.kind !== 'event-order') return Int32Array.from(history.txnStatus, (_, t) => t);
  return placesIn(
    history,
    certificate.events.filter((event) => event % 2 === 1).map((event) => event >> 1),
  );
}

export function placesIn({ txnStatus }: History, order: readonly number[]): Int32Array {
  const place = new Int32Array(txnStatus.length).fill(txnStatus.length);
  order.forEach((t, i) => (place[t] = i));
  return place;
}

/** Lists the transactions that happened as they stand in the file; null if there are several files. */
export function orderOfFile({ history, index }: IndexedHistory): readonly number[] | null {
  if (history.source.files.length > 1) return null;
  const happened = Array.from(index.outcome.keys()).filter((t) => index.outcome[t] === Outcome.Happened);
  return happened.toSorted((a, b) => history.txnPosition[a] - history.txnPosition[b]);
}

/** Returns whether the transactions of a history of reads and writes, one after the other, have the recorded results. */
export function isSerialIn({ history }: IndexedHistory, order: readonly number[]): boolean {
  const { txnStart, txnSession, opKind, opKey, opValue, keyInitial } = history;
  const current = Int32Array.from(keyInitial);
  const last = new Map<number, number>(); // by session
  return order.every((t) => {
    if ((last.get(txnSession[t]!) ?? -1) > t) return false;
    last.set(txnSession[t]!, t);
    for (let op: number = txnStart[t]!; op < txnStart[t + 1]!; op++)
      if (opKind[op] === OpKind.Write) current[opKey[op]!] = opValue[op]!;
      else if (opValue[op] !== UNKNOWN_VALUE && opValue[op] !== current[opKey[op]!]) return false;
    return true;
  });
}
