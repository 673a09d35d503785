import type { LevelName } from '@isolab/contract';
import { type History, NO_TIME, type PlainOperation, TxnStatus } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { type CheckerRef, prepare, preparePolygraph, restsOn, run, whyNotSatisfied, whyVacuous } from '../src/index.ts';
import { historyOf, loadFixture, r, smallHistory, timedHistory, w } from './support/moody.ts';

const evidenceOf = (history: History) => prepare(history).evidence();
const reasonAt = (history: History, level: LevelName): string | null =>
  whyVacuous(evidenceOf(history), level)?.reason ?? null;

/** Two transactions, with their times. */
const withTimes = (begin: readonly (bigint | null)[], end: readonly (bigint | null)[]): History => ({
  ...historyOf([[[w('x', 1)]], [[r('x', 1)]]]),
  txnBegin: BigInt64Array.from(begin, (time) => time ?? NO_TIME),
  txnEnd: BigInt64Array.from(end, (time) => time ?? NO_TIME),
});

describe('the evidence of a verdict', () => {
  test('the evidence of a verdict is reported in a line', () => {
    expect(restsOn(evidenceOf(smallHistory()))).toBe(
      'rests on 4 reads with a known writer, 3 pairs of transactions that met, 3 sessions, no times',
    );
    expect(restsOn(evidenceOf(timedHistory()))).toBe(
      'rests on 4 reads with a known writer, 3 pairs of transactions that met, 3 sessions that overlapped, times of 3 of 3 transactions',
    );
    expect(restsOn(evidenceOf(historyOf([[[w('x', 1)]], [[w('x', 1)]], [[r('x', 1)]]])))).toBe(
      'rests on 0 reads with a known writer, 1 read with several possible writers, 3 pairs of transactions that met, 3 sessions, no times',
    );
  });

  test('the evidence of a verdict says that only linearizability considers failed compare-and-sets', () => {
    const cas = (expected: number, failed: boolean): PlainOperation => ({
      kind: 'compare-and-set',
      key: 'x',
      observed: BigInt(expected),
      written: 5n,
      failed,
    });
    const history = historyOf([[[w('x', 1)], [cas(1, true)], [cas(7, true)]], [[cas(1, false)]]]);
    expect(restsOn(evidenceOf(history))).toMatch(/, only at linearizability on 2 failed compare-and-sets$/);
    history.txnStatus[1] = TxnStatus.Aborted;
    expect(restsOn(evidenceOf(history))).toMatch(/, only at linearizability on 1 failed compare-and-set$/);
  });

  test('the evidence of many operations is grouped by thousands', () => {
    const evidence = { ...evidenceOf(smallHistory()), reads: 1_234_567, meetings: 1000, sessions: 1 };
    expect(restsOn(evidence as ReturnType<typeof evidenceOf>)).toMatch(
      /^rests on 1,234,567 reads .*, 1,000 pairs .*, 1 session, /,
    );
  });

  test('the evidence of a polygraph is its edges and constraints', () => {
    const polygraph = { name: 'p', nodes: 3, edges: Int32Array.of(0, 1), constraints: Int32Array.of(0, 1, 1, 2) };
    const evidence = preparePolygraph(polygraph).evidence();
    expect(restsOn(evidence)).toBe('rests on 1 known edge and 1 constraint between 3 transactions');
    expect(whyVacuous(evidence, 'serializable')).toBeNull();
    const nothing = preparePolygraph({ ...polygraph, edges: Int32Array.of(), constraints: Int32Array.of() });
    expect(whyVacuous(nothing.evidence(), 'serializable')?.reason).toBe('nothing-to-judge');
  });
});

