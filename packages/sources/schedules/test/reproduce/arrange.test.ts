import { CollectorError } from '@isolab/collector';
import { decide } from '@isolab/oracle';
import { NAMED_HISTORIES, arbitraryHistory, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  PLAIN,
  type Schedule,
  type Variation,
  arrange,
  dependenciesOf,
  missedWrites,
  storyOf,
  variations,
} from '../../src/index.ts';

const stepsOf = ({ steps }: Schedule): string[] => steps.map(({ name }) => name);

const drawn = (history: Parameters<typeof storyOf>[0], count: number): readonly (readonly [Variation, Schedule])[] => {
  const story = storyOf(history);
  const found: (readonly [Variation, Schedule])[] = [[PLAIN, arrange(story, PLAIN)]];
  for (const variation of variations(story, 7)) {
    if (found.length > count) break;
    found.push([variation, arrange(story, variation)]);
  }
  return found;
};

const LITTLE = { sessions: 3, transactions: 2, operations: 3, keys: 2 };

describe('a schedule', () => {
  test('a schedule has every operation once, in the order of its transaction and its client', () => {
    fc.assert(
      fc.property(arbitraryHistory(LITTLE), (history) => {
        fc.pre(history.opKind.length > 0);
        const story = storyOf(history);
        for (const [, { steps, transactions }] of drawn(history, 12)) {
          expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
          for (const [t, { operations, name, ends, terminal }] of story.transactions.entries()) {
            const own = steps.filter(({ transaction }) => transaction === t);
            expect(transactions[t]).toEqual({ name, terminal, role: 'story' });
            expect(own.map(({ does }) => does.kind).filter((kind) => kind === 'begin' || kind === ends)).toEqual([
              'begin',
              ends,
            ]);
            expect(own.at(-1)!.does.kind).toBe(ends);
            const asked = own.slice(1, -1).map(({ does }) => does.kind);
            expect(asked.slice(asked.length - operations.length)).toEqual(operations.map(({ asks }) => asks.kind));
          }
          for (const [a, first] of story.transactions.entries())
            for (const [b, second] of story.transactions.entries())
              if (a < b && first.terminal === second.terminal)
                expect(steps.findLastIndex((step) => step.transaction === a)).toBeLessThan(
                  steps.findIndex((step) => step.transaction === b),
                );
        }
      }),
      { numRuns: 30 },
    );
  });

  test('a schedule lets a read follow the commit that it saw, where the history is serializable', () => {
    fc.assert(
      fc.property(arbitraryHistory(LITTLE), (history) => {
        fc.pre(history.opKind.length > 0 && decide(history, 'serializable').satisfied);
        const story = storyOf(history);
        for (const [, { steps }] of drawn(history, 12))
          for (const { kind, from, to } of dependenciesOf(story)) {
            if (kind !== 'wr' || story.transactions[from.txn]!.ends !== 'commit') continue;
            const commit = steps.findIndex(
              ({ transaction, does }) => transaction === from.txn && does.kind === 'commit',
            );
            const own = steps.flatMap((step, i) => (step.transaction === to.txn ? [i] : []));
            const behindHead = own.length - story.transactions[to.txn]!.operations.length - 1;
            expect(commit).toBeLessThan(own[behindHead + to.op]!);
          }
      }),
      { numRuns: 30 },
    );
  });

  test.each(
    NAMED_HISTORIES.filter(({ history }) => history.opKind.length > 0).map((each) => [each.name, each] as const),
  )('a schedule is made of %s', (_, { history }) => {
    const kinds = new Set(history.opKind);
    const isMixed = kinds.has(2) || kinds.has(3) ? [0, 1, 4, 5, 6, 7].some((kind) => kinds.has(kind)) : false;
    if (isMixed) expect(() => storyOf(history)).toThrow('one kind of data');
    else for (const [, { steps }] of drawn(history, 10)) expect(steps.length).toBeGreaterThan(2);
  });
});

test('every history is made a schedule, or refused in a sentence', () => {
  const bounds = fc.record({ lists: fc.boolean(), times: fc.boolean() });
  const anything = bounds.chain((some) =>
    arbitraryHistory({ ...LITTLE, ...some, wild: true, aborted: true, unknown: true }),
  );
  fc.assert(
    fc.property(anything, (history) => {
      try {
        for (const [, { steps }] of drawn(history, 10)) expect(steps.length).toBeGreaterThan(1);
      } catch (error) {
        if (!(error instanceof CollectorError)) throw error;
      }
    }),
    { numRuns: 50 },
  );
});

describe('write skew', () => {
  const story = storyOf(parseHistory('r(x,0) w(y,1)\nr(y,0) w(x,2)'));

  test('reads on both sides before either commits', () => {
    const names = stepsOf(arrange(story, PLAIN));
    const last = Math.max(names.indexOf('T1_1'), names.indexOf('T2_1'));
    expect(last).toBeLessThan(Math.min(names.indexOf('T1_commit'), names.indexOf('T2_commit')));
  });

  test('with a late read takes the snapshot first, and has another client write in between', () => {
    const [read] = missedWrites(story).flatMap(({ from, to }, i) => (from.txn === 0 && to.txn === 1 ? [i] : []));
    const names = stepsOf(arrange(story, { ...PLAIN, late: [read!], beside: 'writes' }));
    const order = ['T1_1', 'T2_commit', 'B1_1', 'B1_commit', 'T1_2', 'T1_commit'];
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  test('a schedule on keys that hold something is shown with their values', () => {
    const { setup, steps } = arrange(story, { ...PLAIN, filled: true });
    expect(setup).toHaveLength(2);
    const told = steps.flatMap((step) => (step.told === undefined ? [] : [step.told]));
    expect(new Set(told)).toEqual(new Set(setup.map((one) => ('value' in one ? one.value : null))));
  });
});

test('a dirty read comes before the rollback of its writer', () => {
  const names = stepsOf(arrange(storyOf(parseHistory('!w(x,1)\nr(x,1)')), PLAIN));
  expect(names.indexOf('T1_1')).toBeLessThan(names.indexOf('T2_1'));
  expect(names.indexOf('T2_1')).toBeLessThan(names.indexOf('T1_rollback'));
});

test('times order events that the dependencies leave free', () => {
  const timed = (begin: bigint): object => ({ begin, end: begin + 10n });
  const story = storyOf(parseHistory('w(x,1)\nw(y,1)'));
  const transactions = story.transactions.map((one, i) => ({ ...one, ...timed(i === 0 ? 20n : 0n) }));
  const names = stepsOf(arrange({ ...story, transactions }, PLAIN));
  expect(names).toEqual(['T2_begin', 'T2_1', 'T2_commit', 'T1_begin', 'T1_1', 'T1_commit']);
});
