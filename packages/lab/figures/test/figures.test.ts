import { beforeAll, describe, expect, test } from 'vitest';
import { decades } from '../src/chart/axes.ts';
import { CHART_SCRIPT, figureSvg } from '../src/chart/figure.ts';
import { COLOURS } from '../src/chart/look.ts';
import { pointsOf, shown, stagesOf } from '../src/chart/points.ts';
import { tableCsv, tableHtml, tableMarkdown } from '../src/chart/tables.ts';
import { experimentPage } from '../src/report/experiment-page.ts';
import { HOSTILE, experiment, row, rows, timedOut } from './experiments.ts';
import { type Element, all, parse, textOf } from '@isolab/needs/browser';

const bars = experiment({
  chart: 'bars',
  x: { label: 'dataset', scale: 'category' },
  published: { PolySI: { RUBiS: 4.4, 'TPC-C': null } },
});
const barRows = [row('PolySI', 'RUBiS', 1), row('PolySI', 'TPC-C', 3), row('dbcop', 'RUBiS', 5)];
const stacked = experiment({
  chart: 'stacked-bars',
  x: { label: 'dataset', scale: 'category' },
  y: { label: 'time (s)', scale: 'linear', metric: 'stages' },
  series: [{ name: 'PolySI', checker: 'polysi' }],
  published: { solving: { RUBiS: 0.16 }, pruning: { RUBiS: 1.61 } },
});
const PUBLISHED = { 'C-Twitter': 2, RUBiS: 1, 'TPC-C': 3 };
const stackedRows = [row('PolySI', 'RUBiS', 1)];
const named = (svg: Element): string[] =>
  all(svg).flatMap(({ name, attributes }) =>
    name === 'path' && attributes['aria-label'] ? [attributes['aria-label']] : [],
  );

