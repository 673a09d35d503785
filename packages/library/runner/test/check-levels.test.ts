import { type Checker, LEVELS, type LevelName, type VerdictStatus, defineChecker, implies } from '@isolab/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLevels, type ChosenChecker, prepare } from '../src/index.ts';
import { historyOf, r, smallHistory, timedHistory, w } from './support/moody.ts';

const NAMES = LEVELS.map(({ name }) => name);

/** A checker whose verdicts are known beforehand. */
function oracle(
  verdictAt: (level: LevelName) => VerdictStatus,
  promises: Partial<Checker['info']> = {},
): ChosenChecker {
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
  test('checking all levels finds which hold and which fail', async () => {
    const engine = oracle(holdsUpTo('snapshot-isolation', 'plain-serializable'));
    const result = await checkLevels(() => engine, prepare(timedHistory()));
    expect(result.levels).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, holdsUpTo('snapshot-isolation', 'plain-serializable')(name)])),
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('checking all levels marks unchecked levels, and checks no implied level', async () => {
    const engine = oracle(holdsUpTo('read-committed'));
    const result = await checkLevels(() => engine, prepare(timedHistory()), {
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

  test('checking all levels takes fewer runs than there are costly levels', async () => {
    const engine = oracle(() => 'satisfied');
    const result = await checkLevels(() => engine, prepare(timedHistory()));
    expect(new Set(Object.values(result.levels))).toEqual(new Set(['satisfied']));
    expect(result.reports.length).toBeLessThan(NAMES.length - 2);
  });

  test('checking all levels settles levels without a checker by implication, and leaves the others unknown', async () => {
    const engine = oracle(holdsUpTo('serializable'));
    const only: readonly LevelName[] = ['causal', 'serializable'];
    const result = await checkLevels((level) => (only.includes(level) ? engine : null), prepare(timedHistory()));
    expect(result.reports.map(({ level }) => level)).toEqual(only);
    expect(result.levels).toMatchObject({
      prefix: 'satisfied',
      'snapshot-isolation': 'satisfied',
      'strict-serializable': 'unknown',
      'strong-snapshot-isolation': 'unknown',
    });
    expect(result.impliedBy.prefix).toBe('serializable');
    expect(result.impliedBy['read-atomic']).toBe('causal');
  });

  test('a verdict that the checker does not vouch for settles no other level', async () => {
    const unsure = { sound: false, complete: false };
    const levels: readonly LevelName[] = ['causal', 'snapshot-isolation', 'serializable'];
    const strict = oracle((level) => (level === 'serializable' ? 'violated' : 'satisfied'), unsure);
    const result = await checkLevels(() => strict, prepare(timedHistory()), { levels });
    expect(result.levels).toEqual({ causal: 'satisfied', 'snapshot-isolation': 'satisfied', serializable: 'violated' });
    expect(result.impliedBy).toEqual({});
  });

  test('a violation that takes claims for facts contradicts no stronger level, and settles none', async () => {
    const levels: readonly LevelName[] = ['snapshot-isolation', 'serializable', 'strict-serializable'];
    const truth = (level: LevelName): VerdictStatus => (level === 'snapshot-isolation' ? 'violated' : 'satisfied');
    const believing = oracle(truth, { takesForFacts: 'timestamps' });
    const { levels: found, reports } = await checkLevels(() => believing, prepare(timedHistory()), { levels });
    expect(found).toEqual(Object.fromEntries(levels.map((level) => [level, truth(level)])));
    expect(reports.find(({ level }) => level === 'snapshot-isolation')!.supposing).toContain('if the timestamps');
    expect(reports.find(({ level }) => level === 'strict-serializable')!.supposing).toBeNull();
    const wrong = await checkLevels(() => oracle(truth), prepare(timedHistory()), { levels });
    expect(Object.values(wrong.whyUnknown)[0]!.reason).toBe('contradiction');
  });

  test('an unknown verdict is improved by the verdict at another level', async () => {
    const engine = oracle((level) => (level === 'causal' ? 'unknown' : 'satisfied'));
    const result = await checkLevels(() => engine, prepare(timedHistory()), { levels: ['causal', 'serializable'] });
    expect(result.reports.map(({ verdict }) => verdict.status)).toEqual(['unknown', 'satisfied']);
    expect(result).toMatchObject({ levels: { causal: 'satisfied' }, impliedBy: { causal: 'serializable' } });
  });

  test('checking all levels ends when it is aborted, with the rest unknown', async () => {
    const controller = new AbortController();
    const engine = oracle(() => {
      controller.abort();
      return 'satisfied';
    });
    const result = await checkLevels(() => engine, prepare(timedHistory()), { signal: controller.signal });
    expect(result.reports).toHaveLength(1);
    expect(result.levels).toMatchObject({ 'cut-isolation': 'satisfied', serializable: 'unknown' });
  });

  test('checking all levels agrees with checking every single level, for any verdicts', async () => {
    const prepared = prepare(timedHistory());
    const tops = fc.subarray(NAMES);
    const idle = fc.subarray<LevelName>(NAMES);
    const property = fc.asyncProperty(tops, idle, async (strongest, without) => {
      const truth = holdsUpTo(...strongest);
      const engine = oracle(truth);
      const result = await checkLevels((level) => (without.includes(level) ? null : engine), prepared);
      for (const level of NAMES) {
        const said = result.levels[level];
        if (said === 'unknown') expect(without).toContain(level);
        else expect(said).toBe(truth(level));
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('two runs that contradict each other', () => {
  test('two runs that contradict each other leave both levels unknown, and all levels that they settle', async () => {
    const engine = oracle((level) => (level === 'snapshot-isolation' ? 'violated' : 'satisfied'), { sound: false });
    const levels: readonly LevelName[] = ['causal', 'prefix', 'snapshot-isolation', 'serializable'];
    const engineFor = (level: LevelName): ChosenChecker | null => (level === 'prefix' ? null : engine);
    const result = await checkLevels(engineFor, prepare(timedHistory()), { levels, budget: { steps: 1e6 } });
    expect(result.levels).toEqual({
      causal: 'satisfied',
      prefix: 'unknown', // settled by serializable
      'snapshot-isolation': 'unknown',
      serializable: 'unknown',
    });
    expect(result).toMatchObject({ impliedBy: {} });
    const why = result.whyUnknown.serializable!;
    expect(why.reason).toBe('contradiction');
    expect(why.detail).toBe(
      'contradiction between levels: oracle found serializable satisfied, and oracle found snapshot-isolation violated, although serializable implies snapshot-isolation. At least one verdict is wrong; please report this with the history',
    );
    expect(result.whyUnknown).toEqual({ prefix: why, 'snapshot-isolation': why, serializable: why });
    expect(result.reports.map(({ verdict }) => verdict.status)).toEqual(['satisfied', 'unknown', 'unknown']);
  });

  test.each([
    ['a weaker level violated', 'serializable', 'strict-serializable'],
    ['a stronger level satisfied', 'strict-serializable', 'serializable'],
  ] as const)(
    'two runs that contradict each other are found in a small history although %s would have settled it',
    async (_, one, other) => {
      // The second of them would not have been run: a wrong verdict about the first one would have settled it.
      const [holds, fails] = one === 'serializable' ? [other, one] : [one, other];
      const engine = oracle((level) => (level === fails ? 'violated' : 'satisfied'));
      const levels: readonly LevelName[] = ['causal', fails, holds];
      const result = await checkLevels(() => engine, prepare(timedHistory()), { levels });
      expect(result.levels).toEqual({ causal: 'satisfied', [fails]: 'unknown', [holds]: 'unknown' });
      expect(result.whyUnknown[fails]?.reason).toBe('contradiction');
    },
  );

  test('two runs that contradict each other are not looked for where a variant may be wrong on purpose', async () => {
    const variants = { blind: { help: 'blind', options: {} } };
    const checker = oracle((level) => (level === 'serializable' ? 'violated' : 'satisfied'), { variants });
    const levels: readonly LevelName[] = ['serializable', 'strict-serializable'];
    const engine = { ...checker, variant: 'blind' };
    const result = await checkLevels(() => engine, prepare(timedHistory()), { levels });
    expect(result.levels).toEqual({ serializable: 'violated', 'strict-serializable': 'violated' });
  });
});

describe('a history without times', () => {
  const holding = oracle(() => 'satisfied');
  const OF_TIME: readonly LevelName[] = [
    'generalized-snapshot-isolation',
    'strong-session-snapshot-isolation',
    'strong-snapshot-isolation',
    'strict-serializable',
    'linearizable',
  ];

  test('a history without times says nothing about levels of real time that hold, and does not check those that weaker ones decide', async () => {
    const result = await checkLevels(() => holding, prepare(smallHistory()));
    for (const level of NAMES) expect(result.levels[level]).toBe(OF_TIME.includes(level) ? 'unknown' : 'satisfied');
    expect(Object.values(result.whyUnknown).map((why) => why?.reason)).toEqual(OF_TIME.map(() => 'needs-times'));
    expect(result.reports.map(({ level }) => level).filter((level) => OF_TIME.includes(level))).toEqual([
      'linearizable',
    ]);
  });

  test('a history without times is satisfied all the same where that is allowed', async () => {
    const result = await checkLevels(() => holding, prepare(smallHistory()), { allowVacuous: true });
    expect(new Set(Object.values(result.levels))).toEqual(new Set(['satisfied']));
    expect(result.whyUnknown).toEqual({});
  });

  test('a history without times is violated where a weaker level is, or the level itself', async () => {
    const engine = oracle(holdsUpTo('snapshot-isolation'));
    const { levels } = await checkLevels(() => engine, prepare(smallHistory()));
    expect(levels).toMatchObject({
      serializable: 'violated',
      'strict-serializable': 'violated',
      linearizable: 'violated',
    });
  });
});

describe('a history with nothing to judge', () => {
  const empty = prepare(historyOf([[[w('x', 1)]], [[w('x', 2), r('y', 0)]]]));

  test('a history with nothing to judge is unknown at all levels, with the reason', async () => {
    const result = await checkLevels(() => oracle(() => 'satisfied'), empty);
    expect(new Set(Object.values(result.levels))).toEqual(new Set(['unknown']));
    for (const level of NAMES) expect(result.whyUnknown[level]?.reason).toBe('nothing-to-judge');
    expect(result).toMatchObject({ impliedBy: {}, evidence: { reads: 0, transactions: 2 } });
    for (const { verdict } of result.reports) expect(verdict).toMatchObject({ reason: 'nothing-to-judge' });
  });

  test('cut isolation has nothing to judge without a key read twice, unless a stronger level says more', async () => {
    const once = prepare(historyOf([[[w('x', 1)]], [[r('x', 1)]]]));
    const engine = oracle(() => 'satisfied');
    const alone = await checkLevels(() => engine, once, { levels: ['cut-isolation'] });
    expect(alone).toMatchObject({ levels: { 'cut-isolation': 'unknown' }, impliedBy: {} });
    const both = await checkLevels(() => engine, once, { levels: ['cut-isolation', 'read-atomic'] });
    expect(both.levels).toEqual({ 'cut-isolation': 'satisfied', 'read-atomic': 'satisfied' });
    expect(both).toMatchObject({ impliedBy: { 'cut-isolation': 'read-atomic' }, whyUnknown: {} });
  });
});
