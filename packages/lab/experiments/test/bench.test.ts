import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { sha256OfText } from '../src/experiment/checksum.ts';
import { type Dataset, type ExperimentFile, latestRows, readRows } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

test('isolab bench measures every cell and writes a row for each', async () => {
  const lab = laboratory();
  const { summary } = await lab.run(experimentWith());
  expect(summary).toEqual({ measured: 2, reused: 0, skipped: 0, unknown: 0, problems: [], interrupted: false });
  const rows = readRows(lab.results);
  expect(rows.map(({ x, verdict }) => [x, verdict]).toSorted()).toEqual([
    [2, 'satisfied'],
    [3, 'satisfied'],
  ]);
  for (const row of rows) {
    expect(row).toMatchObject({
      experiment: 'test/small',
      series: 'Quick',
      checker: 'quick',
      certificate: 'not asked',
    });
    expect(row.wallMs).toBeGreaterThan(0);
    expect(row.peakRssBytes).toBeGreaterThan(1e7);
    expect(row.stages.map(({ name }) => name)).toContain('construct');
    expect(row.counters['operations']).toBe(row.history.operations);
    expect(row.counters['history.committed']).toBeGreaterThan(0);
    expect(row.run).toMatchObject({ scale: 'ci', node: process.version });
  }
});

test('isolab bench does not run a cell again whose key has not changed, unless asked', async () => {
  const lab = laboratory();
  const one = experimentWith({ grid: { ci: [2], laptop: [2], paper: [2] } });
  await lab.run(one);
  expect((await lab.run(one)).summary).toMatchObject({ measured: 0, reused: 1 });
  expect(readRows(lab.results)).toHaveLength(1);
  const other = { seconds: 4, megabytes: 500 };
  expect((await lab.run(one, { limits: other })).summary).toMatchObject({ measured: 1, reused: 0 });
  expect((await lab.run(one, { fresh: true })).summary).toMatchObject({ measured: 1, reused: 0 });
  expect(readRows(lab.results)).toHaveLength(3);
  expect(latestRows(readRows(lab.results))).toHaveLength(1);
});

test('isolab bench measures all series of a point again if one of them is new, and says so', async () => {
  const lab = laboratory();
  const grid = { ci: [2, 3], laptop: [2], paper: [2] };
  const plain = [{ name: 'one', checker: 'quick' }];
  await lab.run(experimentWith({ grid, series: plain }));
  const two = experimentWith({ grid, series: [...plain, { name: 'tool', checker: 'tool:accepting' }] });
  const { summary, events } = await lab.run(two);
  expect(summary).toMatchObject({ measured: 4, reused: 0 });
  expect(events.filter(({ kind }) => kind === 'note')).toHaveLength(2);
  for (const x of grid.ci) {
    const rows = latestRows(readRows(lab.results)).filter((row) => row.x === x);
    expect(new Set(rows.map(({ run }) => run.together)).size).toBe(1);
  }
  expect((await lab.run(two)).summary).toMatchObject({ measured: 0, reused: 4 });
  expect((await lab.run(two, { resume: true })).summary).toMatchObject({ measured: 0, reused: 4 });
});

test('isolab bench tries a crash again alone', async () => {
  const lab = laboratory();
  const series = [
    { name: 'one', checker: 'quick' },
    { name: 'crashing', checker: 'tool:crashing' },
  ];
  const both = experimentWith({ grid: { ci: [2], laptop: [2], paper: [2] }, series });
  await lab.run(both);
  expect((await lab.run(both)).summary).toMatchObject({ measured: 1, reused: 1 });
});

test('isolab bench shares its measurements with another experiment on the same histories', async () => {
  const lab = laboratory();
  await lab.run(experimentWith());
  const { summary } = await lab.run(
    experimentWith({ id: 'test/memory', y: { label: 'memory', scale: 'log', metric: 'peakRssBytes' } }),
  );
  expect(summary).toMatchObject({ measured: 0, reused: 2 });
  const [time, memory] = ['test/small', 'test/memory'].map((id) =>
    readRows(lab.results).filter((row) => row.experiment === id),
  );
  expect(memory!.map(({ key }) => key).toSorted()).toEqual(time!.map(({ key }) => key).toSorted());
});

test('resuming keeps measurements under other limits, and survives a line that was cut off', async () => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid: { ci: [2], laptop: [2], paper: [2] } }));
  appendFileSync(lab.results, '{"experiment":"test/sm');
  const { summary } = await lab.run(experimentWith(), { resume: true, limits: { seconds: 4 } });
  expect(summary).toMatchObject({ measured: 1, reused: 1 });
  expect(readRows(lab.results)).toHaveLength(2);
});