describe('figures', () => {
  let lines: Element;
  beforeAll(async () => {
    lines = parse(await figureSvg(experiment(), rows));
  });

  test('figures have a point for every value, here and in the paper, described in words', () => {
    const points = named(lines).filter((text) => text.includes(': '));
    expect(points).toContain('PolySI · measured here · sessions 5: 0.5 s');
    expect(points).toContain('CobraSI w/ GPU · in the paper · sessions 10: 1.7 s');
    expect(points).toContain('dbcop · measured here · sessions 15: ≥ 10 s (timeout)');
    expect(points).toHaveLength(rows.length + 6);
  });

  test('figures have a line where time was out, here and in the paper', () => {
    const text = textOf(lines);
    expect(text).toContain('time-out 10 s');
    expect(text).toContain('time-out in the paper 180 s');
  });

  test('a chart of marks has one for each history, by verdict, and a line where time was out', async () => {
    const answers = [
      { verdict: 'satisfied', reason: null, wallMs: 500 },
      { verdict: 'violated', reason: null, wallMs: 20 },
      { verdict: 'unknown', reason: 'timeout', wallMs: 10_020 },
      { verdict: 'unknown', reason: 'memory', wallMs: 3 },
    ] as const;
    const many = {
      ...row('PolySI', 5, 2),
      verdict: 'unknown',
      reason: '2 of 4 histories: timeout',
      each: answers,
    } as const;
    const svg = await figureSvg(experiment({ chart: 'marks', published: {} }), [many, row('dbcop', 5, 0.25)]);
    const marks = named(parse(svg)).filter((text) => text.includes(': '));
    expect(marks.toSorted()).toEqual([
      'PolySI · measured here · sessions 5: 0.02 s, violated',
      'PolySI · measured here · sessions 5: 0.5 s, satisfied',
      'PolySI · measured here · sessions 5: 10 s, timeout',
      'PolySI · measured here · sessions 5: memory',
      'dbcop · measured here · sessions 5: 0.25 s, satisfied',
    ]);
    const fillOf = (label: string): string | undefined =>
      all(parse(svg)).find(({ attributes }) => attributes['aria-label']?.endsWith(label))?.attributes['fill'];
    expect(fillOf('satisfied')).toBe('#ffffff');
    expect(fillOf('violated')).toBe(COLOURS[0]);
    const text = textOf(parse(svg));
    expect(text).toContain('time-out 10 s');
    expect(text).toContain('hollow: satisfied');
  });

  test('figures have a line for the limit of memory only where a run reached it, not where its time was out', async () => {
    const memory = experiment({
      y: { label: 'peak memory (MB)', scale: 'log', metric: 'peakRssBytes' },
      published: {},
    });
    expect(textOf(parse(await figureSvg(memory, rows)))).not.toContain('memory limit');
    const full = timedOut('dbcop', 15, { reason: 'memory', peakRssBytes: 900e6 });
    expect(textOf(parse(await figureSvg(memory, [...rows.slice(0, 3), full])))).toContain('memory limit');
  });

  test('figures have axes from decade to decade, and powers of ten as labels', () => {
    expect(decades([0.26, 180])).toEqual([0.1, 1000]);
    expect(decades([1, 10])).toEqual([1, 10]);
    expect(decades([5])).toEqual([1, 10]);
    expect(decades([])).toEqual([0.1, 10]);
    const labels = all(lines, ({ name }) => name === 'text').map(textOf);
    expect(labels).toEqual(expect.arrayContaining(['0.1', '1', '10', '100', '1,000']));
  });

  test('figures are solid here and dashed in the paper', () => {
    const line = (label: string): Element => all(lines, ({ attributes }) => attributes['aria-label'] === label)[0]!;
    expect(line('PolySI · measured here').attributes['stroke-dasharray'] ?? '').toBe('');
    expect(line('PolySI · in the paper').attributes['stroke-dasharray']).toBe('5,4');
  });

  describe('with a published program', () => {
    const series = [
      { name: 'PolySI', checker: 'polysi' },
      { name: 'PolySI itself', checker: 'tool:polysi' },
      { name: 'isolab', checker: 'tool:isolab' },
    ];
    const beside = experiment({ series, published: {} });
    const itself = [row('PolySI itself', 5, 2), row('PolySI itself', 10, 3), row('isolab', 5, 1), row('isolab', 10, 1)];

    test('lines of a published program are dashed where it was measured, and the legend names it', async () => {
      const svg = parse(await figureSvg(beside, [...rows, ...itself]));
      const line = (label: string): Element => all(svg, ({ attributes }) => attributes['aria-label'] === label)[0]!;
      const dashes = (label: string): string => line(label).attributes['stroke-dasharray'] ?? '';
      expect(dashes('PolySI itself (published program) · measured here')).toBe('9,3');
      expect(dashes('PolySI · measured here')).toBe('');
      expect(dashes('isolab · measured here')).toBe('');
      const texts = all(svg, ({ name }) => name === 'text').map(textOf);
      expect(texts).toContain('PolySI itself (published program)');
      expect(texts).toContain('published program, measured here');
    });

    test('with a published program have paler bars of it', async () => {
      const barsBeside = experiment({ ...bars, series, published: {} });
      const svg = parse(await figureSvg(barsBeside, [row('PolySI', 'RUBiS', 1), row('PolySI itself', 'RUBiS', 2)]));
      const bar = (label: string): Element =>
        all(svg, ({ attributes }) => attributes['aria-label']?.startsWith(label) === true)[0]!;
      expect(bar('PolySI itself (published program) ·').attributes['fill-opacity']).toBe('0.45');
      expect(bar('PolySI · measured').attributes['fill-opacity']).toBe('1');
    });

    test('figures with a published program have a whole bar of it where it reports no stages', () => {
      const both = experiment({ ...stacked, series, published: {} });
      const whole = row('PolySI itself', 'RUBiS', 2, { stages: [] });
      expect(stagesOf(both, [...stackedRows, whole]).filter(({ bar }) => bar !== 'PolySI')).toEqual([
        { x: 'RUBiS', bar: 'PolySI itself (published program)', stage: 'not broken down', value: 2 },
      ]);
      expect(stagesOf(both, [row('PolySI', 'RUBiS', 2, { stages: [] })])).toEqual([]);
      // The time to collect the history is no part of the program's own time.
      const collected = { ...whole, stages: [{ name: 'generation', ms: 500 }] };
      expect(stagesOf(both, [collected]).map(({ stage, value }) => [stage, value])).toEqual([
        ['not broken down', 2],
        ['generation', 0.5],
      ]);
    });

    test('figures with a published program stand on a page that says once which program is missing, or is not trusted', () => {
      const reason = 'absent tool: polysi; isolab list tools polysi says how to get it';
      const missing = [5, 10].map((x) => row('PolySI itself', x, 0, { verdict: 'skipped', reason, wallMs: null }));
      const page = experimentPage(beside, [...rows, ...missing]);
      expect(page.split('Not available: polysi; isolab list tools polysi says how to get it.')).toHaveLength(2);
      const blind = row('PolySI itself', 5, 0, { verdict: 'skipped', reason: 'not trusted: polysi does not reject' });
      expect(experimentPage(beside, [...rows, blind])).toContain('Not available: polysi does not reject.');
      expect(experimentPage(beside, [...rows, ...itself])).not.toContain('Not available');
    });
  });

  test('figures show how far repeats lie apart', async () => {
    const repeats = [1, 2, 6].map((seconds, repeat) => row('PolySI', 5, seconds, { repeat }));
    const svg = parse(await figureSvg(experiment({ published: {} }), [...repeats, row('PolySI', 15, 1)]));
    expect(named(svg)).toContain('PolySI · measured here · sessions 5: 2 s, median; n 3: 1 s to 6 s');
    expect(all(svg, ({ attributes }) => attributes['class'] === 'mark-rule role-mark layer_1_marks')).toHaveLength(1);
  });

  test('figures name the only point of an axis as it is called', async () => {
    const svg = parse(await figureSvg(experiment({ published: {} }), [row('PolySI', 24, 1)]));
    expect(all(svg, ({ name }) => name === 'text').map(textOf)).toContain('24');
  });

  test('figures are bars, hollow for the paper', async () => {
    const svg = parse(await figureSvg(bars, barRows));
    const bar = (start: string): Element =>
      all(svg, ({ name, attributes }) => name === 'path' && (attributes['aria-label'] ?? '').startsWith(start))[0]!;
    expect(bar('PolySI · measured here · dataset RUBiS').attributes.fill).toBe('#0072b2');
    expect(bar('PolySI · in the paper · dataset RUBiS').attributes.fill).toBe('#ffffff');
    expect(bar('PolySI · in the paper · dataset TPC-C').attributes['aria-label']).toContain('≥ 180 s');
  });

  test.each(['bars', 'lines', 'stacked-bars'] as const)(
    '%s have the categories of the paper, in its order, also those that were not measured',
    async (chart) => {
      const of = { ...(chart === 'stacked-bars' ? stacked : bars), chart };
      const published = chart === 'stacked-bars' ? { solving: PUBLISHED } : { PolySI: PUBLISHED };
      const grid = { paper: ['TPC-C', 'RUBiS', 'C-Twitter'], laptop: ['RUBiS'], ci: ['RUBiS'] };
      const text = textOf(parse(await figureSvg({ ...of, grid, published }, [row('PolySI', 'RUBiS', 1)])));
      const at = grid.paper.map((name) => text.indexOf(name));
      expect(at).not.toContain(-1);
      expect(at).toEqual(at.toSorted((a, b) => a - b));
    },
  );

  test('figures have a cross where the paper has no value and no limit', async () => {
    const published = { PolySI: { RUBiS: 4.4, 'TPC-C': null }, dbcop: { RUBiS: 400 } };
    const svg = parse(await figureSvg({ ...bars, published }, barRows));
    expect(named(svg)).toContain('PolySI · in the paper · dataset TPC-C: out of time or memory in the paper');
    expect(named(parse(await figureSvg({ ...bars, published }, barRows, { paper: false }))).join('')).not.toContain(
      'in the paper',
    );
  });

  test('stack stages on one another, beside those of the paper', async () => {
    const labels = named(parse(await figureSvg(stacked, stackedRows)));
    expect(labels).toEqual(
      expect.arrayContaining([
        'construct · PolySI · dataset RUBiS: 0.1 s',
        'solve · PolySI · dataset RUBiS: 0.9 s',
        'pruning · paper · dataset RUBiS: 1.6 s',
      ]),
    );
    const alone = named(parse(await figureSvg(stacked, stackedRows, { paper: false })));
    expect(alone.some((label) => label.includes('paper'))).toBe(false);
  });

  test('figures are drawn without measurements, and not at all for tables and for nothing', async () => {
    expect(named(parse(await figureSvg(experiment(), [])))).not.toHaveLength(0);
    expect(await figureSvg(experiment({ published: {} }), [])).toBe('');
    expect(await figureSvg(experiment({ chart: 'table' }), rows)).toBe('');
  });

  test('figures stay intact with hostile names', async () => {
    const name = `PolySI ${HOSTILE}`;
    const hostile = experiment({
      title: HOSTILE,
      series: [{ name, checker: 'polysi' }],
      published: {},
      x: { label: HOSTILE, scale: 'linear' },
    });
    const svg = await figureSvg(hostile, [row(name, 5, 1), row(name, 10, 2)]);
    expect(all(parse(svg), ({ name: tag }) => tag === 'script')).toHaveLength(0);
    expect(named(parse(svg))[0]).toContain('<script>');
  });

  test('figures are the same each time', async () => {
    expect(await figureSvg(experiment(), rows)).toBe(
      await figureSvg(
        experiment(),
        rows.map((one) => ({ ...one })),
      ),
    );
  });

  test('figures come as a page with their values', async () => {
    const html = experimentPage(experiment(), rows, { svg: await figureSvg(experiment(), rows), command: '' });
    const page = parse(html, { html: true });
    expect(all(page, ({ name }) => name === 'svg')).toHaveLength(1);
    expect(textOf(page)).toContain('≥ 10 s');
    expect(() => new Function(CHART_SCRIPT)).not.toThrow();
  });
});

