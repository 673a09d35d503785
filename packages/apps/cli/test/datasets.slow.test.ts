// Slow: checks every real history at hand.
import process from 'node:process';
import type { LevelName } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { readDocumentAt } from '@isolab/formats';
import { type CheckerRef, type PreparedHistory, type Report, loadChecker, prepare, run } from '@isolab/runner';
import { realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';

interface Entry {
  readonly id: string;
  readonly format: string;
  readonly location: string;
  readonly bytes: number;
  /** Verdict that the source of the history states, by level; null where it says nothing. */
  readonly expected: Readonly<Record<string, boolean | null>>;
  /** Verdict of another decision procedure. */
  readonly triage: Readonly<Record<string, boolean | null>> | null;
}

const entries = realHistories<Entry>();

const LEVELS: readonly (readonly [short: string, level: LevelName])[] = [
  ['rc', 'read-committed'],
  ['ra', 'read-atomic'],
  ['cc', 'causal'],
];

/** Where weave and Plume judge a history alone, for time. */
const LARGE = 2_000_000;

const here = new URL(import.meta.url);
const load = (name: string): Promise<CheckerRef> => loadChecker(`@isolab/${name}`, here);
const [weave, plume, dbcop] = await Promise.all([load('weave'), load('plume'), load('dbcop')]);
const others = await Promise.all(['cobra', 'polysi', 'viper', 'mtc', 'elle'].map(load));

const STRONG_LEVELS: readonly (readonly [short: string, level: LevelName])[] = [
  ['si', 'snapshot-isolation'],
  ['ser', 'serializable'],
];

describe('the real histories where ISOLAB_DATASETS points', unless('datasets'), () => {
  const histories = entries.filter(({ bytes, format }) => bytes > 0 && format !== 'polyg');

  // Each history is checked at the weak or at the strong levels, and at both if ISOLAB_LONG is set.
  const isLong = process.env['ISOLAB_LONG'] !== undefined;
  const shareOf = (rest: number) =>
    histories.flatMap((entry, i) => (isLong || i % 2 === rest ? [[entry.id, entry] as const] : []));

  test('the real histories where ISOLAB_DATASETS points are many', () => expect(histories.length).toBeGreaterThan(100));

  test.each(shareOf(0))('%s: the checkers agree at the weak levels', async (_, entry) => {
    const document = await readDocumentAt(realHistory(entry.location));
    if (document.kind !== 'history') throw new Error(`${entry.id} is a ${document.kind}`);
    const prepared = prepare(document.history);
    for (const [short, level] of LEVELS) {
      const reports = await Promise.all(
        [weave!, plume!, ...(entry.bytes < LARGE ? [dbcop!] : [])].map((checker) =>
          run({ checker, prepared, level }, { allowVacuous: true }),
        ),
      );
      for (const report of reports) expectCertified(prepared, report);
      const verdicts = reports.map(satisfied).filter((verdict) => verdict !== null);
      const [verdict] = verdicts;
      if (verdict === undefined) continue; // repeated values or another kind of history: all of them refuse it
      expect(new Set(verdicts).size).toBe(1);
      const stated = entry.expected[short] ?? null;
      if (stated !== null) expect(verdict).toBe(stated);
      const triaged = entry.triage?.[short] ?? null;
      if (triaged === null || triaged === verdict) continue;
      // The triage knows of a session only the next transaction, as dbcop did when it was published.
      expect(level).toBe('read-atomic');
      expect(
        satisfied(await run({ checker: dbcop!, prepared, level, variant: 'as-published' }, { allowVacuous: true })),
      ).toBe(triaged);
    }
  });

  test.each(shareOf(1))('%s: the checkers agree at the strong levels', async (_, entry) => {
    const document = await readDocumentAt(realHistory(entry.location));
    if (document.kind !== 'history') throw new Error(`${entry.id} is a ${document.kind}`);
    const prepared = prepare(document.history);
    for (const [short, level] of STRONG_LEVELS) {
      const able = [weave!, ...(entry.bytes < LARGE ? [dbcop!, ...others] : [])].filter(({ checker }) =>
        checker.info.levels.includes(level),
      );
      const verdicts: boolean[] = [];
      for (const checker of able) {
        const report = await run(
          { checker, prepared, level },
          { budget: { timeMs: 250, ...limitsOf(checker) }, allowVacuous: true },
        );
        expectCertified(prepared, report);
        const verdict = decided(report);
        if (verdict !== null) verdicts.push(verdict);
      }
      expect(new Set(verdicts).size).toBeLessThan(2);
      const [verdict] = verdicts;
      const stated = entry.expected[short] ?? entry.triage?.[short] ?? null;
      if (stated !== null && verdict !== undefined) expect(verdict).toBe(stated);
    }
  });
});

/** dbcop's search is exponential in the number of sessions: it is given up soon. */
const limitsOf = ({ checker }: CheckerRef): object => (checker.info.name === 'dbcop' ? { steps: 1_000_000 } : {});

/** Null where a checker does not take the history, cannot decide, or is not done in time. */
const decided = ({ verdict }: Report): boolean | null =>
  verdict.status === 'unknown' ? null : verdict.status === 'satisfied';

function satisfied({ verdict, checker, level }: Report): boolean | null {
  if (verdict.status !== 'unknown') return verdict.status === 'satisfied';
  expect(`${checker} at ${level}: ${verdict.reason}`).toBe(`${checker} at ${level}: unsupported`);
  return null;
}

/** Every verdict about registers carries a certificate that the verifier accepts. */
function expectCertified(prepared: PreparedHistory, { verdict, level, checker }: Report): void {
  if (verdict.status === 'unknown') return;
  const { history } = prepared.inputFor(
    [weave!, plume!, dbcop!, ...others].find((ref) => ref.checker.info.name === checker)!.checker,
  );
  if (history.opKind.some((kind) => kind > 1)) return;
  const certificate =
    verdict.status === 'satisfied'
      ? verdict.certificate
      : verdict.anomalies.find((anomaly) => anomaly.certificate)?.certificate;
  // An exhausted search has no short proof.
  if (checker === 'dbcop' && verdict.status === 'violated' && certificate === undefined) return;
  expect(verifyCertificate(history, level, verdict.status, certificate!)).toEqual({ ok: true });
}
