// Tables with the numbers of a figure: a row per x, a column per series, with the paper's value beside the local one.

import { type Column, csvField, escapeMarkdown, escapeXml, htmlTable, markdownRow } from '@isolab/story/markup';
import { PAPER_MARK, isPaperBar } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import {
  type StagePoint,
  inOrder,
  pointsOf,
  scaleOf,
  seriesOf,
  shown,
  shownPoint,
  shownSpread,
  stagesOf,
  unitOf,
} from './points.ts';

interface Table {
  /** Description of the cells' content. */
  readonly about: string;
  readonly head: readonly string[];
  readonly lines: readonly { readonly x: string; readonly cells: readonly string[] }[];
}

function tableOf(experiment: Experiment, rows: readonly Measurement[]): Table {
  const own = rows.filter((row) => row.experiment === experiment.id);
  return experiment.y.metric === 'stages' ? stageTable(experiment, own) : valueTable(experiment, own);
}

function valueTable(experiment: Experiment, rows: readonly Measurement[]): Table {
  const unit = unitOf(experiment.y.metric);
  const points = pointsOf(experiment, rows);
  const names = [...new Set([...seriesOf(experiment, rows), ...points.map(({ series }) => series)])];
  const columns = names.flatMap((series) =>
    (['here', 'paper'] as const)
      .filter((source) => points.some((point) => point.series === series && point.source === source))
      .map((source) => ({ series, source })),
  );
  const xs = inOrder(
    experiment,
    points.map(({ x }) => x),
  );
  const cellAt = (x: number | string, column: (typeof columns)[number]): string => {
    const point = points.find((one) => one.x === x && one.series === column.series && one.source === column.source);
    if (point === undefined) return '';
    if (experiment.y.metric === 'found' && experiment.chart === 'table') return foundSign(rows, column.series, x);
    const verdicts = column.source === 'here' ? verdictsAt(rows, column.series, x) : '';
    // In some tables, such as those of anomalies found, the verdict is the main information.
    const spread = shownSpread(point, unit);
    const text = `${shownPoint(point, unit)}${spread === '' ? '' : ` (${spread})`}`;
    return verdicts !== '' && (experiment.chart === 'table' || verdicts.includes('/')) ? `${verdicts}, ${text}` : text;
  };
  const isRepeated = points.some(({ repeats }) => repeats > 1);
  return {
    about:
      experiment.y.metric === 'found' && experiment.chart === 'table'
        ? '● found, ○ missed, – not supported'
        : isRepeated
          ? `${experiment.y.label}, median (n runs: interval of 95 %)`
          : experiment.y.label,
    head: columns.map(({ series, source }) => (source === 'paper' ? series + PAPER_MARK : series)),
    lines: xs.map((x) => ({ x: String(x), cells: columns.map((column) => cellAt(x, column)) })),
  };
}

/** Sign of a table of findings, as papers print it: found, missed, or not supported. */
function foundSign(rows: readonly Measurement[], series: string, x: number | string): string {
  const own = rows.filter((row) => row.series === series && row.x === x && row.verdict !== 'skipped');
  if (own.length === 0) return '';
  if (own.every(({ reason }) => reason?.startsWith('unsupported') === true)) return '–';
  return own.some(({ verdict }) => verdict === 'violated') ? '●' : '○';
}

/** Verdicts of the runs, if any: all of them if they disagree. */
function verdictsAt(rows: readonly Measurement[], series: string, x: number | string): string {
  const verdicts = rows
    .filter(
      (row) => row.series === series && row.x === x && (row.verdict === 'satisfied' || row.verdict === 'violated'),
    )
    .map(({ verdict }) => verdict);
  return [...new Set(verdicts)].join('/');
}

