// Each anomaly and level is explained by a history that shows it, and by no other.
import { ALL_ANOMALIES, type AnomalyName, KNOWN_LEVELS, definitionOf, weakestForbidding } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { decideDefinition } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { check, open } from '../src/index.ts';
import { VERDICT_WORDS, explainable, explained } from '../src/levels.ts';

const WITHOUT_HISTORY: readonly AnomalyName[] = ['cyclic-polygraph', 'forbidden-walk'];

describe('an anomaly', () => {
  test.each(ALL_ANOMALIES.map(({ name }) => name))('%s has a history that shows it', async (name) => {
    const { history, levels, remedy } = explained(name)!;
    expect(remedy).toMatch(/^[A-Z].*\.$/);
    expect(history === null).toBe(WITHOUT_HISTORY.includes(name));
    if (history === null) return;
    const input = await open({ text: history }, { format: 'notation' });
    const found = await Promise.all(
      [...levels, 'all' as const].map(async (level) => {
        const { verdict, anomalies } = await check(input, { level, allowVacuous: true });
        // Linearizability is unknown for scans.
        if (level !== 'all') expect(['violated', ...(history.includes('(t') ? ['unknown'] : [])]).toContain(verdict);
        return anomalies.map((each) => each.name);
      }),
    );
    expect(found.flat()).toContain(name);
    for (const level of weakestForbidding(name)) expect(levels).toContain(level);
  });

  test.each(['P4', 'write skew', 'Read_Skew', 'dirty-read', 'LONG-FORK'])('an anomaly has the name %s', (word) => {
    expect(explained(word)?.kind).toBe('anomaly');
  });
});

test.each(KNOWN_LEVELS.map(({ name }) => name))('the history of the level %s violates it, not a weaker one', (name) => {
  const { history, levels } = explained(name)!;
  expect(history === null).toBe(levels.length === 0);
  if (history === null) return;
  const satisfies = (level: string): boolean =>
    decideDefinition(parseNotation(history), definitionOf(level)!).satisfied;
  expect(satisfies(name)).toBe(false);
  expect(levels.filter(satisfies).length).toBeGreaterThan(0);
});

test.each(Object.keys(VERDICT_WORDS))('the word %s of a verdict has a meaning and a remedy', (word) => {
  const { kind, title, remedy } = explained(word)!;
  expect(kind).toBe('verdict');
  expect(title).toMatch(/^[a-z].*\.$/s);
  expect(remedy).toMatch(/^.+\.$/s);
  expect(explainable()).toContain(word);
});

test('the databases that forbid an anomaly are those whose claims imply it', () => {
  const release = (claims: 'prefix' | 'serializable') => ({
    name: claims,
    title: claims,
    isolations: [{ name: 'x', claims }],
  });
  expect(explained('lost-update', [release('prefix'), release('serializable')])!.databases).toEqual([
    { database: 'prefix', forbid: [], allow: ['x'] },
    { database: 'serializable', forbid: ['x'], allow: [] },
  ]);
  expect(explained('no such name')).toBeNull();
});