describe('evidence that is too little for a verdict', () => {
  test.each([
    ['no transactions', historyOf([])],
    ['only writes', historyOf([[[w('x', 1)]], [[w('x', 2)]]])],
    ['reads of keys that nothing writes', historyOf([[[w('x', 1)]], [[r('y', 0)]]])],
  ])('%s', (_, history) => {
    expect(reasonAt(history, 'serializable')).toBe('nothing-to-judge');
    expect(reasonAt(history, 'strict-serializable')).toBe('nothing-to-judge');
  });

  test.each([
    ['a read of another transaction', historyOf([[[w('x', 1)]], [[r('x', 1)]]])],
    ['a read of what was there before a write', historyOf([[[w('x', 1)]], [[r('x', 0)]]])],
    ['a single transaction that reads what it wrote', historyOf([[[w('x', 1), r('x', 1)]]])],
  ])('evidence suffices with %s', (_, history) => {
    expect(reasonAt(history, 'serializable')).toBeNull();
  });

  test.each([
    ['none', [null, null], [null, null], 'needs-times'],
    ['of one transaction', [1n, null], [2n, null], 'needs-times'],
    ['only begins', [1n, 2n], [null, null], 'needs-times'],
    ['only ends', [null, null], [1n, 2n], 'needs-times'],
    ['the end of one and the begin of the other', [null, 2n], [1n, null], null],
    ['all', [1n, 2n], [3n, 4n], null],
  ] as const)('at levels of real time, times: %s', (_, begin, end, reason) => {
    const history = withTimes(begin, end);
    expect(reasonAt(history, 'strict-serializable')).toBe(reason);
    expect(reasonAt(history, 'linearizable')).toBe(reason);
    expect(reasonAt(history, 'strong-snapshot-isolation')).toBe(reason);
    expect(reasonAt(history, 'generalized-snapshot-isolation')).toBe(reason);
    expect(reasonAt(history, 'strong-session-snapshot-isolation')).toBe(reason);
    expect(reasonAt(history, 'regular-sequential-serializable')).toBe(reason);
    expect(reasonAt(history, 'strong-prefix')).toBe(reason);
    expect(reasonAt(history, 'causal')).toBeNull();
    expect(reasonAt(history, 'serializable')).toBeNull();
  });
});

describe('a run', () => {
  const nothing = prepare(historyOf([[[w('x', 1)]]]));
  const runOf = async (prepared: typeof nothing, mood: string, allowVacuous?: boolean) => {
    const checker: CheckerRef = await loadFixture('moody-checker.mjs');
    const job = { checker, prepared, level: 'serializable', options: { mood } } as const;
    return run(job, allowVacuous === undefined ? {} : { allowVacuous });
  };

  test('a run that finds a level satisfied by nothing is unknown, and says why', async () => {
    const { verdict, evidence } = await runOf(nothing, 'prepared');
    expect(verdict).toEqual({
      status: 'unknown',
      reason: 'nothing-to-judge',
      detail:
        'nothing to judge: no transaction that happened has a read with a known result of a key that the history writes, so nothing could have shown a violation',
    });
    expect(evidence).toMatchObject({ transactions: 1, reads: 0 });
  });

  test('a run is satisfied all the same where that is allowed', async () => {
    const { verdict, evidence } = await runOf(nothing, 'prepared', true);
    expect(verdict.status).toBe('satisfied');
    expect(evidence).toMatchObject({ transactions: 1, reads: 0 });
  });
});

test('a collection that was cut off satisfies nothing, unless that is allowed', () => {
  const whole = historyOf([[[w('x', 1)]], [[r('x', 1)]]]);
  const cut = { ...whole, source: { ...whole.source, notes: { cutOffAfterLine: 3 } } };
  const evidence = prepare(cut).evidence();
  expect(whyNotSatisfied(evidence, 'causal', {})).toMatchObject({
    reason: 'cut-off',
    detail: expect.stringContaining('line 3'),
  });
  expect(whyNotSatisfied(evidence, 'causal', { allowVacuous: true })?.reason).toBe('cut-off');
  expect(whyNotSatisfied(evidence, 'causal', { allowCutOff: true })).toBeNull();
  expect(whyNotSatisfied(prepare(whole).evidence(), 'causal', {})).toBeNull();
});