describe('values', () => {
  test('values count memory in MB, and a run without memory as its limit', () => {
    const memory = experiment({ y: { label: 'memory', scale: 'log', metric: 'peakRssBytes' }, published: {} });
    const points = pointsOf(memory, [
      row('PolySI', 5, 1),
      row('dbcop', 5, 1, { verdict: 'unknown', reason: 'memory', peakRssBytes: 900e6 }),
    ]);
    expect(points.map(({ value, isLimit }) => [value, isLimit])).toEqual([
      [250, false],
      [1000, true],
    ]);
  });

  test('values are counters, and milliseconds of the paper', () => {
    const counted = experiment({
      y: { label: 'n', scale: 'log', metric: { counter: 'n' } },
      published: { PolySI: { 5: 7 } },
      publishedUnit: 'count',
    });
    expect(pointsOf(counted, [row('PolySI', 5, 1, { counters: { n: 3 } })]).map(({ value }) => value)).toEqual([3, 7]);
    expect(pointsOf(experiment({ published: { PolySI: { 5: 250 } }, publishedUnit: 'ms' }), [])[0]!.value).toBe(0.25);
  });

  test('values of a paper that ran longer than its limit have no limit', () => {
    const unlimited = experiment({ published: { PolySI: { 5: 4000, 10: null } } });
    expect(pointsOf(unlimited, []).map(({ value, isLimit, reason }) => [value, isLimit, reason])).toEqual([
      [4000, false, null],
      [null, true, 'out of time or memory in the paper'],
    ]);
    expect(tableMarkdown(unlimited, [])).toContain('| 10 | out of time or memory in the paper |');
  });

  test('values of a run that gave up are none: it is drawn as a cross, interrupts the line, and the table says why', async () => {
    const incomplete = row('Elle', 10, 0.0002, {
      verdict: 'unknown',
      reason: 'incomplete: no total order',
      checker: 'baselines-sat',
    });
    const own = experiment({ published: {} });
    const measured = [row('Elle', 5, 2), incomplete, row('Elle', 15, 3)];
    const points = pointsOf(own, measured);
    expect(points.map(({ value, gaveUp }) => [value, gaveUp])).toEqual([
      [2, false],
      [null, true],
      [3, false],
    ]);
    expect(tableMarkdown(own, measured)).toContain('gave up: incomplete: no total order');
    const svg = parse(await figureSvg(own, measured));
    const marks = all(svg, ({ attributes }) => attributes['aria-label']?.includes('Elle') === true);
    const labels = marks.map(({ attributes }) => attributes['aria-label']!);
    expect(labels.filter((label) => label.includes('gave up: incomplete'))).toHaveLength(1);
    expect(labels.filter((label) => label === 'Elle · measured here')).toHaveLength(2);
  });

  test('values of the paper as a whole are no stages', () => {
    const whole = { ...stacked, published: { PolySI: { RUBiS: 4 } } };
    expect(stagesOf(whole, stackedRows).at(-1)).toEqual({
      x: 'RUBiS',
      bar: 'PolySI (paper)',
      stage: 'not broken down',
      value: 4,
    });
  });

  test('values are shown with the digits that count', () => {
    expect([0, 0.0123, 1.26, 12.34, 1234.5, 1_234_567].map((value) => shown(value, ''))).toEqual([
      '0',
      '0.012',
      '1.3',
      '12.3',
      '1,235',
      '1,234,567',
    ]);
  });
});

