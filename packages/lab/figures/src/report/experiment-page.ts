import { CHART_SCRIPT, chartBlock } from '../chart/figure.ts';
import { CHART_STYLE } from '../chart/look.ts';
import { apartAt, apartText } from '../chart/apart.ts';
import { scaleOf, shown, valueOf, unitOf } from '../chart/points.ts';
import { tableHtml } from '../chart/tables.ts';
import { captionOf } from './caption.ts';
import { evaluateClaims } from './claims.ts';
import { escapeXml, grouped, htmlPage, htmlTable, plural } from '@isolab/story/markup';
import { absentPrograms } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { claimsTable } from './claims-html.ts';
import type { DataOfSeries } from './data-kinds.ts';
import { type OwnResults, besideTable, ownText } from './own-results.ts';
import { REPORT_STYLE } from './report-style.ts';

export interface Link {
  readonly text: string;
  readonly href: string;
}

export interface ExperimentPageOptions extends OwnResults {
  /** Output of figureSvg. */
  readonly svg?: string;
  /** Links back: index, summary. */
  readonly navigation?: readonly Link[];
  /** Files of the figure: SVG, PNG, CSV, JSON. */
  readonly files?: readonly Link[];
  /** Command that runs the experiment again. */
  readonly command?: string;
  /** Origin of the histories of each series. */
  readonly data?: DataOfSeries;
}

/** Page of an experiment: claim, figure, table, expectation and result, set-up, deviations, machine, command. */
export function experimentPage(
  experiment: Experiment,
  rows: readonly Measurement[],
  options: ExperimentPageOptions = {},
): string {
  const { svg = '', navigation = [], files = [], command, data } = options;
  const own = rows.filter((row) => row.experiment === experiment.id);
  const whose = ownText(options, own);
  const results = evaluateClaims(experiment, own);
  const { id, title, claim, deviations = [] } = experiment;
  const section = (heading: string, html: string): string =>
    html === '' ? '' : `<section><h2>${heading}</h2>${html}</section>`;
  const table = own.length === 0 ? '<p>Nothing was measured yet.</p>' : '';
  return htmlPage({
    title: `${id}: ${title}`,
    style: REPORT_STYLE + CHART_STYLE,
    script: svg === '' ? '' : CHART_SCRIPT,
    body: `${navigationHtml(navigation)}<main id="main"><h1>${escapeXml(title)} <span class="faint">${escapeXml(id)}</span></h1>
<p>${escapeXml(claim)}</p>
${chartBlock(experiment, svg)}
${own.length === 0 ? '' : `<p class="faint">${escapeXml(captionOf(experiment, own, data))}</p>`}
${table}${apartHtml(own)}${absentHtml(experiment, own)}<details open><summary>Values</summary>${tableHtml(experiment, own)}</details>
${linkList(files)}${whose === '' ? '' : `<p>${escapeXml(whose)}</p>`}
${section('Claims', results.length === 0 ? '' : claimsTable(results))}
${section('Your results beside the repository’s', besideTable(experiment, options))}
${section('Set-up', setUp(experiment, own))}
${section('Deviations from the paper', deviations.length === 0 ? '' : `<ul>${deviations.map((text) => `<li>${escapeXml(text)}</li>`).join('')}</ul>`)}
${section('Runs', own.length === 0 ? '' : runs(experiment, own))}
${section('Run it again', command === undefined ? '' : `<pre><code>${escapeXml(command)}</code></pre>`)}
</main>`,
  });
}

/** Marks points that compare new rows with rows kept from other runs. */
function apartHtml(rows: readonly Measurement[]): string {
  const apart = apartAt(rows);
  return apart.length === 0
    ? ''
    : `<p class="warn">The series were not measured together ${escapeXml(apartText(apart))}, so their ranking may come from the machine. isolab bench measures such points again where all programs and data are available.</p>`;
}

/** Published programs that the figure lacks, because they are not on this machine. */
function absentHtml(experiment: Experiment, rows: readonly Measurement[]): string {
  const reasons = absentPrograms(experiment, rows);
  return reasons.length === 0 ? '' : `<p class="faint">Not available: ${reasons.map(escapeXml).join('; ')}.</p>`;
}

export const navigationHtml = (links: readonly Link[]): string =>
  links.length === 0 ? '' : `<nav aria-label="Reports">${links.map(linkHtml).join(' · ')}</nav>`;

