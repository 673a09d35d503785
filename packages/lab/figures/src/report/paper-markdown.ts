// A paper's page in Markdown for readers of the repository: its figures first, each with its claims folded.

import { capitalised, codeMarkdown, escapeMarkdown, fencedMarkdown, markdownRow, plural } from '@isolab/story/markup';
import { tableMarkdown } from '../chart/tables.ts';
import { captionOf } from './caption.ts';
import { absentPrograms } from '../results/published.ts';
import type { ClaimResult } from '../results/results.ts';
import { requiredText } from './claim-text.ts';
import { BANDS_TEXT } from './claims/bands.ts';
import {
  SIGNS_TEXT,
  claimsOf,
  numbersText,
  outcomeText,
  sourceText,
  tallies,
  tallyOf,
  tallySigns,
  tallyText,
} from './claims-html.ts';
import { DATA_KINDS, DATA_NAMES, type SeriesData } from './data-kinds.ts';
import { type ReportEntry, claimsOfEntry } from './index-page.ts';
import { scalesText } from './largest-scale.ts';

/** Paper that a folder of experiments reproduces. */
export interface PaperInfo {
  readonly title: string;
  readonly cites: readonly {
    readonly authors: string;
    readonly title: string;
    readonly where: string;
    readonly href?: string;
  }[];
}

export interface PaperPageOptions extends PaperInfo {
  /** Name of the folder in benchmarks/. */
  readonly name: string;
  readonly scale: string;
  /** Machines and commits of the results. */
  readonly note: string;
}

/** The figures are SVG files in a folder beside the page, which has the paper's name. */
export function paperMarkdown(entries: readonly ReportEntry[], options: PaperPageOptions): string {
  const { name, title, cites, scale, note } = options;
  const figures = entries.map((entry) => ({ entry, claims: claimsOfEntry(entry) }));
  const all = figures.flatMap(({ claims }) => claims);
  return `${[
    `# ${escapeMarkdown(title)}`,
    `${capitalised(tallies(all, tallyText))}${scalesText(all)}. The figures are of scale ${scale}. [All papers](summary.md)`,
    details(`Outcomes of ${plural(figures.length, 'figure')}`, `${contents(figures)}\n\n${SIGNS_TEXT}. ${BANDS_TEXT}`),
    ...figures.flatMap((figure) => figureParts(figure, scale)),
    '## To cite and to repeat',
    ...(cites.length === 0 ? [] : [citesText(options)]),
    escapeMarkdown(note),
    `Run everything again: ${codeMarkdown(`npx isolab bench ${name} --scale ${scale} && npx isolab bench report --scale ${scale}`)}`,
  ].join('\n\n')}\n`;
}

interface Figure {
  readonly entry: ReportEntry;
  readonly claims: readonly ClaimResult[];
}

function citesText({ cites, name }: PaperPageOptions): string {
  const lines = cites.map(({ authors, title, where, href }) => {
    const work = href === undefined ? escapeMarkdown(title) : `[${escapeMarkdown(title)}](${href})`;
    return `${escapeMarkdown(authors)}. *${work}*. ${escapeMarkdown(where)}.`;
  });
  const both = `and isolab: [CITATION.cff](../../CITATION.cff).`;
  if (lines.length === 1)
    return `> **To cite** if you use the ${name} figures: ${lines[0]!}\n>\n> ${both[0]!.toUpperCase()}${both.slice(1)}`;
  return [
    `**To cite**, for the histories and programs that you use:`,
    '',
    ...lines.map((line) => `- ${line}`),
    `- ${both}`,
  ].join('\n');
}

const contents = (figures: readonly Figure[]): string =>
  [
    '| figure | what it shows | data | the paper | our checks |',
    '| --- | --- | --- | --- | --- |',
    ...figures.map(({ entry: { experiment, data }, claims }) => {
      const kinds = new Set([...(data?.values() ?? [])].map(({ kind }) => kind));
      const cells = [
        experiment.title,
        DATA_KINDS.filter((kind) => kinds.has(kind)).join(', '),
        tallySigns(tallyOf(claimsOf(claims, 'paper'))),
        tallySigns(tallyOf(claimsOf(claims, 'sanity'))),
      ];
      return `| [${escapeMarkdown(figureName(experiment.figure)).replace(' ', '&nbsp;')}](#${experiment.figure}) | ${cells.map(escapeMarkdown).join(' | ')} |`;
    }),
  ].join('\n');

