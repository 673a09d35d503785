import { INITIAL_TXN } from '@isolab/contract';
import type { OpenRead, OpenReads } from './open-reads.ts';

/**
 * Those that a read may have seen, the best guess first: the latest before the reader in the guessed order, then the ones
 * before that, then those that come later.
 */
export function* byPreference({ reader, version: { writers } }: OpenRead, { rank }: OpenReads): Generator<number> {
  const placeOf = (t: number): number => (t === INITIAL_TXN ? -1 : rank[t]);
  const place = rank[reader];
  let low = 0;
  let high = writers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(writers[middle]!) < place) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) yield writers[i]!;
  for (let i = low; i < writers.length; i++) if (writers[i] !== reader) yield writers[i]!;
}