/** Accepts only relative addresses and web addresses, so that a link cannot run code. */
export const linkHtml = ({ text, href }: Link): string =>
  /^(?:https?:\/\/|[^:]*$|[^:]*[/?#])/i.test(href)
    ? `<a href="${escapeXml(href)}">${escapeXml(text)}</a>`
    : escapeXml(text);

const linkList = (links: readonly Link[]): string =>
  links.length === 0 ? '' : `<p class="faint">As a file: ${links.map(linkHtml).join(', ')}</p>`;

function setUp(experiment: Experiment, rows: readonly Measurement[]): string {
  const { history, series, limits, repeats, level } = experiment;
  const scale = scaleOf(rows);
  const facts: [string, string][] = [
    ['level', `<code>${escapeXml(level)}</code>`],
    ['history', `<code>${escapeXml(historyText(history))}</code>`],
    ['sizes', escapeXml(sizes(rows))],
    [
      'series',
      series.map((one) => `<b>${escapeXml(one.name)}</b> <code>${escapeXml(seriesText(one))}</code>`).join('<br>'),
    ],
    [
      'limits',
      escapeXml(
        `${limits[scale].seconds} s and ${grouped(limits[scale].megabytes)} MB per run at scale ${scale}; in the paper ${limits.paper.seconds} s and ${grouped(limits.paper.megabytes)} MB`,
      ),
    ],
    ['repeats', escapeXml(`${repeats[scale]} here, ${repeats.paper} in the paper`)],
    ['machine', machines(rows)],
  ];
  return `<dl class="facts">${facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`)
    .join('')}</dl>`;
}

const historyText = (history: Experiment['history']): string =>
  Object.entries(history)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');

const seriesText = ({ checker, variant, options = {}, level }: Experiment['series'][number]): string =>
  [
    variant === undefined ? checker : `${checker}:${variant}`,
    ...Object.entries(options).map(([name, value]) => `--option ${name}=${value}`),
    level === undefined ? '' : `--level ${level}`,
  ]
    .filter((word) => word !== '')
    .join(' ');

function sizes(all: readonly Measurement[]): string {
  // A run that did not take place has read no history.
  const rows = all.filter(({ history }) => history.sessions > 0);
  const range = (name: 'sessions' | 'transactions' | 'operations' | 'keys'): string => {
    const values = rows.map(({ history }) => history[name]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? plural(low, name.replace(/s$/, '')) : `${grouped(low)} to ${grouped(high)} ${name}`;
  };
  return rows.length === 0 ? '' : (['sessions', 'transactions', 'operations', 'keys'] as const).map(range).join(', ');
}

function machines(rows: readonly Measurement[]): string {
  const lines = new Set(rows.map(({ run }) => `${run.machine}; Node ${run.node}; commit ${run.commit.slice(0, 12)}`));
  const load = rows.map(({ run }) => run.load);
  const at = rows.map(({ run }) => run.at.slice(0, 10)).toSorted();
  if (rows.length === 0) return '';
  const when = at[0] === at.at(-1) ? at[0]! : `${at[0]} to ${at.at(-1)}`;
  return `${[...lines].map(escapeXml).join('<br>')}<br>${escapeXml(`${when}, load ${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}`)}`;
}

function runs(experiment: Experiment, rows: readonly Measurement[]): string {
  const { metric } = experiment.y;
  const table = htmlTable(
    'All runs',
    [
      { head: experiment.x.label, cell: ({ x }) => escapeXml(String(x)) },
      { head: 'series', cell: ({ series }) => escapeXml(series) },
      { head: 'repeat', cell: ({ repeat }) => String(repeat), isNumber: true },
      { head: 'verdict', cell: verdictHtml },
      ...(typeof metric === 'object'
        ? [
            {
              head: metric.counter,
              cell: (row: Measurement) => textOf(valueOf(row, metric), unitOf(metric)),
              isNumber: true,
            },
          ]
        : []),
      ...(metric === 'fromFileMs'
        ? [{ head: 'from file', cell: (row: Measurement) => textOf(valueOf(row, metric), 's'), isNumber: true }]
        : []),
      { head: 'wall', cell: (row) => textOf(valueOf(row, 'wallMs'), 's'), isNumber: true },
      { head: 'CPU', cell: (row) => textOf(valueOf(row, 'cpuMs'), 's'), isNumber: true },
      { head: 'peak memory', cell: (row) => textOf(valueOf(row, 'peakRssBytes'), 'MB'), isNumber: true },
      {
        head: 'certificate',
        cell: ({ certificate }) => (certificate === 'rejected' ? '<b class="bad">rejected</b>' : certificate),
      },
      { head: 'history', cell: ({ history }) => `<code>${escapeXml(history.id)}</code>` },
    ],
    rows,
  );
  return `<details><summary>${plural(rows.length, 'run')}</summary>${table}</details>`;
}

const textOf = (value: number | null, unit: ReturnType<typeof unitOf>): string =>
  value === null ? '' : shown(value, unit);

const verdictHtml = ({ verdict, reason }: Measurement): string =>
  verdict === 'unknown' || verdict === 'skipped'
    ? `<span class="warn">${verdict}${reason === null ? '' : `: ${escapeXml(reason)}`}</span>`
    : verdict;
