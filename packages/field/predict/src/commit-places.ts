/** Places of the transactions of a history in a commit order that explains it, from a checker's certificate. */
import type { IndexedHistory, LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { Judge } from './judge.ts';

/** Returns the place of each transaction, or the verdict if the history is not known to satisfy the level. */
export async function commitPlaces(
  { history }: IndexedHistory,
  level: LevelName,
  ends: number,
): Promise<Int32Array | 'violated' | 'unknown'> {
  const judgement = await new Judge(level, ends).of(history);
  if (judgement.status !== 'satisfied') return judgement.status;
  const { certificate } = judgement;
  const count = history.txnStatus.length;
  const place = new Int32Array(count).fill(count);
  if (certificate?.kind === 'commit-order') certificate.order.forEach((t, i) => (place[t] = i));
  else if (certificate?.kind === 'event-order') {
    let i = 0;
    for (const event of certificate.events) if (event % 2 === 1) place[event >> 1] = i++;
  } else return inOrderOfFile(history);
  return place;
}

const inOrderOfFile = ({ txnStatus }: History): Int32Array => Int32Array.from(txnStatus, (_, t) => t);
