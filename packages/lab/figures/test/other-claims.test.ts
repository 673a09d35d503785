// Claims on verdicts, counters, trials and the end of a run.
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../src/results/results.ts';
import { experiment, ofPaper, outcome, row, timedOut } from './experiments.ts';

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

  test('a claim bounds the share of a stage', () => {
    const share = { kind: 'share', series: 'PolySI', stage: 'solve', atMost: 50 };
    const run = (x: number, solve: number, verdict: Measurement['verdict'] = 'satisfied'): Measurement =>
      row('PolySI', x, 1, {
        verdict,
        stages: [
          { name: 'generation', ms: 900 },
          { name: 'prune on h100', ms: 100 - solve },
          { name: 'solve', ms: solve },
        ],
      });
    expect(outcome(share, [run(5, 20), run(15, 40)])).toMatchObject({
      outcome: 'holds',
      detail: '20 to 40 % at 5, 15; at most 50 % required',
    });
    expect(outcome(share, [run(5, 20), run(15, 60)]).outcome).toBe('fails');
    expect(outcome({ ...share, at: [5] }, [run(5, 20), run(15, 60)]).outcome).toBe('holds');
    expect(outcome({ ...share, stage: 'prune', atMost: 70 }, [run(5, 20)]).outcome).toBe('fails');
    expect(outcome({ kind: 'share', series: 'PolySI', stage: 'solve', atLeast: 70 }, [run(5, 60)]).outcome).toBe(
      'fails',
    );
    expect(outcome(share, [run(5, 20, 'unknown'), run(5, 20, 'skipped')]).outcome).toBe('not measured');
    const published = { solve: { 5: 30 }, prune: { 5: 10 } };
    const y = { label: 'time (s)', scale: 'linear', metric: 'stages' } as const;
    expect(outcome(share, [run(5, 20)], { published, y }).detail).toMatch(/required; 75 % in the paper’s figure$/);
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
