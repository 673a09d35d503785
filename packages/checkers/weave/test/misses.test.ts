import { type History, fromPlain } from '@isolab/history';
import { randomNumbers, randomRows } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { IndexedStore } from '../src/hints/one-by-one/indexed-store.ts';
import type { Store } from '../src/hints/one-by-one/stores.ts';

const HISTORIES = 300;

/** Number of further misses of each other transaction because of a commit; null where it must be asked again. */
function missesMore(store: Store, t: number, replaced: readonly number[]): number | null {
  let sum = 0;
  for (let i = 0; i < replaced.length; i += 3) {
    const more = store.missesMore(t, replaced[i]!, replaced[i + 1]!, replaced[i + 2]!);
    if (more === null) return null;
    sum += more;
  }
  return sum;
}

/** Changes of each transaction's misses by each commit of a history, in its order. */
function* changes(history: History): Generator<{ told: number | null; asked: number }> {
  const store: Store = new IndexedStore(history);
  const all = [...history.txnStatus.keys()];
  for (const t of all) {
    const before = all.map((other) => store.misses(other));
    const replaced: number[] = [];
    store.commit(t, replaced);
    for (const other of all)
      yield { told: missesMore(store, other, replaced), asked: store.misses(other) - before[other]! };
    store.takeBack(replaced);
    expect(all.map((other) => store.misses(other))).toEqual(before);
    store.commit(t, []);
  }
}

test.each([{}, { repeated: true }, { aggregates: true }, { aggregates: true, repeated: true }])(
  'a commit changes the misses of others by the stated number: %o',
  (kind) => {
    let changed = 0;
    for (let seed = 0; seed < HISTORIES; seed++) {
      for (const { told, asked } of changes(fromPlain(randomRows(randomNumbers(seed), kind)))) {
        if (told === null) continue;
        expect(told).toBe(asked);
        if (asked !== 0) changed++;
      }
    }
    expect(changed).toBeGreaterThan(HISTORIES);
  },
);
