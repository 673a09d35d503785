// Magnitudes and growth of papers, compared with measurements.
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../src/results/results.ts';
import { ofPaper, outcome, row, timedOut } from './experiments.ts';

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
    expect(outcome({ ...faster, factor: 1 }, [...at(5, 1, 1.2), ...at(10, 1, 2), ...at(15, 1, 1.1)])).toMatchObject({
      outcome: 'fails',
      detail: expect.stringMatching(/^no difference at 5, 15, most of the points: at 5 1.2× /) as string,
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
      detail: 'at 10 4× (1 s and 4 s); 6× in the paper’s figure; the paper has the opposite order at 5',
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
    [1, 0.04, 'fails'],
    [-1, -0.5, 'direction only'],
    [-1, -1.5, 'direction only'],
    [-1, -0.04, 'fails'],
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