test('a timeout is a row, and other cells continue', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Slow', checker: 'quick', options: { says: 'nothing' } },
    { name: 'Quick', checker: 'quick' },
  ];
  const { summary } = await lab.run(experimentWith({ series, grid: { ci: [2], laptop: [2], paper: [2] } }), {
    limits: { seconds: 0.3 },
  });
  expect(summary).toMatchObject({ measured: 2, unknown: 1 });
  const slow = readRows(lab.results).find((row) => row.series === 'Slow');
  expect(slow).toMatchObject({ verdict: 'unknown', reason: 'timeout' });
  expect(slow!.wallMs).toBeGreaterThan(250);
});

test('a series that is out of time is not run on harder histories, and the rows there say so', async () => {
  const lab = laboratory();
  const grid = { ci: [2, 3, 4], laptop: [2], paper: [2] };
  const series = [
    { name: 'Slow', checker: 'quick', options: { says: 'nothing' } },
    { name: 'Quick', checker: 'quick' },
  ];
  const growing = experimentWith({ series, grid, x: { label: 'sessions', scale: 'linear', grows: true } });
  const limits = { seconds: 0.3 };
  const run = async (experiment = growing) => {
    const { summary } = await lab.run(experiment, { limits });
    const rows = latestRows(readRows(lab.results)).filter((row) => row.series === 'Slow');
    return { summary, reasons: rows.toSorted((a, b) => Number(a.x) - Number(b.x)).map(({ reason }) => reason), rows };
  };
  const first = await run();
  expect(first.reasons).toEqual(['timeout', 'timeout at 2', 'timeout at 2']);
  const [ran, , last] = [2, 3, 4].map((x) => first.rows.find((row) => row.x === x)!);
  expect(last).toMatchObject({ verdict: 'unknown', wallMs: null, certificate: 'none' });
  expect(last!.peakRssBytes).toBe(ran!.peakRssBytes); // the least that it would have needed
  // The rows count as results: nothing is done again.
  expect((await run()).summary).toMatchObject({ measured: 0, reused: 6 });
  // A run that continues after a cut knows which series was out of time before it.
  const kept = readRows(lab.results).filter((row) => row.series !== 'Slow' || row.x === 2);
  writeFileSync(lab.results, kept.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { summary } = await lab.run(growing, { limits, resume: true });
  expect(summary).toMatchObject({ measured: 2, reused: 4 });
  const resumed = latestRows(readRows(lab.results)).filter(({ series: name }) => name === 'Slow');
  expect(resumed.filter(({ reason }) => reason === 'timeout at 2')).toHaveLength(2);
  // Where histories do not become harder, each is tried.
  rmSync(lab.results);
  const flat = experimentWith({ series, grid });
  expect((await run(flat)).reasons).toEqual(['timeout', 'timeout', 'timeout']);
});

test('a series that is out of time on one history of a point is not run on its others', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Slow', checker: 'quick', options: { says: 'nothing' } },
    { name: 'Quick', checker: 'quick' },
  ];
  const twice = { ci: 2, laptop: 2, paper: 2 };
  const grid = { ci: [2, 3], laptop: [2], paper: [2] };
  const reasons = async (x: Pick<ExperimentFile['x'], 'grows'>): Promise<(string | null)[]> => {
    rmSync(lab.results, { force: true });
    const experiment = experimentWith({
      series,
      grid,
      repeats: twice,
      x: { label: 'sessions', scale: 'linear', ...x },
    });
    await lab.run(experiment, { limits: { seconds: 0.3 } });
    const slow = readRows(lab.results).filter((row) => row.series === 'Slow');
    return slow.toSorted((a, b) => a.repeat - b.repeat || Number(a.x) - Number(b.x)).map(({ reason }) => reason);
  };
  expect(await reasons({})).toEqual(['timeout', 'timeout', 'timeout at 2', 'timeout at 3']);
  expect(await reasons({ grows: true })).toEqual(['timeout', 'timeout at 2', 'timeout at 2', 'timeout at 2']);
});

test('isolab bench stops an experiment in which checkers disagree, and keeps the history', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Yes', checker: 'quick' },
    { name: 'No', checker: 'quick', variant: 'contrary' },
  ];
  const { summary, events } = await lab.run(experimentWith({ series }));
  expect(summary.problems).toMatchObject([
    { kind: 'disagreement', level: 'serializable', satisfied: 'Yes (quick)', violated: 'No (quick, contrary)' },
  ]);
  expect(summary.measured).toBe(2);
  const { readDocumentAt } = await import('@isolab/formats');
  expect(await readDocumentAt(summary.problems[0]!.path)).toMatchObject({ kind: 'history' });
  expect(events.map(({ kind }) => kind)).toContain('problem');
});

