import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BenchOptions, type ResultRow, type Tools, readRows, readTools } from '../src/index.ts';
import { WrapperReader } from '../src/measurement/wrapper.ts';
import { experimentWith, fixture, laboratory } from './support/laboratory.ts';

const grid = { ci: [2], laptop: [2], paper: [2] };
const ignores = ['key-names', 'session-names', 'transaction-names', 'aborted-transactions', 'times', 'database-name'];

const wrapper = (word: string): Tools => ({
  [word]: {
    command: [fixture('wrapper.sh'), word],
    protocol: 'json-lines',
    format: 'text',
    levels: { serializable: 'ser' },
    ignores: [...ignores, 'transaction-order'],
  },
});

async function rowOf(word: string, options: Partial<BenchOptions> = {}) {
  const lab = laboratory();
  const series = [{ name: word, checker: `tool:${word}` }];
  const { events } = await lab.run(experimentWith({ grid, series }), { tools: wrapper(word), ...options });
  return { row: readRows(lab.results)[0] as ResultRow, events };
}

describe('a wrapper that keeps to the protocol', () => {
  test('a wrapper that keeps to the protocol gives its verdict with its statistics of the run', async () => {
    const { row, events } = await rowOf('accepting');
    expect(row).toMatchObject({ verdict: 'satisfied', reason: null, fromFileMs: 1, peakRssBytes: 400_000_000 });
    expect(row.stages).toEqual([
      { name: 'build', ms: 0.5 },
      { name: 'solve', ms: 0.5 },
    ]);
    expect(row.wallMs).toBeGreaterThan(1);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'progress', progress: expect.objectContaining({ stage: 'solve', total: 2 }) }),
    );
  });

  test('a wrapper that keeps to the protocol need not end its line, nor give more than the verdict', async () => {
    const { row } = await rowOf('rejecting');
    expect(row).toMatchObject({ verdict: 'violated', reason: null, stages: [] });
    expect(row).not.toHaveProperty('fromFileMs');
  });

  test('a wrapper that keeps to the protocol is asked for the history, its format and the level', async () => {
    expect((await rowOf('asked')).row).toMatchObject({ verdict: 'satisfied', reason: null });
  });

  test('a wrapper that keeps to the protocol may have no verdict, but no limit of its own', async () => {
    expect((await rowOf('undecided')).row).toMatchObject({ verdict: 'unknown', reason: 'undecided: too many values' });
  });
});

test('a wrapper that accepts a violated history is not trusted', async () => {
  const { row } = await rowOf('blind');
  expect(row).toMatchObject({
    verdict: 'skipped',
    reason: 'not trusted: blind does not reject a small history that violates serializable: it is satisfied',
    wallMs: null,
  });
});

describe('any other behaviour of a wrapper is no verdict', () => {
  test.each([
    ['silent', /^crashed: silent ended with exit code 0 and no answer: it printed nothing$/],
    ['garbage', /^crashed: garbage, line 1 is not a JSON object: verdict: satisfied$/],
    ['crashed', /^crashed: crashed ended with exit code 2 and an answer: panic: index out of range$/],
    ['killed', /^crashed: a signal ended killed$/],
    ['twice', /^crashed: twice, line 2 follows the verdict, which must come last/],
    ['contradicting', /^crashed: contradicting, line 1 has two verdicts/],
    ['talking', /^crashed: talking, line 2 follows the verdict.*: DONE$/],
    ['misspelt', /^crashed: misspelt, line 1 has "stage", expected only verdict, reason, seconds, stages, peakBytes/],
    ['unsure', /^crashed: unsure, line 1 has a verdict that is not satisfied, violated or unknown/],
    ['unreasoned', /^crashed: unreasoned, line 1 has no reason for the missing verdict/],
    ['ahead', /^crashed: ahead reports 3600 s in a run of 0\.\d+ s$/],
    ['backwards', /^crashed: backwards, line 1 has "stages" that is not a number of at least 0/],
    ['greedy', /^memory$/],
    ['flooding', /^crashed: flooding, line 1 has "progress" without a stage/],
    ['endless', /^crashed: endless, line 1 is longer than 100000 characters$/],
  ])('%s', async (word, reason) => {
    const { row } = await rowOf(word);
    expect(row.verdict).toBe('unknown');
    expect(row.reason).toMatch(reason);
  });

  test.each([
    ['hanging', 'timeout'],
    // It was in time: that it does not end is no bound on the time of its answer.
    ['staying', 'crashed: staying answered but did not end'],
    // A process that left its group holds its output open, and is not waited for.
    ['leaving', 'crashed: leaving answered but did not end'],
  ])('%s, which the limit ends', async (word, reason) => {
    const { row } = await rowOf(word, { limits: { seconds: 0.5 } });
    expect(row).toMatchObject({ verdict: 'unknown', reason });
    expect(row.wallMs).toBeLessThan(2500);
  });
});

test('pieces of lines are put together', () => {
  const reader = new WrapperReader();
  for (const piece of '{"progress":{"stage":"read"}}\n{"verdict":"violated","reason":"G1c"}\n')
    expect(reader.take(piece)).toBe(true);
  reader.end();
  expect(reader.answer).toEqual({ verdict: 'violated', reason: 'G1c' });
});

test('an entry with another protocol, or with patterns besides, is refused', () => {
  const path = join(laboratory().folder, 'tools.json');
  const entry = wrapper('accepting')['accepting']!;
  const read = (changes: object) => {
    writeFileSync(path, JSON.stringify({ own: { ...entry, ...changes } }));
    return () => readTools([path], '');
  };
  expect(read({})).not.toThrow();
  expect(read({ protocol: 'yaml' })).toThrow(/own: "protocol" is "yaml", expected "json-lines" and no "verdict"/);
  expect(read({ verdict: { satisfied: { output: 'yes' }, violated: { output: 'no' } } })).toThrow(/no "verdict"/);
});
