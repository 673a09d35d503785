import { describe, expect, test } from 'vitest';
import { evaluateClaims } from '../src/report/claims.ts';
import { experimentPage } from '../src/report/experiment-page.ts';
import type { ClaimResult, Experiment, Measurement } from '../src/results/results.ts';
import { claim, experiment, row, rows, timedOut } from './experiments.ts';

/** Outcome of a check of our own, which has no band; of a paper's claim with `ofPaper`. */
const outcome = (rest: object, of: readonly Measurement[] = rows, more: Partial<Experiment> = {}): ClaimResult =>
  evaluateClaims(experiment({ ...more, holds: [claim('It is so.', { origin: 'sanity', ...rest })] }), of)[0]!;
const ofPaper = { origin: 'paper' };

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

  test('faster is asked from a point on, and of the paper’s own values', () => {
    expect(outcome({ ...faster, at: { from: 10 } }).detail).toBe('at 15 ≥ 6.7× (1.5 s and ≥ 10 s); 2× required');
    expect(outcome({ ...faster, at: { from: 20 } }).outcome).toBe('not measured');
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

  test('sums many points up', () => {
    const many = [1, 2, 3, 4, 5].flatMap((x) => [row('PolySI', x, 1), row('dbcop', x, 2 + x)]);
    expect(outcome(faster, many).detail).toBe('3× to 7× at 1, 2, 3, 4, 5; least at 1 3× (1 s and 3 s); 2× required');
  });

  test('faster does not compare times that are too short', () => {
    const short = [row('PolySI', 5, 0.0005), row('dbcop', 5, 0.0019)];
    expect(outcome(faster, short)).toMatchObject({
      outcome: 'not measured',
      detail: 'hidden by limits, or too short to compare: at 5 3.8× (0.0005 s and 0.0019 s); 2× required',
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

describe('the magnitude of a paper', () => {
  const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', at: 'all', ...ofPaper };
  const at = (x: number, one: number, other: number): Measurement[] => [row('PolySI', x, one), row('dbcop', x, other)];

  test.each([
    [8, 'holds'],
    [9, 'direction only'],
    [1, 'holds'],
  ])('a factor of 4 for %d in the paper: %s', (factor, expected) => {
    expect(outcome({ ...faster, factor }, at(5, 1, 4)).outcome).toBe(expected);
  });

  test('a ratio within the noise is no difference', () => {
    expect(outcome({ ...faster, factor: 2 }, at(5, 1, 1.2))).toMatchObject({
      outcome: 'fails',
      detail: 'no difference: at 5 1.2× (1 s and 1.2 s); 2× in the paper',
    });
    expect(outcome({ ...faster, factor: 1 }, [...at(5, 1, 1.2), ...at(10, 1, 2)])).toMatchObject({
      outcome: 'direction only',
      detail: expect.stringMatching(/; no difference at 5$/) as string,
    });
    expect(outcome({ ...faster, factor: 1 }, at(5, 1, 0.79)).outcome).toBe('fails');
  });

  test('medians whose intervals overlap do not differ', () => {
    const runs = (series: string, seconds: readonly number[]): Measurement[] =>
      seconds.map((one, repeat) => row(series, 5, one, { repeat }));
    const apart = [...runs('PolySI', [1, 1.1, 1.2]), ...runs('dbcop', [1.6, 1.7, 1.8])];
    expect(outcome({ ...faster, factor: 1 }, apart).outcome).toBe('holds');
    const mixed = [...runs('PolySI', [1, 1.1, 1.7]), ...runs('dbcop', [1.6, 1.7, 1.8])];
    expect(outcome({ ...faster, factor: 1 }, mixed).detail).toMatch(/^no difference: /);
  });

  test('up to a factor: one point reaches it', () => {
    const both = [...at(5, 1, 2), ...at(10, 1, 6)];
    expect(outcome({ ...faster, factor: 10 }, both).outcome).toBe('direction only');
    expect(outcome({ ...faster, factor: 10, upTo: true }, both).outcome).toBe('holds');
    expect(outcome({ ...faster, factor: 13, upTo: true }, both).outcome).toBe('direction only');
  });

  test('the factor of the paper’s figure, at each point but those with the opposite order', () => {
    const published = { PolySI: { 5: 1, 10: 1, 15: 1 }, dbcop: { 5: 0.5, 10: 6, 15: null } };
    const figure = { ...faster, factor: 'figure' };
    expect(outcome(figure, [...at(5, 2, 1), ...at(10, 1, 4)], { published })).toMatchObject({
      outcome: 'holds',
      detail: 'at 10 4× (1 s and 4 s); 6× in the paper’s figure',
    });
    expect(outcome(figure, at(10, 1, 2), { published }).outcome).toBe('direction only');
    expect(outcome(figure, at(15, 1, 4), { published }).outcome).toBe('direction only');
    expect(outcome(figure, at(5, 2, 1), { published }).outcome).toBe('not measured');
    expect(outcome(figure, at(20, 1, 4), { published })).toMatchObject({
      outcome: 'direction only',
      detail: 'at 20 4× (1 s and 4 s); the values of the paper’s figure are not at hand',
    });
  });

  test('a limit shows the order, but not the magnitude', () => {
    const stopped = [row('PolySI', 15, 1), timedOut('dbcop', 15)];
    expect(outcome({ ...faster, factor: 100 }, stopped)).toMatchObject({
      outcome: 'direction only',
      detail: 'at 15 ≥ 10× (1 s and ≥ 10 s); 100× in the paper',
    });
    expect(outcome({ ...faster, series: 'dbcop', than: 'PolySI', factor: 1 }, stopped).outcome).toBe('fails');
  });

  test.each([
    [1, 1.2, 'holds'],
    [1, 0.5, 'direction only'],
    [1, 0, 'fails'],
    [1, 1.4, 'fails'],
    [0, 0.2, 'holds'],
    [0, -0.4, 'fails'],
    [-1, -0.5, 'direction only'],
  ])('growth as x^%d in the paper, x^%d here: %s', (exponent, measured, expected) => {
    const growth = { kind: 'growth', series: 'PolySI', exponent, ...ofPaper };
    const points = [1, 2, 4, 8].map((x) => row('PolySI', x, 0.1 * x ** measured));
    expect(outcome(growth, points).outcome).toBe(expected);
  });

  test('growth as in the paper’s figure', () => {
    const growth = { kind: 'growth', series: 'PolySI', exponent: 'figure', ...ofPaper };
    const points = [1, 2, 4].map((x) => row('PolySI', x, x));
    expect(outcome(growth, points, { published: { PolySI: { 1: 1, 2: 4, 4: 16 } } })).toMatchObject({
      outcome: 'direction only',
      detail: 'x^1.00 over 3 points, x^2 in the paper’s figure',
    });
    expect(outcome(growth, points, { published: { PolySI: { 1: 1, 2: 4 } } }).outcome).toBe('not measured');
  });

  test('time and memory of the paper’s runs', () => {
    const finishes = { kind: 'finishes', series: 'PolySI', at: 5, ...ofPaper };
    expect(outcome({ ...finishes, within: { seconds: 1, megabytes: 300 } })).toMatchObject({
      outcome: 'holds',
      detail: 'verdicts at 5; at most 0.5 s; at most 250 MB',
    });
    expect(outcome({ ...finishes, within: { megabytes: 200 } }).outcome).toBe('direction only');
  });
});

describe('growth', () => {
  const growth = { kind: 'growth', series: 'PolySI', atMost: 2.1 };
  const power = (exponent: number): Measurement[] => [1, 2, 4, 8].map((x) => row('PolySI', x, 0.1 * x ** exponent));

  test('growth fits a power of x', () => {
    expect(outcome(growth, power(2))).toMatchObject({
      outcome: 'holds',
      detail: 'x^2.00 over 4 points, at most x^2.1 required',
    });
    expect(outcome(growth, power(3)).outcome).toBe('fails');
  });

  test('growth has a bound below, too', () => {
    const rises = { kind: 'growth', series: 'PolySI', atLeast: 0.5 };
    expect(outcome(rises, power(1)).outcome).toBe('holds');
    expect(outcome(rises, power(0.2))).toMatchObject({
      outcome: 'fails',
      detail: 'x^0.20 over 4 points, at least x^0.5 required',
    });
  });

  test('growth is none where points share a history', () => {
    const { history } = row('PolySI', 1, 1);
    const same = power(0).map((one) => ({ ...one, history }));
    expect(outcome(growth, same)).toMatchObject({
      outcome: 'not measured',
      detail: 'the same history was measured at 1, 2, 4, 8, so growth cannot be measured',
    });
  });

  test('growth needs three points, and does not praise runs that ran out of time', () => {
    expect(outcome(growth, power(2).slice(0, 2)).outcome).toBe('not measured');
    expect(outcome(growth, [...power(1), timedOut('PolySI', 16)]).outcome).toBe('not measured');
  });
});

describe('the other claims', () => {
  test('the other claims finishes', () => {
    expect(outcome({ kind: 'finishes', series: 'PolySI', at: 'all' }).outcome).toBe('holds');
    expect(outcome({ kind: 'finishes', series: 'dbcop', at: 'all' })).toMatchObject({
      outcome: 'fails',
      detail: 'at 15: timeout',
    });
    expect(outcome({ kind: 'finishes', series: 'dbcop', at: 5 }).outcome).toBe('holds');
    expect(outcome({ kind: 'finishes', series: 'dbcop', at: 20 }).outcome).toBe('not measured');
  });

  test('verdict', () => {
    const verdict = { kind: 'verdict', series: 'all', is: 'satisfied' };
    expect(outcome(verdict)).toMatchObject({ outcome: 'holds', detail: '3 of 3 verdicts, 1 runs without a verdict' });
    expect(outcome({ ...verdict, is: 'violated' }).outcome).toBe('fails');
    expect(outcome(verdict, [row('PolySI', 5, 1, { certificate: 'rejected' })])).toMatchObject({
      outcome: 'fails',
      detail: 'PolySI at 5: certificate rejected',
    });
    expect(outcome({ ...verdict, series: 'dbcop' }, [timedOut('dbcop', 5)]).outcome).toBe('not measured');
  });

  test('counter', () => {
    const counter = { kind: 'counter', series: 'PolySI', counter: 'constraints', x: 5, equals: 29, within: 2 };
    const counted = (constraints: number): Measurement[] => [row('PolySI', 5, 1, { counters: { constraints } })];
    expect(outcome(counter, counted(30))).toMatchObject({ outcome: 'holds', detail: '30, 29 ± 2 required' });
    expect(outcome(counter, counted(32)).outcome).toBe('fails');
    expect(outcome(counter).outcome).toBe('not measured');
  });

  test('verdict of all series, but those that are known to err', () => {
    const of = [row('PolySI', 5, 1), row('dbcop', 5, 1, { verdict: 'violated' })];
    const outcomeWith = (trusted: boolean) => {
      const series = experiment().series.map((each) => (each.name === 'dbcop' ? { ...each, trusted } : each));
      return outcome({ kind: 'verdict', series: 'all', is: 'satisfied' }, of, { series }).outcome;
    };
    expect(outcomeWith(true)).toBe('fails');
    expect(outcomeWith(false)).toBe('holds');
  });

  test('counter, of several points and of runs without a verdict', () => {
    const counter = { kind: 'counter', series: 'PolySI', counter: 'files', x: [5, 10], equals: 5, within: 0 };
    const counted = (x: number, files: number): Measurement => row('PolySI', x, 1, { counters: { files } });
    expect(outcome(counter, [counted(5, 2), counted(10, 3)])).toMatchObject({
      outcome: 'holds',
      detail: '5, 5 required',
    });
    expect(outcome(counter, [counted(5, 5)]).outcome).toBe('not measured');
    const ended = { verdict: 'unknown', reason: 'incomplete', counters: { files: 3 } } as const;
    const gaveUp = [counted(5, 2), row('PolySI', 10, 1, ended)];
    expect(outcome(counter, gaveUp).outcome).toBe('not measured');
    expect(outcome({ ...counter, of: 'any run' }, gaveUp).outcome).toBe('holds');
  });

  test('counter, at least and at most', () => {
    const counter = { kind: 'counter', series: 'PolySI', counter: 'aborted', x: 5 };
    const counted = (aborted: number): Measurement[] => [row('PolySI', 5, 1, { counters: { aborted } })];
    expect(outcome({ ...counter, atLeast: 60 }, counted(61)).outcome).toBe('holds');
    expect(outcome({ ...counter, atLeast: 60 }, counted(51))).toMatchObject({
      outcome: 'fails',
      detail: '51, at least 60 required',
    });
    expect(outcome({ ...counter, atMost: 10 }, counted(11)).outcome).toBe('fails');
  });

  test('an order that Elle leaves open is accepted, whether a claim wants a finding or none', () => {
    const misses = { kind: 'misses', series: 'PolySI' };
    const open = row('PolySI', 15, 1, { verdict: 'unknown', reason: 'incomplete: no order', checker: 'elle' });
    expect(outcome(misses, [row('PolySI', 5, 1), open])).toMatchObject({
      outcome: 'holds',
      detail: 'at 5, 15: 2 of 2 runs accept',
    });
    expect(outcome(misses, [{ ...open, checker: 'baselines-sat' }]).outcome).toBe('not measured');
    const finds = { kind: 'verdict', series: 'PolySI', is: 'violated' };
    expect(outcome({ ...finds, ...ofPaper }, [open])).toMatchObject({
      outcome: 'fails',
      detail: 'PolySI at 15: satisfied',
    });
    expect(outcome(finds, [open]).outcome).toBe('not measured');
    expect(outcome(misses, [open, row('PolySI', 5, 1, { verdict: 'violated' })]).outcome).toBe('fails');
    expect(outcome(misses, [row('PolySI', 5, 1), timedOut('PolySI', 15)]).outcome).toBe('not measured');
  });

  test('verdict and misses of some points only', () => {
    const of = [row('PolySI', 5, 1), row('PolySI', 15, 1, { verdict: 'violated' })];
    expect(outcome({ kind: 'verdict', series: 'PolySI', is: 'violated', at: [15] }, of).outcome).toBe('holds');
    expect(outcome({ kind: 'verdict', series: 'PolySI', is: 'violated', at: [5, 15] }, of).outcome).toBe('fails');
    expect(outcome({ kind: 'misses', series: 'PolySI', at: [5] }, of)).toMatchObject({
      outcome: 'holds',
      detail: 'at 5: 1 of 1 runs accept',
    });
  });

  test('time from end to end, where a run that timed out has its limit beside the making of its history', () => {
    const made = (ms: number) => ({ stages: [{ name: 'generation', ms }] });
    const ran = [row('PolySI', 5, 1, made(3000)), timedOut('dbcop', 5, made(14_000))];
    const endToEnd = { y: { label: 'time (s)', scale: 'log', metric: 'endToEndMs' } } as const;
    const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 6, at: 5 };
    expect(outcome(faster, ran, endToEnd).detail).toBe('at 5 ≥ 6× (4 s and ≥ 24 s); 6× required');
    expect(outcome({ ...faster, factor: 10, metric: 'wallMs' }, ran, endToEnd).detail).toContain('(1 s and ≥ 10 s)');
  });

  test('the other claims use another quantity than that of the axis, on which the paper is silent', () => {
    const counted = (seconds: number) => ({ counters: { seconds } });
    const ran = [row('PolySI', 5, 9, counted(1)), row('dbcop', 5, 1, counted(3))];
    const faster = {
      kind: 'faster',
      series: 'PolySI',
      than: 'dbcop',
      factor: 2,
      at: 'all',
      metric: { counter: 'seconds' },
    };
    expect(outcome(faster, ran)).toMatchObject({ outcome: 'holds', detail: 'at 5 3× (1 and 3); 2× required' });
    expect(outcome({ ...faster, than: 'dbcop (paper)' }, ran).outcome).toBe('not measured');
  });

  test('trials of half an hour, at the pace of those that ran', () => {
    const trials = { y: { label: 'found in 30 minutes', scale: 'linear', metric: 'foundIn30Minutes' } } as const;
    const made = (ms: number, verdict: 'violated' | 'satisfied' | 'unknown') => ({
      verdict,
      reason: verdict === 'unknown' ? 'incomplete: undecided' : null,
      stages: [{ name: 'generation', ms }],
    });
    const ran = [
      row('PolySI', 5, 1, made(9000, 'violated')),
      row('PolySI', 5, 1, made(19_000, 'satisfied')),
      row('dbcop', 5, 1, made(9000, 'unknown')),
      row('dbcop', 5, 1, made(4000, 'violated')),
    ];
    const faster = { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 2, at: 5 };
    expect(outcome(faster, ran, trials).detail).toBe('at 5 2× (60 and 120); 2× required');
  });

  test('trials that found a violation, where no verdict is none found', () => {
    const trials = { y: { label: 'found (%)', scale: 'linear', metric: 'found' } } as const;
    const trial = (series: string, repeat: number, verdict: Measurement['verdict'], reason: string | null = null) =>
      row(series, 5, 0.001, { repeat, verdict, reason });
    const of = [
      trial('PolySI', 0, 'unknown', 'incomplete: no order'),
      trial('PolySI', 1, 'violated'),
      trial('dbcop', 0, 'violated'),
      trial('dbcop', 1, 'violated'),
    ];
    expect(
      outcome({ kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 1.5, at: 'all' }, of, trials),
    ).toMatchObject({
      outcome: 'holds',
      detail: 'at 5 2× (50 % and 100 %); 1.5× required',
    });
  });

  test('the other claims are not reproducible, with the reason', () => {
    expect(outcome({ kind: 'not-reproducible', why: 'There is no GPU.' })).toMatchObject({
      outcome: 'not reproducible',
      detail: 'There is no GPU.',
    });
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