test('a known miss of a published tool is no disagreement', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Yes', checker: 'quick' },
    { name: 'Published', checker: 'quick', variant: 'as-published' },
    { name: 'Told', checker: 'quick', variant: 'contrary', trusted: false },
    { name: 'Elsewhere', checker: 'quick', variant: 'contrary', level: 'causal' },
  ];
  const { summary } = await lab.run(experimentWith({ series, grid: { ci: [2], laptop: [2], paper: [2] } }));
  expect(summary).toMatchObject({ measured: 4, problems: [] });
});

test('a certificate that proves nothing stops the experiment', async () => {
  const { summary } = await laboratory().run(experimentWith(), { verify: true });
  expect(summary.problems).toMatchObject([{ kind: 'rejected certificate', series: 'Quick' }]);
});

test('a missing tool is skipped, and reported', async () => {
  const lab = laboratory();
  const grid = { ci: [2], laptop: [2], paper: [2] };
  const series = [
    { name: 'Checker', checker: 'nowhere' },
    { name: 'Variant', checker: 'quick', variant: 'none' },
    { name: 'Level', checker: 'quick', level: 'prefix' },
    { name: 'Dataset', checker: 'quick', history: { dataset: 'not/here' } },
  ];
  const { summary } = await lab.run(experimentWith({ series, grid }));
  expect(summary).toMatchObject({ measured: 0, skipped: 4 });
  const reasons = Object.fromEntries(
    readRows(lab.results).map(({ series: name, reason, verdict }) => [name, `${verdict}: ${reason}`]),
  );
  expect(reasons['Checker']).toMatch(/^skipped: absent checker/);
  expect(reasons['Variant']).toBe('skipped: absent variant: quick has no variant none');
  expect(reasons['Level']).toBe('skipped: absent level: quick does not check prefix');
  expect(reasons['Dataset']).toContain('isolab list datasets');
  await lab.run(experimentWith({ series, grid }));
  expect(readRows(lab.results)).toHaveLength(4);
});

test('a history that cannot be read is skipped, and the next one is checked', async () => {
  const lab = laboratory();
  const names = ['empty', 'fine'];
  const text = { empty: '', fine: 'w(0,1,0,0)\n' };
  mkdirSync(join(lab.folder, 'datasets'));
  const entries = names.map((name) => {
    const content = text[name as keyof typeof text];
    writeFileSync(join(lab.folder, 'datasets', name), content);
    return datasetOf(name, content);
  });
  const grid = { ci: names, laptop: names, paper: names };
  const experiment = experimentWith({ grid, history: { dataset: '$x' }, x: { label: 'history', scale: 'category' } });
  const { summary } = await lab.run(experiment, { datasets: lab.datasets(entries) });
  expect(summary).toMatchObject({ measured: 1, skipped: 1, problems: [] });
  const row = readRows(lab.results).find(({ x }) => x === 'empty');
  expect(row!.reason).toMatch(/^unreadable: empty: /);
});

test('an interruption ends the run and keeps its measurements', async () => {
  const lab = laboratory();
  const abort = new AbortController();
  const { summary } = await lab.run(experimentWith({ grid: { ci: [2, 3, 4], laptop: [2], paper: [2] } }), {
    signal: abort.signal,
    onEvent: ({ kind }) => kind === 'row' && abort.abort(),
  });
  expect(summary).toMatchObject({ measured: 1, interrupted: true });
  expect(readRows(lab.results)).toHaveLength(1);
});

test('several cells may run at once', async () => {
  const lab = laboratory();
  const { summary } = await lab.run(experimentWith({ grid: { ci: [2, 3, 4], laptop: [2], paper: [2] } }), { jobs: 3 });
  expect(summary.measured).toBe(3);
  expect(new Set(readRows(lab.results).map(({ x }) => x)).size).toBe(3);
});

const datasetOf = (id: string, content: string): Dataset => ({
  id,
  title: id,
  format: 'text',
  sha256: sha256OfText(content),
  bytes: content.length,
  sizes: null,
  database: null,
  figure: null,
  source: { kind: 'committed', path: id },
  expected: [],
});

test('two at a time do not write one file; files of a dead one do not stop another', async () => {
  const lab = laboratory();
  const abort = new AbortController();
  const first = lab.run(experimentWith(), { signal: abort.signal, onEvent: () => {} });
  await expect(lab.run(experimentWith())).rejects.toThrow(
    `Another isolab bench (process ${process.pid}) is writing ${lab.results}.`,
  );
  await first;
  writeFileSync(
    `${lab.results}.lock`,
    JSON.stringify({ pid: 2 ** 22 - 1, started: null, host: hostname(), boot: null }),
  );
  expect((await lab.run(experimentWith())).summary).toMatchObject({ reused: 2 });
  expect(existsSync(`${lab.results}.lock`)).toBe(false);
});
