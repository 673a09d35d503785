import { describe, expect, test } from 'vitest';
import { experimentPage } from '../src/report/experiment-page.ts';
import type { Measurement } from '../src/results/results.ts';
import { experiment, outcome, row, rows, timedOut } from './experiments.ts';

describe('faster', () => {
  const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 2, at: 'all' };

  test('faster holds with the ratios', () => {
    expect(outcome(faster)).toMatchObject({
      outcome: 'holds',
      detail: 'at 5 4× (0.5 s and 2 s); at 15 ≥ 6.7× (1.5 s and ≥ 10 s); 2× required',
    });
  });

  test('faster fails at one point, and where only the faster one ran out of time', () => {
    expect(outcome({ ...faster, factor: 5 }).outcome).toBe('fails');
    expect(outcome({ ...faster, factor: 5 }).detail).toBe('at 5 4× (0.5 s and 2 s); 5× required');
    expect(outcome({ ...faster, series: 'dbcop', than: 'PolySI', at: 15 }).outcome).toBe('fails');
  });

  test('faster is not decided by a limit: the slower one may have needed more', () => {
    expect(outcome({ ...faster, factor: 7, at: 15 })).toMatchObject({ outcome: 'not measured' });
    expect(outcome({ ...faster, at: 'last' }, [timedOut('PolySI', 15), timedOut('dbcop', 15)]).outcome).toBe(
      'not measured',
    );
  });

  test('faster takes facts of the histories from runs that gave up, too', () => {
    const generation = { ...faster, metric: { counter: 'history.generationSeconds' } };
    const made = (series: string, seconds: number) =>
      row(series, 5, 1, {
        verdict: 'unknown',
        reason: 'incomplete: undecided',
        counters: { 'history.generationSeconds': seconds },
      });
    expect(outcome(generation, [made('PolySI', 1), made('dbcop', 3)]).outcome).toBe('holds');
    expect(outcome(generation, [made('PolySI', 2), made('dbcop', 3)]).outcome).toBe('fails');
    expect(outcome(faster, [made('PolySI', 1), made('dbcop', 3)]).outcome).toBe('not measured');
  });

  test('faster is not measured without both series, and ignores skipped runs', () => {
    expect(outcome({ ...faster, than: 'nobody' }).outcome).toBe('not measured');
    expect(
      outcome(faster, [row('PolySI', 5, 1), row('dbcop', 5, 1, { verdict: 'skipped', reason: 'absent tool' })]).outcome,
    ).toBe('not measured');
    expect(
      outcome(
        faster,
        rows.map((one) => ({ ...one, experiment: 'other' })),
      ).outcome,
    ).toBe('not measured');
  });

  test('faster takes the last x that both have, and one x by number or name', () => {
    expect(outcome({ ...faster, at: 'last' }).detail).toContain('at 15');
    expect(outcome({ ...faster, at: '5' }).detail).toContain('at 5');
  });

  test('faster takes the median of repeats, where one that was ended counts as the limit', () => {
    const repeats = [row('PolySI', 5, 1), row('dbcop', 5, 2), timedOut('dbcop', 5, { repeat: 1 })];
    expect(outcome({ ...faster, factor: 6 }, repeats)).toMatchObject({
      outcome: 'holds',
      detail: 'at 5 ≥ 6× (1 s and ≥ 6 s); 6× required',
    });
    const most = [...repeats, row('dbcop', 5, 3, { repeat: 2 })];
    expect(outcome(faster, most).detail).toBe('at 5 3× (1 s and 3 s); 2× required');
  });

  test('faster treats no limit as a run that was not made, as one on another history of its point was out of time', () => {
    const notRun = {
      ...row('dbcop', 5, 0),
      verdict: 'unknown',
      reason: 'timeout at 5',
      wallMs: null,
      repeat: 2,
    } as const;
    const repeats = [row('PolySI', 5, 1), row('dbcop', 5, 2), timedOut('dbcop', 5, { repeat: 1 }), notRun];
    expect(outcome({ ...faster, factor: 6 }, repeats).detail).toBe('at 5 ≥ 6× (1 s and ≥ 6 s); 6× required');
  });

  test('faster takes the limit for a run that was not made, as an easier one was out of time', () => {
    const notRun = {
      verdict: 'unknown',
      reason: 'timeout at 10',
      wallMs: null,
      cpuMs: null,
      certificate: 'none',
    } as const;
    expect(outcome({ ...faster, at: 15 }, [row('PolySI', 15, 1.5), row('dbcop', 15, 0, notRun)])).toMatchObject({
      outcome: 'holds',
      detail: 'at 15 ≥ 6.7× (1.5 s and ≥ 10 s); 2× required',
    });
  });

  test('faster is asked at a list of points, and of the paper’s own values', () => {
    expect(outcome({ ...faster, at: [10, 15] }).detail).toBe('at 15 ≥ 6.7× (1.5 s and ≥ 10 s); 2× required');
    expect(outcome({ ...faster, at: [20, 30] }).detail).toBe(
      'PolySI and dbcop were not both measured at 20, 30; scale ci has the points 5, 15',
    );
    expect(outcome({ ...faster, at: 5 }, [row('PolySI', 15, 1), row('dbcop', 15, 2)]).detail).toBe(
      'PolySI and dbcop were not both measured at 5; PolySI was not run at 5; dbcop was not run at 5',
    );
    expect(outcome({ ...faster, than: 'PolySI (paper)', factor: 1 }).detail).toBe('at 5 1.2× (0.5 s and 0.61 s)');
  });

  test('faster says why it is not measured', () => {
    const itself = [row('dbcop (published program)', 5, 40), row('PolySI (published program)', 10, 2)];
    expect(outcome(faster, [row('PolySI', 5, 2), row('dbcop', 5, 1), ...itself])).toMatchObject({
      outcome: 'fails',
      detail: expect.stringMatching(/; beside them dbcop \(published program\) at 5 40 s$/),
    });
    const skipped = row('dbcop', 5, 1, { verdict: 'skipped', reason: 'absent tool: no dbcop' });
    expect(outcome(faster, [row('PolySI', 5, 1), skipped]).detail).toContain('; dbcop: absent tool: no dbcop');
    expect(outcome({ ...faster, at: 20 }).detail).toContain('; scale ci has the points 5, 15');
    expect(outcome({ ...faster, than: 'nobody' }).detail).toContain('; nobody was not run');
  });

  test('faster is not asked at scales whose sizes it does not speak of', () => {
    const only = { scales: ['laptop', 'paper'], why: 'the set-up takes longer than the search.' };
    expect(outcome({ ...faster, only })).toMatchObject({
      outcome: 'not measured',
      detail: 'required only at scale laptop and paper: the set-up takes longer than the search.',
    });
    expect(outcome({ ...faster, only: { ...only, scales: ['ci'] } }).outcome).toBe('holds');
  });

  test('faster names the points of the grid that it lacks', () => {
    const grid = { ci: [5, 15, 20], laptop: [5], paper: [5] };
    expect(outcome(faster, rows, { grid }).detail).toMatch(/; 2× required; not both measured at 20$/);
    expect(outcome({ ...faster, at: [5] }, rows, { grid }).detail).not.toContain('not both');
  });

  test('sums many points up', () => {
    const many = [1, 2, 3, 4, 5].flatMap((x) => [row('PolySI', x, 1), row('dbcop', x, 2 + x)]);
    expect(outcome(faster, many).detail).toBe('3× to 7× at 1, 2, 3, 4, 5; least at 1 3× (1 s and 3 s); 2× required');
  });

  test('faster does not compare times that are too short', () => {
    const short = [row('PolySI', 5, 0.0005), row('dbcop', 5, 0.0019)];
    expect(outcome(faster, short)).toMatchObject({
      outcome: 'not measured',
      detail: 'too short to compare: at 5 3.8× (0.0005 s and 0.0019 s); 2× required',
    });
    expect(outcome(faster, [...short, timedOut('PolySI', 15), timedOut('dbcop', 15)])).toMatchObject({
      outcome: 'not measured',
      detail: expect.stringMatching(/^hidden by limits: at 15 .*; too short to compare: at 5 /) as string,
    });
  });

  test('faster compares the quantity of the figure: memory, too', () => {
    const memory = { y: { label: 'memory', scale: 'log', metric: 'peakRssBytes' } } as const;
    const of = [row('PolySI', 5, 9, { peakRssBytes: 100e6 }), row('dbcop', 5, 1, { peakRssBytes: 300e6 })];
    expect(outcome(faster, of, memory)).toMatchObject({
      outcome: 'holds',
      detail: 'at 5 3× (100 MB and 300 MB); 2× required',
    });
  });
});

