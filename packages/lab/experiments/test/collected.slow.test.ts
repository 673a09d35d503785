// Slow: collects from a PostgreSQL that it starts.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ExperimentFile, readRows } from '../src/index.ts';
import { sha256OfText } from '../src/experiment/checksum.ts';
import { resolveSource, sourceAt } from '../src/experiment/experiment.ts';
import { Histories } from '../src/datasets/histories.ts';
import { Turns } from '../src/measurement/turns.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const collected = (changes: object = {}): ExperimentFile['history'] => ({
  collect: 'postgres@18.4',
  isolation: 'serializable',
  workload: 'mini-transactions',
  set: { keys: 5 },
  sessions: 3,
  transactions: '$x',
  of: 'all sessions',
  seed: 1,
  ...changes,
});
const experiment = (history: ExperimentFile['history'], changes: Partial<ExperimentFile> = {}): ExperimentFile =>
  experimentWith({ grid: { ci: [30], laptop: [30], paper: [30] }, history, ...changes });

const filesIn = (folder: string): string[] => readdirSync(folder).toSorted();

/** Nothing is fetched that was not fetched yet. */
function withoutEngines(folder: string): void {
  vi.stubEnv('ISOLAB_CACHE', join(folder, 'engines'));
  vi.stubEnv('PATH', join(folder, 'empty'));
}

afterEach(() => vi.unstubAllEnvs());

describe('a history that is collected', () => {
  test('a history that is collected has its time, its throughput and its aborts in the row, and is kept with its checksum', async () => {
    const lab = laboratory();
    const grid = { ci: [30, 60], laptop: [30], paper: [30] };
    const { summary } = await lab.run(experiment(collected(), { grid }));
    expect(summary).toMatchObject({ measured: 2, skipped: 0 });
    const rows = readRows(lab.results);
    for (const { x, history, counters, stages, verdict } of rows) {
      expect(verdict).toBe('satisfied');
      expect(history.id).toMatch(/^postgres@18\.4-mini-transactions-[0-9a-f]{12}$/);
      expect(counters['history.committed']).toBe(x);
      expect(counters['history.aborted']).toBeGreaterThanOrEqual(0);
      const seconds = counters['history.generationSeconds']!;
      expect(seconds).toBeGreaterThan(0);
      expect(counters['history.throughput']).toBe(Math.round(Number(x) / seconds));
      expect(stages[0]).toEqual({ name: 'generation', ms: 1000 * seconds });
    }
    const notes = filesIn(join(lab.folder, 'cache', 'collected')).map(
      (name) =>
        JSON.parse(readFileSync(join(lab.folder, 'cache', 'collected', name), 'utf8')) as Record<string, unknown>,
    );
    expect(notes).toHaveLength(2);
    for (const note of notes) {
      expect(note).toMatchObject({ database: 'PostgreSQL 18.4', recipe: { isolation: 'serializable', seed: 1 } });
      expect(filesIn(join(lab.folder, 'cache', 'histories'))).toContain(`${String(note['sha256'])}.jsonl`);
    }
  });

  test('a history that is collected ends after its seconds', async () => {
    const lab = laboratory();
    const { transactions: _, of: __, ...rest } = collected() as unknown as Record<string, unknown>;
    await lab.run(experiment({ ...rest, seconds: 0.4 } as unknown as ExperimentFile['history']));
    const [row] = readRows(lab.results);
    expect(row!.counters['history.committed']).toBeGreaterThan(0);
    expect(row!.counters['history.generationSeconds']).toBeGreaterThan(0.4);
    expect(row!.counters['history.generationSeconds']).toBeLessThan(5);
  });

  test('a history that is collected is taken again from the kept files, unless it is to be collected again, or its file is damaged', async () => {
    const lab = laboratory();
    const idAfter = async (options = {}): Promise<string> => {
      await lab.run(experiment(collected()), { fresh: true, ...options });
      return readRows(lab.results).at(-1)!.history.id;
    };
    const first = await idAfter();
    expect(await idAfter()).toBe(first);
    expect((await lab.run(experiment(collected()))).summary).toMatchObject({ measured: 0, reused: 1 });
    const second = await idAfter({ freshHistories: true });
    expect(second).not.toBe(first);
    const path = join(lab.folder, 'cache', 'histories');
    for (const name of filesIn(path)) writeFileSync(join(path, name), '{"isolab":1}\n');
    expect([first, second]).not.toContain(await idAfter());
  });

  test('a history that is collected is verified without its database where its note and its file are', async () => {
    const lab = laboratory();
    await lab.run(experiment(collected()));
    const [first] = readRows(lab.results);
    // Records a collection from a release that is unavailable here.
    const notes = join(lab.folder, 'cache', 'collected');
    const note = JSON.parse(readFileSync(join(notes, filesIn(notes)[0]!), 'utf8')) as { recipe: object };
    const recipe = { ...note.recipe, database: 'postgres@12.3' };
    writeFileSync(join(notes, `${sha256OfText(JSON.stringify(recipe))}.json`), JSON.stringify({ ...note, recipe }));
    withoutEngines(lab.folder);
    const { summary } = await lab.run(experiment(collected({ collect: 'postgres@12.3' })), { fresh: true });
    expect(summary).toMatchObject({ measured: 1, skipped: 0 });
    const row = readRows(lab.results).at(-1)!;
    expect(row.history.id.slice(-12)).toBe(first!.history.id.slice(-12));
    expect(row.counters['history.generationSeconds']).toBe(first!.counters['history.generationSeconds']);
  });

  test('a history that is collected leaves a gap that says why where the database cannot be had, once for all cells', async () => {
    const lab = laboratory();
    withoutEngines(lab.folder);
    const grid = { ci: [30, 60], laptop: [30], paper: [30] };
    const { summary } = await lab.run(experiment(collected({ collect: 'postgres@12.3' }), { grid }));
    expect(summary).toMatchObject({ measured: 0, skipped: 2, problems: [] });
    for (const row of readRows(lab.results)) {
      expect(row.verdict).toBe('skipped');
      expect(row.reason).toMatch(/^not collected: postgres@12\.3 (is fetched|isolab gets|needs)/);
    }
  });
});

