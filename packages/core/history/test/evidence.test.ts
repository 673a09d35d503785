import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HistoryEvidence, type History, NO_TIME, buildReadFrom, weighEvidence } from '../src/index.ts';
import { type PlainHistory, type PlainOperation, type PlainTransaction, fromPlain } from '../src/history/plain.ts';
import { h } from './support/notation.ts';

const weigh = (history: History): HistoryEvidence => weighEvidence(history, buildReadFrom(history));

describe('the evidence of a history', () => {
  test('the evidence of an empty history is empty', () => {
    const nothing = { reads: 0, ambiguousReads: 0, repeatedReads: 0, meetings: 0, overlappingSessions: null };
    expect(weigh(h``)).toMatchObject({ transactions: 0, sessions: 0, ...nothing });
    expect(weigh(h`!w(x,1) r(x,1)`)).toMatchObject({ transactions: 0, sessions: 0, ...nothing });
    expect(weigh(h`?w(x,1) r(x,1)`)).toMatchObject({ transactions: 0, sessions: 0, ...nothing });
  });

  test.each([
    [
      'of another transaction',
      h`w(x,1)
      r(x,1)`,
      1,
    ],
    [
      'of the initial state of a key that is written',
      h`w(x,1)
      r(x,0)`,
      1,
    ],
    [
      'of the initial state of a key that only an aborted transaction writes',
      h`!w(x,1)
      r(x,0)`,
      1,
    ],
    [
      'of a key that nothing writes',
      h`w(x,1)
      r(y,0)`,
      0,
    ],
    ['of its own write', h`w(x,1) r(x,1)`, 1],
    [
      'without a result',
      h`w(x,1)
      r(x,?)`,
      0,
    ],
    [
      'out of thin air',
      h`w(x,1)
      r(x,7)`,
      0,
    ],
    [
      'of lists',
      h`a(x,1)
      r(x,[1]) | r(x,[])`,
      2,
    ],
    [
      'of a list that nobody learned',
      h`a(x,1)
      r(x,[?])`,
      0,
    ],
  ])('the evidence counts reads %s', (_, history, reads) => {
    expect(weigh(history)).toMatchObject({ reads, ambiguousReads: 0 });
  });

  test('the evidence counts reads with several possible writers separately', () => {
    expect(
      weigh(h`w(x,1)
      w(x,1)
      r(x,1) r(x,0)`),
    ).toMatchObject({ reads: 1, ambiguousReads: 1, repeatedReads: 1 });
  });

  test('a read is repeated until the transaction writes the key', () => {
    expect(weigh(h`r(x,0) r(y,0) r(x,0) w(x,1) r(x,1) r(x,1) | r(x,1)`).repeatedReads).toBe(1);
  });

  test('without times, transactions of different sessions meet', () => {
    expect(
      weigh(h`w(x,1) w(y,1) | r(x,1)
      r(x,1) r(y,1) | r(z,0)
      r(x,1)`),
    ).toMatchObject({
      sessions: 3,
      meetings: 3, // the first transaction of the first session, with two of others, with one of them at two keys
      overlappingSessions: null,
      timed: 0,
    });
  });

  test('with times, transactions that overlap or touch meet', () => {
    const evidence = weigh(
      timed([
        [
          [write('x', 1), 0n, 5n],
          [read('x', 1), 7n, 8n],
        ],
        [[read('x', 1), 5n, 6n]],
        [[read('x', 1), 6n, 9n]],
        [[read('x', 1), 20n, 21n]],
      ]),
    );
    expect(evidence).toMatchObject({
      meetings: 1,
      overlappingSessions: 3,
      timed: 5,
      begun: 5,
      ended: 5,
      begunOrEnded: 5,
    });
  });

  test('the evidence agrees with the definitions', () => {
    fc.assert(
      fc.property(histories, (plain) => {
        const history = fromPlain(plain);
        expect(weigh(history)).toMatchObject(byDefinition(plain));
      }),
      { numRuns: 2000 },
    );
  });

  test('a history with additional transactions has no less evidence', () => {
    // More writers may make it doubtful whether a transaction of unknown outcome happened.
    const certain = histories.map((plain) => ({
      ...plain,
      sessions: plain.sessions.map((session) => ({
        ...session,
        transactions: session.transactions.filter(({ status }) => status !== 'unknown'),
      })),
    }));
    fc.assert(
      fc.property(certain, certain, (one, other) => {
        const [less, more] = [one, { ...one, sessions: [...one.sessions, ...renamed(other.sessions)] }].map((plain) =>
          weigh(fromPlain(plain)),
        );
        for (const name of ['transactions', 'sessions', 'repeatedReads', 'meetings', 'timed', 'begunOrEnded'] as const)
          expect(more![name]).toBeGreaterThanOrEqual(less![name]);
        expect(more!.reads + more!.ambiguousReads).toBeGreaterThanOrEqual(less!.reads + less!.ambiguousReads);
      }),
    );
  });
});

