// Claims whose outcome a run on another day may change.
import { expect, test } from 'vitest';
import { numbersText } from '../src/report/claims-html.ts';
import type { Measurement } from '../src/results/results.ts';
import { ofPaper, outcome, row } from './experiments.ts';

const twice = { kind: 'faster', series: 'PolySI', than: 'dbcop', at: 'all', factor: 4, ...ofPaper };
const at = (one: number, other: number): Measurement[] => [row('PolySI', 5, one), row('dbcop', 5, other)];

test.each([
  ['far above half of the factor', at(1, 4), false],
  ['just above it', at(1, 2.5), true],
  ['just below it', at(1, 1.5), true],
  ['times below 0.1 s, in which noise is larger', at(0.02, 0.07), true],
  ['the same ratio of longer times', at(2, 7), false],
])('a ratio %s', (_, rows, withinNoise) => {
  expect(outcome(twice, rows)).toMatchObject({ withinNoise });
});

test('the last point bends the growth', () => {
  const growth = { kind: 'growth', series: 'PolySI', atMost: 1.2, ...ofPaper };
  const points = (...seconds: readonly number[]): Measurement[] => seconds.map((one, i) => row('PolySI', 2 ** i, one));
  expect(outcome(growth, points(1, 2, 4))).toMatchObject({ outcome: 'holds', withinNoise: true });
  expect(outcome(growth, points(4, 4, 4))).toMatchObject({ outcome: 'holds', withinNoise: false });
  expect(outcome(growth, points(1, 8, 64))).toMatchObject({ outcome: 'fails', withinNoise: false });
});

test('memory differs by megabytes', () => {
  const memory = { ...twice, metric: 'peakRssBytes' };
  const using = (one: number, other: number): Measurement[] => [
    row('PolySI', 5, 1, { peakRssBytes: one * 1e6 }),
    row('dbcop', 5, 1, { peakRssBytes: other * 1e6 }),
  ];
  expect(outcome(memory, using(20, 50)).withinNoise).toBe(true);
  expect(outcome(memory, using(200, 500)).withinNoise).toBe(false);
});

test('a time within a limit', () => {
  const finishes = { kind: 'finishes', series: 'PolySI', at: 'all', within: { seconds: 10 }, ...ofPaper };
  expect(outcome(finishes, at(9, 1))).toMatchObject({ outcome: 'holds', withinNoise: true });
  expect(outcome(finishes, at(5, 1))).toMatchObject({ outcome: 'holds', withinNoise: false });
});

test('a share of a stage', () => {
  const share = { kind: 'share', series: 'PolySI', stage: 'solve', atLeast: 75, ...ofPaper };
  expect(outcome(share, at(0.5, 1))).toMatchObject({ outcome: 'holds', withinNoise: true });
  expect(outcome(share, at(5, 1))).toMatchObject({ outcome: 'holds', withinNoise: false });
});

test('counters of collecting have noise of their own', () => {
  const counting = (name: string, one: number, other: number): Measurement[] => [
    row('PolySI', 5, 1, { counters: { [name]: one } }),
    row('dbcop', 5, 1, { counters: { [name]: other } }),
  ];
  const seconds = 'history.generationSeconds';
  const faster = { ...twice, factor: 1, metric: { counter: seconds } };
  expect(outcome(faster, counting(seconds, 1, 2.5))).toMatchObject({ outcome: 'holds', withinNoise: true });
  expect(outcome(faster, counting(seconds, 1, 8))).toMatchObject({ outcome: 'holds', withinNoise: false });
  const counter = 'history.abortedPercent';
  const aborts = { kind: 'counter', series: 'PolySI', counter, x: 5, atMost: 10, ...ofPaper };
  expect(outcome(aborts, counting(counter, 8, 0))).toMatchObject({ outcome: 'holds', withinNoise: true });
  expect(outcome(aborts, counting(counter, 2, 0))).toMatchObject({ outcome: 'holds', withinNoise: false });
  expect(outcome({ ...aborts, counter: 'conflicts' }, counting('conflicts', 10, 0)).withinNoise).toBe(false);
});

test('verdicts have no noise, and the numbers name it', () => {
  const verdict = { kind: 'verdict', series: 'all', is: 'satisfied', ...ofPaper };
  expect(outcome(verdict, at(1, 1)).withinNoise).toBe(false);
  expect(numbersText(outcome(twice, at(1, 1.5)))).toBe('at 5 1.5× (1 s and 1.5 s); 4× in the paper; within noise');
});