function stageTable(experiment: Experiment, rows: readonly Measurement[]): Table {
  const stages = stagesOf(experiment, rows);
  const bars = [...new Set(stages.map(({ bar }) => bar))];
  const names = [...new Set(stages.map(({ stage }) => stage))];
  const columns = bars.flatMap((bar) =>
    names
      .filter((stage) => stages.some((one) => one.bar === bar && one.stage === stage))
      .map((stage) => ({ bar, stage })),
  );
  const cell = (x: number | string, { bar, stage }: { bar: string; stage: string }): string => {
    const found = stages.find((one: StagePoint) => one.x === x && one.bar === bar && one.stage === stage);
    return found === undefined ? '' : shown(found.value, 's');
  };
  const xs = inOrder(
    experiment,
    stages.map(({ x }) => x),
  );
  return {
    about: experiment.y.label,
    head: columns.map(({ bar, stage }) => (bars.length === 1 ? stage : `${bar}: ${stage}`)),
    lines: xs.map((x) => ({ x: String(x), cells: columns.map((column) => cell(x, column)) })),
  };
}

export function tableHtml(experiment: Experiment, rows: readonly Measurement[]): string {
  const { about, head, lines } = tableOf(experiment, rows);
  const columns: Column<Table['lines'][number]>[] = [
    { head: experiment.x.label, cell: ({ x }) => `<b>${escapeXml(x)}</b>` },
    ...head.map((name, i) => ({
      head: name,
      cell: ({ cells }: Table['lines'][number]) => valueHtml(cells[i]!),
      isNumber: true,
    })),
  ];
  return htmlTable(`${experiment.title}: ${about}`, columns, lines);
}

/** A reason in place of a value would make its column too wide; the list of runs has the full text. */
function valueHtml(text: string): string {
  if (text.length <= LONGEST_VALUE) return escapeXml(text);
  const [, begin] = /^([a-z][a-z ]+): /i.exec(text) ?? [];
  return begin === undefined
    ? `<span class="words">${escapeXml(text)}</span>`
    : `<span title="${escapeXml(text)}">${escapeXml(begin)}</span>`;
}

const LONGEST_VALUE = 24;

export function tableMarkdown(experiment: Experiment, rows: readonly Measurement[]): string {
  const { about, head, lines } = tableOf(experiment, rows);
  return [
    markdownRow([experiment.x.label, ...head]),
    `| --- |${' ---: |'.repeat(head.length)}`,
    ...lines.map(({ x, cells }) => markdownRow([x, ...cells])),
    '',
    `${escapeMarkdown(about)}.`,
    '',
  ].join('\n');
}

/** One line per value: for spreadsheets and other plotting programs. */
export function tableCsv(experiment: Experiment, rows: readonly Measurement[]): string {
  const own = rows.filter((row) => row.experiment === experiment.id);
  const isStages = experiment.y.metric === 'stages';
  const values = valueLines(experiment, own).filter(({ source }) => !isStages || source === 'here');
  const lines = isStages ? [...values, ...stageLines(experiment, own)] : values;
  const texts = [CSV_COLUMNS, ...lines.map((line) => CSV_COLUMNS.map((column) => line[column] ?? null))];
  return `${texts.map((line) => line.map(csvField).join(',')).join('\r\n')}\r\n`;
}

const CSV_COLUMNS = [
  'experiment',
  'scale',
  'source',
  'series',
  'stage',
  'x',
  'value',
  'unit',
  'low',
  'high',
  'repeats',
  'is limit',
  'verdict',
  'reason',
] as const;

type CsvLine = Readonly<Partial<Record<(typeof CSV_COLUMNS)[number], string | number | null>>>;

const valueLines = (experiment: Experiment, rows: readonly Measurement[]): CsvLine[] =>
  pointsOf(experiment, rows).map((point) => ({
    experiment: experiment.id,
    scale: point.source === 'here' ? scaleOf(rows) : 'published',
    source: point.source,
    series: point.series,
    x: point.x,
    value: point.value,
    unit: unitOf(experiment.y.metric) || 'count',
    low: point.low,
    high: point.high,
    repeats: point.repeats,
    'is limit': point.isLimit ? 'yes' : 'no',
    verdict: point.source === 'here' ? verdictsAt(rows, point.series, point.x) : '',
    reason: point.reason,
  }));

const stageLines = (experiment: Experiment, rows: readonly Measurement[]): CsvLine[] =>
  stagesOf(experiment, rows).map(({ x, bar, stage, value }) => {
    const isPaper = isPaperBar(bar);
    return {
      experiment: experiment.id,
      scale: isPaper ? 'published' : scaleOf(rows),
      source: isPaper ? 'paper' : 'here',
      series: bar,
      stage,
      x,
      value,
      unit: 's',
    };
  });
