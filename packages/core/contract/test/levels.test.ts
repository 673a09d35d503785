import { INTERNAL_ANOMALIES } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import {
  KNOWN_LEVELS,
  LEVELS,
  MISLEADING_NAMES,
  type UserLevel,
  findLevel,
  implies,
  inRegistryOrder,
  levelNamed,
  levelOrderBreaks,
  levelsForbidding,
} from '../src/index.ts';

describe('the levels', () => {
  test('the levels come after the levels that they imply', () => {
    LEVELS.forEach((level, at) => {
      for (const weaker of level.implies) expect(LEVELS.findIndex(({ name }) => name === weaker)).toBeLessThan(at);
    });
  });

  test('the levels imply one another as stated by all levels', () => {
    const impliedBy = (name: string): string[] =>
      LEVELS.find((level) => level.name === name)!.implies.flatMap((weaker) => [weaker, ...impliedBy(weaker)]);
    for (const { name: strong } of LEVELS)
      for (const { name: weak } of LEVELS)
        expect(implies(strong, weak)).toBe(strong === weak || impliedBy(strong).includes(weak));
  });

  test('the levels of users come after those of isolab', () => {
    const mine = 'mine' as UserLevel;
    expect(inRegistryOrder([mine, 'serializable', 'causal'])).toEqual(['causal', 'serializable', 'mine']);
    expect(implies(mine, mine)).toBe(true);
    expect(implies('serializable', mine)).toBe(false);
    expect(levelNamed(mine).title).toBe('mine');
  });

  test('the levels have names and aliases that are all different', () => {
    const words = [
      ...KNOWN_LEVELS.flatMap(({ name, aliases }) => [name, ...aliases]),
      ...MISLEADING_NAMES.map(({ name }) => name),
    ];
    expect(new Set(words).size).toBe(words.length);
  });

  test.each([
    ['strict-serializable', 'read-committed-pl2', true],
    ['serializable', 'snapshot-isolation', true],
    ['plain-serializable', 'snapshot-isolation', false],
    ['snapshot-isolation', 'prefix', true],
    ['adya-snapshot-isolation', 'read-committed', false],
    ['read-atomic', 'cut-isolation', true],
    ['read-committed', 'cut-isolation', false],
    ['causal', 'causal', true],
  ] as const)('%s implies %s: %s', (strong, weak, expected) => {
    expect(implies(strong, weak)).toBe(expected);
  });

  test.each([
    ['SI', 'snapshot-isolation'],
    ['Read Committed', 'read-committed'],
    ['strict_serializable', 'strict-serializable'],
    ['PL-3', 'plain-serializable'],
    ['tcc', 'causal'],
    ['PSI', 'parallel-snapshot-isolation'],
    ['PL-2+', 'consistent-view'],
  ])('%s means %s', (word, name) => {
    expect(findLevel(word)).toMatchObject({ level: { name }, warning: null });
  });

  test('a misleading name has a warning, and an unknown word has no level', () => {
    expect(findLevel('rr')?.warning).toContain('PL-2.99');
    expect(findLevel('eventual')).toBeNull();
  });
});

test.each(INTERNAL_ANOMALIES)('an anomaly that %s forbids is forbidden at all stronger levels', (anomaly) => {
  const forbidding = levelsForbidding(anomaly);
  const stronger = KNOWN_LEVELS.filter(({ name }) => forbidding.some((weak) => implies(name, weak))).map(
    ({ name }) => name,
  );
  expect(stronger).toEqual(forbidding);
});

describe('verdicts that contradict implications', () => {
  test('verdicts that contradict implications are satisfied at a level and violated at a weaker level', () => {
    expect(levelOrderBreaks({ serializable: 'satisfied', prefix: 'violated', causal: 'violated' })).toEqual([
      { satisfied: 'serializable', violated: 'causal' },
      { satisfied: 'serializable', violated: 'prefix' },
    ]);
  });

  test('verdicts that contradict implications are known, and the levels imply one another', () => {
    expect(levelOrderBreaks({})).toEqual([]);
    expect(levelOrderBreaks({ serializable: 'satisfied', causal: 'unknown' })).toEqual([]);
    expect(levelOrderBreaks({ serializable: 'violated', causal: 'satisfied' })).toEqual([]);
    expect(levelOrderBreaks({ 'plain-serializable': 'satisfied', prefix: 'violated' })).toEqual([]);
  });
});