/** Name of a figure such as "fig7a", as the paper writes it. */
function figureName(figure: string): string {
  const [, kind, number] = /^(fig|tab)(\d.*)$/.exec(figure) ?? [];
  return number === undefined ? figure : `${kind === 'fig' ? 'Figure' : 'Table'} ${number}`;
}

function figureParts({ entry, claims }: Figure, scale: string): string[] {
  const { experiment, rows, data = new Map<string, SeriesData>(), svg = '' } = entry;
  const { id, figure, title, claim, deviations = [] } = experiment;
  const values = tableMarkdown(experiment, rows).trim();
  const alt = `${figureName(figure)}: ${title}. Its values are in the table below.`;
  const absent = absentPrograms(experiment, rows);
  return [
    `<a id="${figure}"></a>`,
    `## ${escapeMarkdown(`${figureName(figure)}: ${title}`)}`,
    escapeMarkdown(claim),
    ...(rows.length === 0 ? ['Not measured yet.'] : svg === '' ? [values] : [`![${escapeMarkdown(alt)}](${id}.svg)`]),
    ...(rows.length === 0 ? [] : [`*${escapeMarkdown(captionOf(experiment, rows, data))}*`]),
    ...(claims.length === 0 ? [] : [details(capitalised(tallies(claims, tallyText)), claimTable(claims))]),
    ...(rows.length === 0 || svg === '' ? [] : [details('Values', values)]),
    details(
      'Data, differences from the paper, and the command',
      [
        ...(data.size === 0 ? [] : [dataText(data)]),
        ...(absent.length === 0
          ? []
          : [`**Not available during the measurement.** ${absent.map(escapeMarkdown).join('; ')}.`]),
        ...(deviations.length === 0 ? [] : [deviations.map((text) => `- ${escapeMarkdown(text)}`).join('\n')]),
        fencedMarkdown(commands(id, data, scale), 'sh'),
      ].join('\n\n'),
    ),
  ];
}

/** Text about the origins of the histories, and the series that ran on them. */
function dataText(data: ReadonlyMap<string, SeriesData>): string {
  const lines = DATA_KINDS.flatMap((kind) => {
    const own = [...data].filter(([, one]) => one.kind === kind);
    if (own.length === 0) return [];
    const from = new Map(own.flatMap(([, one]) => one.from.map((link) => [link.href, link.text] as const)));
    const links = [...from].map(([href, text]) => `[${escapeMarkdown(text)}](${href})`).join(', ');
    const who = own.length === data.size ? '' : `: ${own.map(([name]) => escapeMarkdown(name)).join(', ')}`;
    return `${DATA_NAMES[kind]}${links === '' ? '' : ` (${links})`}${who}`;
  });
  return `**Data.** ${lines.map(capitalised).join('. ')}.`;
}

/** Claims of the paper, then our own checks. */
const claimTable = (claims: readonly ClaimResult[]): string =>
  [
    '| | scale | whose | claim | required | measured |',
    '| --- | --- | --- | --- | --- | --- |',
    ...[...claimsOf(claims, 'paper'), ...claimsOf(claims, 'sanity')].map((result) =>
      markdownRow([
        outcomeText(result.outcome),
        result.scale ?? '–',
        sourceText(result.claim),
        result.claim.text,
        requiredText(result.claim),
        numbersText(result),
      ]),
    ),
  ].join('\n');

export const details = (summary: string, body: string): string =>
  `<details><summary>${escapeMarkdown(summary)}</summary>\n\n${body}\n\n</details>`;

function commands(id: string, data: ReadonlyMap<string, SeriesData>, scale: string): string {
  const archives = new Set([...data.values()].flatMap(({ from }) => from.flatMap(({ archive }) => archive ?? [])));
  const get = archives.size === 0 ? [] : [`npx isolab bench datasets get ${[...archives].join(' ')}`];
  return [...get, `npx isolab bench ${id} --scale ${scale}`].join('\n');
}