test('nothing is collected where several machines share the work', async () => {
  const lab = laboratory();
  const { history, series } = experiment(collected(), {});
  const source = sourceAt(experiment(history), series[0]!, 30, 'ci', 0);
  expect(await new Histories(lab.folder, lab.datasets(), null).find(source)).toMatchObject({
    reason: 'histories of databases are collected on the measuring machine; run this experiment without --queue',
  });
});

describe('the origin of a history', () => {
  const at = (history: object | undefined, x = 30) => {
    const series = { name: 'one', checker: 'quick', ...(history && { history }) };
    return sourceAt(experiment(collected(), { series: [series] }), series, x, 'ci', 2);
  };

  test('a collection has its fields at the point, the seed of the repeat, and the transactions of each session', () => {
    expect(at(undefined, 31)).toEqual({
      kind: 'collected',
      database: 'postgres@18.4',
      isolation: 'serializable',
      workload: 'mini-transactions',
      set: { keys: '5' },
      sessions: 3,
      transactions: 11,
      seconds: null,
      filled: false,
      seed: 3,
      retry: false,
    });
  });

  test('a series changes fields of it, or takes a simulation in its place', () => {
    expect(at({ isolation: 'repeatable read' })).toMatchObject({ kind: 'collected', isolation: 'repeatable read' });
    const simulation = { workload: 'general', sessions: 2, transactions: 4, level: 'serializable', seed: 1 };
    expect(at(simulation)).toMatchObject({ kind: 'simulated', sessions: 2, set: {} });
  });

  test('points may have one each', () => {
    const points = { points: { 7: collected({ transactions: 9 }) }, others: { dataset: 'six/$x' } } as never;
    expect(resolveSource(points, 7, 'ci', 0, 'here')).toMatchObject({ kind: 'collected', transactions: 3 });
    expect(resolveSource(points, 8, 'ci', 0, 'here')).toEqual({ kind: 'dataset', id: 'six/8' });
    expect(() => resolveSource({ points: { 7: { dataset: 'a' } } }, 8, 'ci', 0, 'here')).toThrow(
      'here has no history at x = 8; the points with a history are 7.',
    );
  });

  test('nothing is collected for ever', () => {
    const { transactions: _, ...endless } = collected() as unknown as Record<string, unknown>;
    expect(() => resolveSource(endless as never, 7, 'ci', 0, 'here')).toThrow('here: the collection has no end');
  });
});

test('a collection runs alone, and measurements side by side', async () => {
  const turns = new Turns();
  let measuring = 0;
  let collecting = 0;
  let most = 0;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
  const measure = async (): Promise<void> => {
    most = Math.max(most, ++measuring);
    expect(collecting).toBe(0);
    await pause();
    measuring--;
  };
  const collect = async (): Promise<void> => {
    expect([measuring, ++collecting]).toEqual([0, 1]);
    await pause();
    collecting--;
  };
  const worker = async (alone: number): Promise<void> => {
    for (let i = 0; i < 12; i++) await (i % 4 === alone ? turns.alone(collect) : turns.together(measure));
  };
  await Promise.all([0, 1, 2, 3].map(worker));
  expect(most).toBeGreaterThan(1);
  await expect(turns.alone(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await turns.together(measure); // continues after a failure
});
