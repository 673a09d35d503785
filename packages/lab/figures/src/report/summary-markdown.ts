import { evaluateClaims } from './claims.ts';
import { BANDS_TEXT } from './claims/bands.ts';
import type { ClaimResult } from '../results/results.ts';
import { escapeMarkdown, markdownRow, plural } from '@isolab/story/markup';
import { DATA_KINDS, DATA_NAMES, type DataOrigin, dataOfClaim } from './data-kinds.ts';
import { ORIGINS, ORIGIN_NAMES, claimsOf, hasNote, sourceText, tallyOf, tallyText } from './claims-html.ts';
import { type ReportEntry, type ReportOptions, byPaper } from './index-page.ts';

export interface SummaryOptions extends ReportOptions {
  /** Link to the page of a paper, if there is one. */
  readonly pageOf?: (paper: string) => string;
}

/** Number of claims that hold, by the data on which they were tested: the first line of the summary. */
export function overviewMarkdown(entries: readonly ReportEntry[]): string {
  const claims = entries.flatMap(({ experiment, rows, data = new Map() }) =>
    evaluateClaims(experiment, rows).map((result) => ({ ...result, data: dataOfClaim(result.claim, data) })),
  );
  const counts = (kind: DataOrigin | undefined): string[] =>
    ORIGIN_NAMES.map((origin) => {
      const own = claimsOf(claims, origin);
      return tallyText(tallyOf(kind === undefined ? own : own.filter(({ data }) => data === kind)));
    });
  const kinds = DATA_KINDS.filter((kind) => claims.some(({ data }) => data === kind));
  return [
    `${plural(claims.length, 'claim')} of ${plural(entries.length, 'experiment')}:`,
    table(
      ['data', ...ORIGIN_NAMES.map((origin) => ORIGINS[origin].many)],
      [...kinds.map((kind) => [DATA_NAMES[kind], ...counts(kind)]), ['all', ...counts(undefined)]],
    ),
  ].join('\n\n');
}

/** Summary page for readers of the repository: claims that hold as counts, the others one by one. */
export function summaryMarkdown(
  entries: readonly ReportEntry[],
  { title = 'Reproduced claims', note = '', pageOf }: SummaryOptions = {},
): string {
  const papers = byPaper(entries).map(([paper, list]) => ({
    paper,
    claims: list.flatMap(({ experiment, rows }) =>
      evaluateClaims(experiment, rows).map((claim) => ({ figure: experiment.figure, ...claim })),
    ),
    experiments: list.length,
  }));
  return `${[
    `# ${escapeMarkdown(title)}`,
    overviewMarkdown(entries),
    BANDS_TEXT,
    paperTable(papers, pageOf),
    ...papers.flatMap(({ paper, claims }) => {
      const others = claims.filter(({ outcome }) => outcome !== 'holds');
      return others.length === 0
        ? []
        : [`## ${escapeMarkdown(paper)}: claims that do not hold in full`, listed(others)];
    }),
    escapeMarkdown(note),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

/** Table with a line per paper and a link to its page. */
const paperTable = (
  papers: readonly { readonly paper: string; readonly claims: readonly ClaimResult[]; readonly experiments: number }[],
  pageOf: SummaryOptions['pageOf'],
): string =>
  [
    markdownRow(['paper', 'experiments', ...ORIGIN_NAMES.map((origin) => ORIGINS[origin].many)]),
    `|${' --- |'.repeat(2 + ORIGIN_NAMES.length)}`,
    ...papers.map(({ paper, experiments, claims }) => {
      const name = pageOf === undefined ? escapeMarkdown(paper) : `[${escapeMarkdown(paper)}](${pageOf(paper)})`;
      const counts = ORIGIN_NAMES.map((origin) => escapeMarkdown(tallyText(tallyOf(claimsOf(claims, origin)))));
      return `| ${[name, String(experiments), ...counts].join(' | ')} |`;
    }),
  ].join('\n');

const listed = (claims: readonly (ClaimResult & { readonly figure: string })[]): string =>
  table(
    ['figure', 'whose', 'claim', 'outcome', 'numbers'],
    claims.map(({ figure, claim, outcome, detail }) => [
      figure,
      sourceText(claim),
      claim.text,
      outcome,
      hasNote(outcome) && claim.note !== undefined ? `${detail}. ${claim.note}` : detail,
    ]),
  );

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [markdownRow(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(markdownRow)].join('\n');
