import type { History, PlainOperation, PlainTransaction } from '@isolab/history';
import { historyOf } from './build.ts';

export interface RandomBounds {
  readonly transactions: number;
  readonly sessions: number;
  readonly operations: number;
  readonly keys: number;
}

/**
 * Generates a small history of transactions with random times, some of which are aborted or of unknown outcome. Keys
 * are registers or, in every third history, lists. Reads return a value that some transaction wrote, or the initial
 * state.
 */
export function randomHistory(random: () => number, bounds: RandomBounds): History {
  const below = (count: number): number => Math.floor(random() * count);
  const isList = below(3) === 0;
  const isTimed = below(2) === 0;
  const count = 2 + below(bounds.transactions - 1);
  const written = new Map<string, bigint[]>();
  let value = 0n;
  const drafts = Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(bounds.operations) }, () => {
      const key = 'xyzuvw'[below(bounds.keys)]!;
      if (below(2) === 0) return { key, wrote: null };
      value++;
      written.set(key, [...(written.get(key) ?? []), value]);
      return { key, wrote: value };
    }),
  );
  // Order of the values of each key, which most reads of a list respect.
  for (const values of written.values()) values.sort(() => random() - 0.5);
  const operations = (draft: (typeof drafts)[number]): PlainOperation[] =>
    draft.map(({ key, wrote }) => {
      if (wrote !== null) return { kind: isList ? 'append' : 'write', key, value: wrote };
      const values = written.get(key) ?? [];
      if (isList) return { kind: 'list-read', key, elements: values.slice(0, below(values.length + 1)) };
      return { kind: 'read', key, value: [0n, ...values][below(values.length + 1)]! };
    });
  const sessions = new Map<number, PlainTransaction[]>();
  let clock = 0n;
  for (const draft of drafts) {
    const session = below(bounds.sessions);
    const earlier = sessions.get(session) ?? [];
    const begin = max((earlier.at(-1)?.end ?? -1n) + 1n, clock);
    const end = begin + BigInt(1 + below(6));
    clock += BigInt(below(4));
    const status = below(12) === 0 ? 'unknown' : below(12) === 0 ? 'aborted' : 'committed';
    const isBounded = isTimed && below(2) === 0;
    const begun = begin + BigInt(below(1 + Number(end - begin)));
    const committing = end - BigInt(below(1 + Number(end - begin)));
    const times = { ...(isTimed && { begin, end }), ...(isBounded && { begun, committing }) };
    sessions.set(session, [...earlier, { status, operations: operations(draft), ...times }]);
  }
  return historyOf([...sessions.values()]);
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Returns a generator of reproducible numbers from 0 to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