const write = (key: string, value: number): PlainOperation => ({ kind: 'write', key, value: BigInt(value) });
const read = (key: string, value: number): PlainOperation => ({ kind: 'read', key, value: BigInt(value) });

function timed(sessions: readonly (readonly (readonly [PlainOperation, bigint, bigint])[])[]): History {
  return fromPlain({
    initial: 0n,
    timeUnit: 'events',
    sessions: sessions.map((transactions, s) => ({
      name: BigInt(s),
      transactions: transactions.map(([operation, begin, end]) => ({
        status: 'committed',
        operations: [operation],
        begin,
        end,
      })),
    })),
  });
}

const renamed = (sessions: PlainHistory['sessions']): PlainHistory['sessions'] =>
  sessions.map(({ transactions }, s) => ({ name: BigInt(100 + s), transactions }));

const operations: fc.Arbitrary<PlainOperation> = fc.record({
  kind: fc.constantFrom('read' as const, 'write' as const),
  key: fc.constantFrom('x', 'y', 'z'),
  value: fc.bigInt(0n, 3n),
});
const times = { begin: fc.bigInt(0n, 9n), end: fc.bigInt(0n, 9n) };
const transactions: fc.Arbitrary<PlainTransaction> = fc.oneof(
  ...[[], ['begin' as const], ['end' as const], ['begin' as const, 'end' as const]].map((withTimes) =>
    fc.record({
      status: fc.constantFrom('committed' as const, 'committed' as const, 'aborted' as const, 'unknown' as const),
      operations: fc.array(operations, { maxLength: 3 }),
      ...Object.fromEntries(withTimes.map((name) => [name, times[name]])),
    }),
  ),
);
const histories: fc.Arbitrary<PlainHistory> = fc
  .array(fc.array(transactions, { minLength: 1, maxLength: 3 }), { maxLength: 4 })
  .map((sessions) => ({
    initial: 0n,
    timeUnit: 'events' as const,
    sessions: sessions.map((all, s) => ({ name: BigInt(s), transactions: all })),
  }));

/** Evidence that can be counted over all pairs; the index knows the sources of reads. */
function byDefinition(plain: PlainHistory): Partial<HistoryEvidence> {
  const { outcome } = buildReadFrom(fromPlain(plain));
  let number = 0;
  const happened = plain.sessions.flatMap(({ transactions: all }, session) =>
    all
      .map(({ end, ...t }) => ({
        ...t,
        ...(end !== undefined && t.status === 'committed' && { end }),
        session,
        t: number++,
      }))
      .filter(({ t }) => outcome[t] === 1),
  );
  const span = ({ begin = NO_TIME, end = NO_TIME }): readonly [bigint, bigint] | null =>
    begin === NO_TIME || end === NO_TIME || end < begin ? null : [begin, end];
  const overlap = (a: readonly [bigint, bigint], b: readonly [bigint, bigint]): boolean => a[0] <= b[1] && b[0] <= a[1];
  const uses = (all: readonly PlainOperation[], key: string, kind?: string): boolean =>
    all.some((op) => 'key' in op && op.key === key && (kind === undefined || op.kind === kind));
  let meetings = 0;
  for (const a of happened)
    for (const b of happened) {
      const [mine, theirs] = [span(a), span(b)];
      if (a.t >= b.t || a.session === b.session || (mine && theirs && !overlap(mine, theirs))) continue;
      for (const key of ['x', 'y', 'z']) {
        const both = uses(a.operations, key) && uses(b.operations, key);
        if (both && (uses(a.operations, key, 'write') || uses(b.operations, key, 'write'))) meetings++;
      }
    }
  const spans = plain.sessions.flatMap((_, session) => {
    const own = happened.filter((t) => t.session === session).flatMap((t) => (span(t) === null ? [] : [span(t)!]));
    const least = (all: bigint[]): bigint => all.reduce((a, b) => (a < b ? a : b));
    const most = (all: bigint[]): bigint => all.reduce((a, b) => (a > b ? a : b));
    return own.length === 0 ? [] : [[least(own.map(([b]) => b)), most(own.map(([, e]) => e))] as const];
  });
  return {
    transactions: happened.length,
    sessions: new Set(happened.map(({ session }) => session)).size,
    meetings,
    overlappingSessions:
      spans.length === 0 ? null : spans.filter((a) => spans.some((b) => a !== b && overlap(a, b))).length,
    timed: happened.filter((t) => span(t) !== null).length,
    begun: happened.filter(({ begin }) => begin !== undefined).length,
    ended: happened.filter(({ end }) => end !== undefined).length,
    begunOrEnded: happened.filter(({ begin, end }) => begin !== undefined || end !== undefined).length,
  };
}
