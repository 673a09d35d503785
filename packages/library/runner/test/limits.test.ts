import { describe, expect, test } from 'vitest';
import type { RunPlace, Progress, RunOptions } from '../src/index.ts';
import { PLACES, runMood, sum } from './support/moody.ts';

/** Tolerance of a limit of time. */
const SLACK_MS = 2000;

describe('the limit of time', () => {
  test.each([
    ['worker', 'busy-in-a-stage'],
    ['process', 'busy-in-a-stage'],
    ['thread', 'ticking'],
    ['worker', 'ticking'],
    ['process', 'ticking'],
    ['thread', 'ticking-asynchronously'],
    ['process', 'ticking-asynchronously'],
    ['thread', 'waiting'],
  ] as const)('the limit of time holds in a %s against a checker that is %s', async (place, mood) => {
    const report = await runMood(mood, place, { budget: { timeMs: 300 } });
    expect(report.verdict).toEqual({
      status: 'unknown',
      reason: 'timeout',
      detail: 'the time limit of 0.3 s has passed',
    });
    expect(report.wallMs).toBeGreaterThanOrEqual(300);
    expect(report.wallMs).toBeLessThan(300 + SLACK_MS);
  });

  test.each(['worker', 'process'] as const)(
    'the limit of time leaves the report of a deaf run in a %s complete',
    async (place) => {
      const report = await runMood('busy-in-a-stage', place, { budget: { timeMs: 100 } });
      expect(report.stages.map(({ name }) => name)).toEqual(['construct', 'solve']);
      expect(report.counters).toEqual({ edges: 7 });
      expect(report.steps).toBe(15);
      expect(sum(report.stages.map(({ ms }) => ms))).toBeCloseTo(report.wallMs, 0);
      expect(report.cpuMs).toBeGreaterThan(0);
      expect(report.peakRssBytes).toBeGreaterThan(10e6);
    },
  );

  test('the limit of time is looked at on the given clock, about once in a millisecond of it', async () => {
    let clock = 1000;
    let looks = 0;
    const now = (): number => {
      looks++;
      return (clock += 0.5);
    };
    const report = await runMood('ticking', 'thread', { budget: { timeMs: 100 }, now });
    expect(report.verdict).toMatchObject({ reason: 'timeout' });
    expect(report.wallMs).toBeCloseTo(101, 0);
    expect(looks).toBeLessThan(250);
  });
});

describe('the limit of steps', () => {
  test.each(PLACES)('the limit of steps is exact in a %s', async (place) => {
    const enough = await runMood('counting-to-1000', place, { budget: { steps: 1000 } });
    expect(enough).toMatchObject({ steps: 1000, verdict: { status: 'satisfied' } });
    const tooFew = await runMood('counting-to-1000', place, { budget: { steps: 999 } });
    expect(tooFew).toMatchObject({ steps: 999, verdict: { status: 'unknown', reason: 'steps' } });
  });

  test.each([
    ['catching-and-guessing', { status: 'unknown', reason: 'steps' }],
    ['wrapping-stop', { status: 'unknown', reason: 'steps' }],
    ['catching-with-evidence', { status: 'violated' }],
  ])('the limit of steps cannot be talked away, but a violation found before counts: %s', async (mood, verdict) => {
    expect((await runMood(mood, 'thread', { budget: { steps: 10 } })).verdict).toMatchObject(verdict);
  });
});

describe('the limit of memory', () => {
  test.each(['allocating-columns', 'allocating-objects'])(
    'the limit of memory holds in a process that is %s',
    async (mood) => {
      const memoryBytes = 250e6;
      const report = await runMood(mood, 'process', { budget: { memoryBytes } });
      expect(report.verdict).toEqual({
        status: 'unknown',
        reason: 'memory',
        detail: 'the memory limit of 250 MB is exceeded',
      });
      expect(report.peakRssBytes).toBeLessThan(2 * memoryBytes);
      expect(sum(report.stages.map(({ ms }) => ms))).toBeCloseTo(report.wallMs, 0);
    },
  );

  test('the limit of memory holds in a worker for the memory of the whole process', async () => {
    const memoryBytes = process.memoryUsage.rss() + 200e6;
    const report = await runMood('allocating-columns', 'worker', { budget: { memoryBytes } });
    expect(report.verdict).toMatchObject({ reason: 'memory' });
  });

  test('the limit of memory does not stop a checker that needs less', async () => {
    const report = await runMood('counting-to-1000', 'process', { budget: { memoryBytes: 500e6, timeMs: 60_000 } });
    expect(report.verdict.status).toBe('satisfied');
    expect(report.peakRssBytes).toBeGreaterThan(10e6);
    expect(report.peakRssBytes).toBeLessThan(300e6);
  });

  test('the limit of memory holds in a thread where the checker ticks', async () => {
    const report = await runMood('ticking', 'thread', { budget: { memoryBytes: 1e6 } });
    expect(report.verdict).toMatchObject({ reason: 'memory', detail: 'the memory limit of 1 MB is exceeded' });
  });

  test('a checker may report its own', async () => {
    const report = await runMood('stopping-itself', 'thread');
    expect(report.verdict).toEqual({ status: 'unknown', reason: 'memory', detail: 'my memory' });
  });
});

describe('aborting', () => {
  test.each<[RunPlace, string]>([
    ['thread', 'ticking-asynchronously'],
    ['thread', 'waiting'],
    ['worker', 'ticking'],
    ['worker', 'busy'],
    ['process', 'ticking'],
    ['process', 'busy'],
  ])('aborting stops a run in a %s that is %s', async (place, mood) => {
    const controller = new AbortController();
    const begin = performance.now();
    setTimeout(() => controller.abort(), 600);
    const report = await runMood(mood, place, { signal: controller.signal });
    expect(report.verdict).toEqual({ status: 'unknown', reason: 'aborted', detail: 'the run was aborted' });
    expect(performance.now() - begin).toBeLessThan(600 + SLACK_MS);
  });

  test.each(PLACES)('beforehand keeps a run in a %s from doing anything', async (place) => {
    const report = await runMood('ticking', place, { signal: AbortSignal.abort() });
    expect(report).toMatchObject({ steps: 0, verdict: { status: 'unknown', reason: 'aborted' } });
  });
});

describe('progress', () => {
  test.each(PLACES)('progress is reported from a %s', async (place) => {
    const told: Progress[] = [];
    await runMood('prepared', place, { onProgress: (progress) => told.push(progress) });
    const inSolve = told.filter(({ stage }) => stage === 'solve');
    expect(inSolve.length).toBeGreaterThan(0);
    expect(inSolve.at(-1)!.steps).toBe(10);
    if (place !== 'thread') expect(inSolve.at(-1)).toMatchObject({ done: 1, total: 2 });
  });
});

test.each<[string, RunOptions['budget']]>([
  ['timeMs', { timeMs: -1 }],
  ['steps', { steps: Number.NaN }],
])('a budget of no sense is refused: %s', async (name, budget) => {
  await expect(runMood('satisfied', 'thread', budget ? { budget } : {})).rejects.toThrow(`budget.${name} is`);
});
