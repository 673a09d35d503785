import { type Checker, LEVELS, type LevelName, type VerdictStatus, defineChecker, implies } from '@isolab/checker';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLevels, type Engine, prepare } from '../src/index.ts';
import { smallHistory } from './support/moody.ts';

const NAMES = LEVELS.map(({ name }) => name);

/** A checker whose verdicts are known beforehand. */
function oracle(verdictAt: (level: LevelName) => VerdictStatus, promises: Partial<Checker['info']> = {}): Engine {
  const checker = defineChecker({
    info: {
      name: 'oracle',
      title: 'Oracle',
      version: '1.0.0',
      apiVersion: 1,
      paper: null,
      levels: NAMES,
      sound: true,
      complete: true,
      requires: [],
      options: {},
      variants: {},
      ...promises,
    },
    check: (_input, level) => {
      const status = verdictAt(level);
      if (status === 'satisfied') return { status };
      if (status === 'unknown') return { status, reason: 'incomplete' };
      return { status, anomalies: [{ name: 'lost-update', transactions: [0, 1] }] };
    },
  });
  return { checker: { checker, url: null } };
}

const holdsUpTo =
  (...strongest: LevelName[]) =>
  (level: LevelName): VerdictStatus =>
    strongest.some((top) => implies(top, level)) ? 'satisfied' : 'violated';

describe('checking all levels', () => {
  test('finds the strongest that hold and the weakest that fail', async () => {
    const engine = oracle(holdsUpTo('snapshot-isolation', 'plain-serializable'));
    const result = await checkLevels(() => engine, prepare(smallHistory()));
    expect(result.strongest).toEqual(['snapshot-isolation', 'plain-serializable']);
    expect(result.weakestViolated).toEqual(['generalized-snapshot-isolation', 'serializable', 'linearizable']);
    expect(result.levels).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, holdsUpTo('snapshot-isolation', 'plain-serializable')(name)])),
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('marks what it did not check, and checks nothing that is implied', async () => {
    const engine = oracle(holdsUpTo('read-committed'));
    const result = await checkLevels(() => engine, prepare(smallHistory()), {
      levels: NAMES.filter((name) => name !== 'linearizable'),
    });
    const checked = result.reports.map(({ level }) => level);
    expect(checked).toEqual(['cut-isolation', 'read-committed-pl2', 'read-committed', 'read-committed-dbcop']);
    expect(Object.keys(result.impliedBy).toSorted()).toEqual(
      NAMES.filter((name) => name !== 'linearizable' && !checked.includes(name)).toSorted(),
    );
    expect(result.impliedBy.serializable).toBe('cut-isolation');
    expect(result.impliedBy.causal).toBe('cut-isolation');
  });

  test('takes fewer runs than there are costly levels', async () => {
    const engine = oracle(() => 'satisfied');
    const result = await checkLevels(() => engine, prepare(smallHistory()));
    expect(new Set(Object.values(result.levels))).toEqual(new Set(['satisfied']));
    expect(result.strongest).toEqual(['strong-snapshot-isolation', 'strict-serializable', 'linearizable']);
    expect(result.reports.length).toBeLessThan(NAMES.length - 2);
  });

  test('settles levels without a checker by implication, and leaves the others unknown', async () => {
    const engine = oracle(holdsUpTo('serializable'));
    const only: readonly LevelName[] = ['causal', 'serializable'];
    const result = await checkLevels((level) => (only.includes(level) ? engine : null), prepare(smallHistory()));
    expect(result.reports.map(({ level }) => level)).toEqual(only);
    expect(result.levels).toMatchObject({
      prefix: 'satisfied',
      'snapshot-isolation': 'satisfied',
      'strict-serializable': 'unknown',
      'strong-snapshot-isolation': 'unknown',
    });
    expect(result.impliedBy.prefix).toBe('serializable');
    expect(result.impliedBy['read-atomic']).toBe('causal');
    expect(result.weakestViolated).toEqual([]);
  });

  test('a verdict that the checker does not vouch for settles no other level', async () => {
    const engine = oracle((level) => (level === 'serializable' ? 'satisfied' : 'violated'), {
      sound: false,
      complete: false,
    });
    const levels: readonly LevelName[] = ['causal', 'snapshot-isolation', 'serializable'];
    const result = await checkLevels(() => engine, prepare(smallHistory()), { levels });
    expect(result.levels).toEqual({ causal: 'violated', 'snapshot-isolation': 'violated', serializable: 'satisfied' });
    expect(result.impliedBy).toEqual({});
  });

  test('an unknown verdict is improved by what another level implies', async () => {
    const engine = oracle((level) => (level === 'causal' ? 'unknown' : 'satisfied'));
    const result = await checkLevels(() => engine, prepare(smallHistory()), { levels: ['causal', 'serializable'] });
    expect(result.reports.map(({ verdict }) => verdict.status)).toEqual(['unknown', 'satisfied']);
    expect(result).toMatchObject({ levels: { causal: 'satisfied' }, impliedBy: { causal: 'serializable' } });
  });

  test('ends when it is aborted, with the rest unknown', async () => {
    const controller = new AbortController();
    const engine = oracle(() => 'satisfied');
    const onReport = (): void => controller.abort();
    const result = await checkLevels(() => engine, prepare(smallHistory()), { signal: controller.signal, onReport });
    expect(result.reports).toHaveLength(1);
    expect(result.levels).toMatchObject({ 'cut-isolation': 'satisfied', serializable: 'unknown' });
  });

  test('agrees with checking every single level, whatever holds', async () => {
    const prepared = prepare(smallHistory());
    const tops = fc.subarray(NAMES);
    const idle = fc.subarray(NAMES);
    const property = fc.asyncProperty(tops, idle, async (strongest, without) => {
      const truth = holdsUpTo(...strongest);
      const engine = oracle(truth);
      const result = await checkLevels((level) => (without.includes(level) ? null : engine), prepared);
      for (const level of NAMES) {
        const said = result.levels[level];
        if (said === 'unknown') expect(without).toContain(level);
        else expect(said).toBe(truth(level));
      }
      for (const level of result.strongest)
        expect(result.strongest.filter((other) => implies(other, level))).toEqual([level]);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