describe('tables', () => {
  test('tables are written as Markdown', () => {
    expect(tableMarkdown(experiment(), rows).split('\n').slice(0, 4)).toEqual([
      '| sessions | PolySI | PolySI (paper) | dbcop | dbcop (paper) | CobraSI w/ GPU (paper) |',
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      '| 5 | 0.5 s | 0.61 s | 2 s | 0.26 s | 0.54 s |',
      '| 10 |  | 1.1 s |  | ≥ 180 s | 1.7 s |',
    ]);
  });

  test('tables of anomalies, with the verdict', () => {
    const found = experiment({ chart: 'table', x: { label: 'anomaly', scale: 'category' }, published: {} });
    const of = [row('PolySI', 'lost update', 1, { verdict: 'violated' }), timedOut('dbcop', 'lost update')];
    expect(tableMarkdown(found, of)).toContain('| lost update | violated, 1 s | ≥ 10 s |');
  });

  test('tables are written as CSV, a line a value', () => {
    const lines = tableCsv(experiment(), [...rows, row('a "quoted", name', 5, 1)])
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toBe('experiment,scale,source,series,stage,x,value,unit,low,high,repeats,is limit,verdict,reason');
    expect(lines).toContain('polysi/fig6a,ci,here,PolySI,,5,0.5,s,0.5,0.5,1,no,satisfied,');
    expect(lines).toContain('polysi/fig6a,ci,here,dbcop,,15,10,s,10,10,1,yes,,timeout');
    expect(lines.some((line) => line.includes('"a ""quoted"", name"'))).toBe(true);
    expect(tableCsv(stacked, stackedRows)).toContain('polysi/fig6a,published,paper,paper,solving,RUBiS,0.16,s');
  });

  test('with the interval of repeats', () => {
    const repeats = [1, 2, 6].map((seconds, repeat) => row('PolySI', 5, seconds, { repeat }));
    expect(tableMarkdown(experiment({ published: {} }), repeats)).toContain('| 5 | 2 s (n 3: 1 s to 6 s) |');
    expect(tableMarkdown(experiment(), repeats)).toContain('time (s), median (n runs: interval of 95 %).');
    expect(tableCsv(experiment(), repeats)).toContain(',5,2,s,1,6,3,no,satisfied,');
    expect(tableHtml(experiment(), rows)).not.toContain('n runs');
  });

  test('tables are written as HTML', () => {
    const table = parse(tableHtml(stacked, stackedRows), { html: true });
    expect(all(table, ({ name }) => name === 'th').map(textOf)).toEqual([
      'dataset',
      'PolySI: construct',
      'PolySI: solve',
      'paper: solving',
      'paper: pruning',
    ]);
  });
});