describe('a run that did not fit in memory', () => {
  const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 2, at: 'all' };
  const refused = (megabytes: number, more: Partial<Measurement> = {}): Measurement =>
    row('dbcop', 15, 0.02, { verdict: 'unknown', reason: 'memory', peakRssBytes: megabytes * 1e6, ...more });
  const memory = { y: { label: 'memory (MB)', scale: 'log', metric: 'peakRssBytes' } } as const;

  test('a run that did not fit in memory is no time, however long it ran', () => {
    expect(outcome({ ...faster, at: 'last' }, [row('PolySI', 15, 1), refused(70)])).toMatchObject({
      outcome: 'not measured',
      detail: 'dbcop at 15 did not fit in memory',
    });
    expect(outcome(faster, [row('PolySI', 15, 1), refused(950, { wallMs: 9000 })]).outcome).toBe('not measured');
  });

  test('a run that did not fit in memory is a bound on memory only if it had used a good part of it', () => {
    const used = row('PolySI', 15, 1, { peakRssBytes: 200e6 });
    expect(outcome(faster, [used, refused(950)], memory)).toMatchObject({
      outcome: 'holds',
      detail: 'at 15 ≥ 5× (200 MB and ≥ 1,000 MB); 2× required',
    });
    expect(outcome(faster, [used, refused(70)], memory).outcome).toBe('not measured');
  });
});

