import { expect, test } from 'vitest';
import { decideClaims, overviewMarkdown, scalesText, summaryMarkdown } from '../src/index.ts';
import type { Experiment, Measurement, Scale } from '../src/results/results.ts';
import { claim, experiment, row } from './experiments.ts';

const faster = claim('PolySI is faster.', { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 1, at: 'all' });
const at = (scale: Scale, polysi: number | null, more: Partial<Experiment> = {}) => ({
  experiment: experiment({ holds: [faster], grid: { ci: [5], laptop: [5], paper: [5] }, ...more }),
  rows: (polysi === null ? [] : [row('PolySI', 5, polysi), row('dbcop', 5, 1)]).map((one): Measurement => ({
    ...one,
    run: { ...one.run, scale },
  })),
});
const decide = (...scales: Parameters<typeof decideClaims>[0][number][]) => decideClaims(scales)[0]!;

test('a claim that fails at the largest scale fails, although it holds at a smaller one', () => {
  expect(decide(at('paper', 4), at('laptop', 0.1))).toMatchObject({ outcome: 'fails', scale: 'paper' });
  expect(decide(at('paper', 0.1), at('laptop', 4))).toMatchObject({ outcome: 'holds', scale: 'paper' });
});

test('a claim that the largest scale did not measure has the outcome of the next scale', () => {
  expect(decide(at('paper', null), at('laptop', 4), at('ci', 0.1))).toMatchObject({
    outcome: 'fails',
    scale: 'laptop',
  });
  // Too short to be compared.
  const short = { ...at('paper', 0.001), rows: [row('PolySI', 5, 0.001), row('dbcop', 5, 0.001)] };
  expect(decide(short, at('ci', 0.1))).toMatchObject({ outcome: 'holds', scale: 'ci' });
});

test('a scale with fewer than half of its points decides only claims that no other scale decides', () => {
  const paper = (points: readonly number[]) => at('paper', 4, { grid: { ci: [5], laptop: [5], paper: points } });
  const laptop = at('laptop', 0.1);
  expect(decide(paper([5, 10]), laptop)).toMatchObject({ outcome: 'fails', scale: 'paper' });
  expect(decide(paper([5, 10, 20]), laptop)).toMatchObject({ outcome: 'holds', scale: 'laptop' });
  expect(decide(paper([5, 10, 20]), at('laptop', null))).toMatchObject({ outcome: 'fails', scale: 'paper' });
});

test('a claim that no scale measured has the reasons of the scales that were run', () => {
  expect(decide(at('paper', null), at('laptop', null))).toMatchObject({ detail: 'not run yet', scale: null });
  const alone = { ...at('laptop', 1), rows: at('laptop', 1).rows.slice(1) };
  expect(decide(at('paper', null), alone)).toMatchObject({
    outcome: 'not measured',
    detail: 'PolySI and dbcop were not both measured; PolySI was not run',
    scale: null,
  });
});

test('the overview counts each claim once, and says how many are of each scale', () => {
  const scales = [at('paper', 4), at('laptop', 0.1)];
  const entries = [
    { ...at('laptop', 0.1), href: '', scales },
    { ...at('laptop', 0.1), href: '', scales: [at('paper', null), at('laptop', 0.1)] },
  ];
  expect(overviewMarkdown(entries)).toBe(
    [
      '2 claims of 2 experiments, each at the largest scale that measured it:',
      '',
      '|  | claims of the paper | our own checks |',
      '| --- | --- | --- |',
      '| all | ✓ 1 holds, ✗ 1 fails | no claims |',
      '| at scale paper | ✗ 1 fails | no claims |',
      '| at scale laptop | ✓ 1 holds | no claims |',
    ].join('\n'),
  );
  expect(summaryMarkdown(entries)).toContain('| fig6a | the paper | PolySI is faster. | fails | paper |');
  expect(scalesText(entries.flatMap((entry) => decideClaims(entry.scales)))).toBe(
    '; each claim at the largest scale that measured it: 1 at paper, 1 at laptop',
  );
});
