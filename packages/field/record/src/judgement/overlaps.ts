import type { Versions } from './versions.ts';

/** The evidence behind "no anomaly": transactions that never overlap cannot conflict. */
export interface Overlaps {
  readonly transactions: number;
  /** Number of pairs of transactions of different sessions that ran at the same time. */
  readonly pairs: number;
  /** Number of these pairs that touched the same row, with at least one write. */
  readonly meeting: number;
}

export function overlapsIn({ all }: Versions): Overlaps {
  const timed = all.filter(({ begin, end, level }) => level !== null && end >= begin);
  const byBegin = timed.toSorted((a, b) => a.begin - b.begin);
  const ends = timed.map(({ end }) => end).toSorted((a, b) => a - b);
  let [pairs, ended] = [0, 0];
  for (const [begun, { begin }] of byBegin.entries()) {
    while (ends[ended]! < begin) ended++;
    pairs += begun - ended;
  }
  const met = new Set<string>();
  const touched = new Map<object, { readonly at: number; readonly writes: boolean }[]>();
  for (const [at, { reads, writes }] of byBegin.entries()) {
    for (const row of new Set([...reads.map((read) => read.row), ...writes.keys()])) {
      const isWritten = writes.has(row);
      const before = (touched.get(row) ?? []).filter((other) => byBegin[other.at]!.end >= byBegin[at]!.begin);
      for (const other of before) if (isWritten || other.writes) met.add(`${other.at} ${at}`);
      touched.set(row, [...before, { at, writes: isWritten }]);
    }
  }
  return { transactions: timed.length, pairs, meeting: met.size };
}
