import type { LevelName, Verdict, ViolationCertificate } from '@isolab/contract';
import type { History, PlainOperation, PlainTransaction } from '@isolab/history';
import { historyOf, runForTest, draws } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chronos } from '../src/index.ts';
import { type Level, drafts, hasTies, historyFrom, naive } from './support/stamped.ts';

const RUNS = Number(process.env['ISOLAB_RUNS'] ?? draws(3000));

const certificateOf = (verdict: Verdict) =>
  verdict.status === 'satisfied'
    ? verdict.certificate
    : verdict.status === 'violated'
      ? verdict.anomalies[0]!.certificate
      : undefined;

/** Everything that a certificate can claim of timestamps. */
function allClaims({ opKind, txnStatus }: History): ViolationCertificate[] {
  const ops = [...opKind.keys()];
  const txns = [...txnStatus.keys()];
  const ats = ['start', 'commit'];
  return [
    ...ats.flatMap((at) => ops.map((read) => ({ axiom: 'EXT', read, at }))),
    ...ops.flatMap((a) => ops.map((b) => ({ axiom: 'NOCONFLICT', writes: [a, b] }))),
    ...ats.flatMap((at) => txns.flatMap((first) => txns.map((second) => ({ axiom: 'SESSION', first, second, at })))),
    ...txns.map((transaction) => ({ axiom: 'ORDER', transaction })),
  ].map((claim) => ({ kind: 'timestamps', ...claim }) as unknown as ViolationCertificate);
}