describe('a run that gave up', () => {
  const incomplete = (series: string, x: number): Measurement =>
    row(series, x, 0.0002, { verdict: 'unknown', reason: 'incomplete: it has no more to say' });
  const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 2, at: 'all' };

  test('a run that gave up is faster than no other', () => {
    expect(outcome(faster, [incomplete('PolySI', 5), row('dbcop', 5, 1)])).toMatchObject({
      outcome: 'not measured',
      detail: 'PolySI at 5 gave up: incomplete: it has no more to say',
    });
    expect(outcome({ ...faster, at: 'last' }, [...rows, incomplete('PolySI', 20), row('dbcop', 20, 1)]).outcome).toBe(
      'not measured',
    );
  });

  test('a run that gave up leaves the measurements of other runs readable', () => {
    expect(outcome(faster, [...rows, incomplete('PolySI', 20), row('dbcop', 20, 1)])).toMatchObject({
      outcome: 'not measured',
      detail: expect.stringMatching(/^PolySI at 20 gave up: .*; elsewhere at 5 4×/) as string,
    });
  });

  test.each(['unsupported: no lists', 'crashed: out of order'])('%s is no time either', (reason) => {
    const gone = row('PolySI', 5, 0.001, { verdict: 'unknown', reason });
    expect(outcome(faster, [gone, row('dbcop', 5, 1)]).outcome).toBe('not measured');
  });

  test('a run that gave up has no growth and no counters', () => {
    const growing = { kind: 'growth', series: 'PolySI', atMost: 9 };
    const measured = [1, 2, 3].map((x) => row('PolySI', x, x));
    expect(outcome(growing, measured).outcome).toBe('holds');
    expect(outcome(growing, [...measured, incomplete('PolySI', 4)])).toMatchObject({ outcome: 'not measured' });
    const counted = { ...incomplete('PolySI', 5), counters: { constraints: 3 } };
    const counter = { kind: 'counter', series: 'PolySI', counter: 'constraints', x: 5, equals: 3, within: 0 };
    expect(outcome(counter, [counted])).toMatchObject({ outcome: 'not measured' });
  });
});

describe('rows of different runs', () => {
  const run = (together: string | undefined, load: number, at = '2026-01-01T00:00:00Z') => ({
    run: { ...row('PolySI', 5, 1).run, load, at, ...(together !== undefined && { together }) },
  });
  const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 2, at: 'all' };

  test('rows of different runs are distinguished where they are compared', () => {
    const mixed = [row('PolySI', 5, 1, run('a', 2.9)), row('dbcop', 5, 9, run('b', 10))];
    expect(outcome(faster, mixed).detail).toBe(
      'at 5 9× (1 s and 9 s); 2× required; not measured together at 5 (load 2.9 to 10.0)',
    );
    expect(experimentPage(experiment({}), mixed)).toContain('not measured together at 5 (load 2.9 to 10.0)');
    const same = [row('PolySI', 5, 1, run('a', 2.9)), row('dbcop', 5, 9, run('a', 10))];
    expect(outcome(faster, same).detail).not.toContain('together');
    expect(experimentPage(experiment({}), same)).not.toContain('together');
  });

  test('rows of different runs that do not say so are distinguished by the time between them', () => {
    const old = [row('PolySI', 5, 1, run(undefined, 1)), row('dbcop', 5, 9, run(undefined, 1, '2026-01-01T03:00:00Z'))];
    expect(outcome(faster, old).detail).toContain('not measured together');
    const close = [row('PolySI', 5, 1, run(undefined, 1)), row('dbcop', 5, 9, run(undefined, 1))];
    expect(outcome(faster, close).detail).not.toContain('not measured together');
  });
});
