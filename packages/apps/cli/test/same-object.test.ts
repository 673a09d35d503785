import { statSync } from 'node:fs';
import { type LevelWord, check, jsonOf, open } from 'isolab';
import { exampleHistories, realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

/** A comparison of the page's worker is in the tests of the playground. */
const LARGEST = 300_000;

const inRepository = exampleHistories();
const elsewhere = realHistories<{ location: string; bytes: number }>()
  .filter(({ bytes }) => bytes > 0 && bytes < LARGEST)
  .map(({ location }) => realHistory(location));

describe('the command line prints the object of the library', () => {
  test.each(inRepository)('%s', printsTheSame);

  describe('real histories', unless('datasets'), () => {
    test('many real histories are found', () => expect(elsewhere.length).toBeGreaterThan(100));
    test.each(elsewhere)('%s', printsTheSame);
  });

  async function printsTheSame(path: string): Promise<void> {
    const input = await open(path).catch(() => null);
    if (input === null) return; // meant to be refused
    // Steps end a run in the same place for every caller; the rest is quick.
    const level: readonly LevelWord[] = statSync(path).size < SMALL ? ['all'] : ['read-committed', 'causal'];
    const budget = { steps: STEPS, certify: level[0] === 'all' };
    const { out } = await isolab('check', path, '--level', level.join(), '--steps', String(STEPS), '--output', 'json');
    const result = await check(input, { level, ...budget }).catch(() => null);
    if (result === null) expect(out).toContain('"error"');
    else expect(timeless(JSON.parse(out))).toEqual(timeless(JSON.parse(JSON.stringify(jsonOf(result)))));
  }
});

/** The output without fields that differ from run to run. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (TIMES.has(name) ? [] : [[name, timeless(part)]])),
  );
}

const TIMES: ReadonlySet<string> = new Set(['ms', 'parseMs', 'wallMs', 'cpuMs', 'startMs', 'peakRssBytes']);
const STEPS = 20_000;
const SMALL = 20_000;