describe.each<[Level, boolean, number]>([
  ['snapshot-isolation', false, 0],
  ['snapshot-isolation', true, 0],
  ['serializable', false, -3],
  ['serializable', true, -3],
])('at %s (lists: %s)', (level, isLists, shortest) => {
  test('the verdict is that of the definitions, with a certificate', async () => {
    const counts = { satisfied: 0, violated: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(drafts(shortest), async (drawn) => {
        const history = historyFrom(drawn, level, isLists);
        fc.pre(history.opKind.length > 0 && (level === 'serializable' || !hasTies(history)));
        const verdict = await runForTest(chronos, history, level, { certify: true });
        counts[verdict.status]++;
        expect(verdict.status).toBe(naive(history, level) ? 'satisfied' : 'violated');
        const certificate = certificateOf(verdict)!;
        expect(verifyCertificate(history, level, verdict.status as 'satisfied', certificate)).toEqual({ ok: true });
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(counts.satisfied, counts.violated)).toBeGreaterThan(RUNS / 20);
  });

  test('no certificate of a violation is accepted where there is none', async () => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(drafts(shortest), async (drawn) => {
        const history = historyFrom(drawn, level, isLists);
        fc.pre(naive(history, level));
        for (const certificate of allClaims(history)) {
          expect([certificate, verifyCertificate(history, level, 'violated', certificate).ok]).toEqual([
            certificate,
            false,
          ]);
          tried++;
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
    expect(tried).toBeGreaterThan(RUNS);
  });

  test('each of all violations has a certificate', async () => {
    await fc.assert(
      fc.asyncProperty(drafts(shortest), async (drawn) => {
        const history = historyFrom(drawn, level, isLists);
        const verdict = await runForTest(chronos, history, level, { certify: true, findAll: true });
        if (verdict.status !== 'violated') return;
        for (const { certificate } of verdict.anomalies)
          expect(verifyCertificate(history, level, 'violated', certificate!)).toEqual({ ok: true });
      }),
      { numRuns: RUNS },
    );
  });
});

const withTimes = (startTs: bigint, commitTs: bigint, ...operations: PlainOperation[]): PlainTransaction => ({
  status: 'committed',
  operations,
  startTs,
  commitTs,
});
const write = (key: bigint, value: bigint): PlainOperation => ({ kind: 'write', key, value });
const read = (key: bigint, value: bigint): PlainOperation => ({ kind: 'read', key, value });

describe('the axioms', () => {
  const patternsOf = async (level: LevelName, ...sessions: readonly PlainTransaction[][]): Promise<string[]> => {
    const verdict = await runForTest(chronos, historyOf(sessions), level, { findAll: true });
    return verdict.status === 'violated'
      ? verdict.anomalies.map(({ pattern, name }) => pattern ?? name)
      : [verdict.status];
  };

  test.each<[string, readonly string[], readonly PlainTransaction[][]]>([
    ['a stale read', ['EXT'], [[withTimes(1n, 2n, write(1n, 1n))], [withTimes(3n, 3n, read(1n, 0n))]]],
    [
      'writers under way together',
      ['NOCONFLICT'],
      [[withTimes(1n, 3n, write(1n, 1n))], [withTimes(2n, 4n, write(1n, 2n))]],
    ],
    ['a session that goes back', ['SESSION'], [[withTimes(3n, 4n, write(1n, 1n)), withTimes(1n, 2n, write(2n, 1n))]]],
    ['a commit before the start', ['ORDER'], [[withTimes(4n, 3n, write(1n, 1n))]]],
    ['a read of nobody’s value', ['thin-air-read'], [[withTimes(1n, 2n, read(1n, 7n))]]],
    [
      'a start at the time at which another one starts and commits',
      ['satisfied'],
      [[withTimes(2n, 3n, read(1n, 1n))], [withTimes(2n, 2n, read(1n, 0n), write(1n, 1n))]],
    ],
    [
      'a commit at the time of a start',
      ['satisfied'],
      [[withTimes(1n, 2n, write(1n, 1n))], [withTimes(2n, 2n, read(1n, 1n))]],
    ],
  ])('%s', async (_, expected, sessions) => {
    const found = await patternsOf('snapshot-isolation', ...sessions.map((session) => [...session]));
    expect(found).toEqual(expect.arrayContaining([...expected]));
  });

  test('at serializability starts do not count, and equal commits are no order', async () => {
    expect(await patternsOf('serializable', [withTimes(4n, 3n, write(1n, 1n))])).toEqual(['satisfied']);
    expect(await patternsOf('serializable', [withTimes(1n, 3n, write(1n, 1n))], [withTimes(1n, 3n)])).toEqual([
      'unknown',
    ]);
  });

  test('a possible read from a transaction of unknown outcome decides nothing', async () => {
    const open = (operation: PlainOperation): PlainTransaction => ({
      ...withTimes(3n, 4n, operation),
      status: 'unknown',
    });
    const committed = withTimes(1n, 2n, write(1n, 1n));
    const at = async (value: bigint, seen: bigint): Promise<string[]> =>
      patternsOf('snapshot-isolation', [committed], [open(write(1n, value))], [withTimes(5n, 6n, read(1n, seen))]);
    expect(await at(2n, 1n)).toEqual(['satisfied']); // it was not seen, and so did not happen
    expect(await at(2n, 0n)).toEqual(['EXT']);
    expect(await at(2n, 2n)).toEqual(['unknown']);
    expect(await at(1n, 1n)).toEqual(['unknown']);
    expect(await at(0n, 0n)).toEqual(['unknown']);
  });

  test('its budget is kept', async () => {
    const sessions = Array.from({ length: 3000 }, (_, i) => [
      withTimes(BigInt(2 * i), BigInt(2 * i + 1), write(1n, BigInt(i + 1))),
    ]);
    const history = historyOf(sessions);
    await expect(runForTest(chronos, history, 'snapshot-isolation', { maxSteps: 1500 })).resolves.toMatchObject({
      status: 'unknown',
    });
    await expect(runForTest(chronos, history, 'serializable', { maxSteps: 1500 })).resolves.toMatchObject({
      status: 'unknown',
    });
  });

  test('a history without timestamps is refused', async () => {
    const history = historyOf([[{ status: 'committed', operations: [write(1n, 1n)] }]]);
    expect(await runForTest(chronos, history, 'serializable')).toMatchObject({
      status: 'unknown',
      reason: 'unsupported',
    });
  });
});
