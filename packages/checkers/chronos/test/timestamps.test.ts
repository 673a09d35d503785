import type { LevelName, Verdict } from '@isolab/contract';
import { type History, OpKind, type PlainOperation, type PlainTransaction, listElements } from '@isolab/history';
import { historyOf, runForTest } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chronos } from '../src/index.ts';

const RUNS = Number(process.env['ISOLAB_RUNS'] ?? 3000);

type Level = 'snapshot-isolation' | 'serializable';

interface Draft {
  readonly session: number;
  readonly start: number;
  readonly length: number;
  readonly operations: readonly { readonly key: number; readonly isWrite: boolean; readonly luck: number }[];
}

const drafts = (shortest: number): fc.Arbitrary<readonly Draft[]> =>
  fc.array(
    fc.record({
      session: fc.nat({ max: 2 }),
      start: fc.nat({ max: 12 }),
      length: fc.integer({ min: shortest, max: 6 }),
      operations: fc.array(fc.record({ key: fc.nat({ max: 1 }), isWrite: fc.boolean(), luck: fc.nat({ max: 30 }) }), {
        maxLength: 3,
      }),
    }),
    { maxLength: 6 },
  );

/** A history of registers or lists, of which most reads see what the timestamps say. */
function historyFrom(drawn: readonly Draft[], level: Level, isLists: boolean): History {
  const sorted = drawn
    .map((draft) => (draft.length === 0 && draft.operations.some((op) => op.isWrite) ? { ...draft, length: 1 } : draft))
    .toSorted((a, b) => a.start - b.start);
  // Commits have times of their own where they are all the order that there is.
  const commitOf = (i: number): number =>
    level === 'serializable' ? 10 * (sorted[i]!.start + sorted[i]!.length) + i : sorted[i]!.start + sorted[i]!.length;
  const snapshotOf = (i: number): number => (level === 'serializable' ? commitOf(i) : sorted[i]!.start);
  const valueOf = (i: number, j: number): bigint => BigInt(10 * i + j + 1);
  const writesOf = (i: number, key: number, before = Infinity): bigint[] =>
    sorted[i]!.operations.flatMap((op, j) => (op.isWrite && op.key === key && j < before ? [valueOf(i, j)] : []));
  const seenBy = (i: number, key: number, before: number): bigint[] => {
    const others = sorted.flatMap((_, k) => (k !== i && commitOf(k) <= snapshotOf(i) ? [k] : []));
    const order = others.toSorted((a, b) => commitOf(a) - commitOf(b));
    return [...order.flatMap((k) => writesOf(k, key)), ...writesOf(i, key, before)];
  };
  const everything = (key: number): bigint[] => sorted.flatMap((_, k) => writesOf(k, key));
  const sessions: PlainTransaction[][] = [[], [], []];
  for (const [i, draft] of sorted.entries()) {
    const operations = draft.operations.map(({ key, isWrite, luck }, j): PlainOperation => {
      const at = BigInt(key);
      if (isWrite)
        return isLists
          ? { kind: 'append', key: at, value: valueOf(i, j) }
          : { kind: 'write', key: at, value: valueOf(i, j) };
      const right = seenBy(i, key, j);
      if (isLists) return { kind: 'list-read', key: at, elements: luck > 1 ? right : right.slice(0, -1) };
      const any = everything(key);
      const wrong = any[luck % Math.max(1, any.length)] ?? 0n;
      return { kind: 'read', key: at, value: luck > 1 ? (right.at(-1) ?? 0n) : wrong };
    });
    const time = {
      startTs: BigInt(level === 'serializable' ? 10 * draft.start : draft.start),
      commitTs: BigInt(commitOf(i)),
    };
    sessions[draft.session]!.push({ status: 'committed', operations, ...time });
  }
  return historyOf(sessions);
}

/** What Definitions 5 and 6 of the paper ask for, transaction by transaction; the name of the first axiom that fails. */
function naive(history: History, level: Level): boolean {
  const { txnStart, txnSession, txnStartTs, txnCommitTs, opKind, opKey, opValue, keyInitial, lists } = history;
  const txns = [...txnSession.keys()];
  const start = (t: number): bigint => txnStartTs![t]!;
  const commit = (t: number): bigint => txnCommitTs![t]!;
  const opsOf = (t: number): number[] =>
    Array.from({ length: txnStart[t + 1]! - txnStart[t]! }, (_, i) => txnStart[t]! + i);
  const writes = (t: number, key: number): number[] =>
    opsOf(t).filter((op) => opKey[op] === key && (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append));
  const isSerial = level === 'serializable';
  const isVisible = (s: number, t: number): boolean =>
    (isSerial ? commit(s) < commit(t) : commit(s) <= start(t)) && s !== t;
  for (const t of txns) {
    for (const s of txns.filter((each) => each < t && txnSession[each] === txnSession[t]))
      if (!isVisible(s, t)) return false;
    const seen = txns.filter((s) => isVisible(s, t)).toSorted((a, b) => (commit(a) < commit(b) ? -1 : 1));
    for (const op of opsOf(t)) {
      const key = opKey[op]!;
      const found = [...seen.flatMap((s) => writes(s, key)), ...writes(t, key).filter((own) => own < op)];
      const values = found.map((write) => opValue[write]!);
      if (opKind[op] === OpKind.Read && opValue[op] !== (values.at(-1) ?? keyInitial[key])) return false;
      if (opKind[op] === OpKind.ListRead && [...listElements(lists, opValue[op]!)].join(' ') !== values.join(' '))
        return false;
    }
    if (isSerial) continue;
    for (const s of txns.filter((each) => each < t && !isVisible(each, t) && !isVisible(t, each)))
      if (opsOf(t).some((op) => writes(t, opKey[op]!).includes(op) && writes(s, opKey[op]!).length > 0)) return false;
  }
  return true;
}

const certificateOf = (verdict: Verdict) =>
  verdict.status === 'satisfied'
    ? verdict.certificate
    : verdict.status === 'violated'
      ? verdict.anomalies[0]!.certificate
      : undefined;

describe.each<[Level, boolean, number]>([
  ['snapshot-isolation', false, 0],
  ['snapshot-isolation', true, 0],
  ['serializable', false, -3],
  ['serializable', true, -3],
])('at %s (lists: %s)', (level, isLists, shortest) => {
  test('the verdict is that of the definitions, with a certificate', { timeout: 60_000 + RUNS }, async () => {
    const counts = { satisfied: 0, violated: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(drafts(shortest), async (drawn) => {
        const history = historyFrom(drawn, level, isLists);
        fc.pre(history.opKind.length > 0);
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

  test('each of all violations has a certificate', { timeout: 60_000 + RUNS }, async () => {
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
