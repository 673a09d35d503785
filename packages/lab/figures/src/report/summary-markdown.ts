import { BANDS_TEXT } from './claims/bands.ts';
import type { ClaimResult } from '../results/results.ts';
import { escapeMarkdown, markdownRow, plural } from '@isolab/story/markup';
import { DATA_KINDS, DATA_NAMES } from './data-kinds.ts';
import { ORIGINS, ORIGIN_NAMES, claimsOf, numbersText, sourceText, tallyOf, tallyText } from './claims-html.ts';
import { type ReportEntry, type ReportOptions, byPaper, claimsOfEntry } from './index-page.ts';
import { type Decided, scalesIn } from './largest-scale.ts';
import { details } from './paper-markdown.ts';

export interface SummaryOptions extends ReportOptions {
  /** Link to the page of a paper, if there is one. */
  readonly pageOf?: (paper: string) => string;
}

/** Number of claims by outcome, at each scale and by the data that decided them: the first lines of the summary. */
export function overviewMarkdown(entries: readonly ReportEntry[]): string {
  const claims = entries.flatMap(claimsOfEntry);
  const counts = (head: string, own: readonly Decided[]): string[] => [
    head,
    ...ORIGIN_NAMES.map((origin) => tallyText(tallyOf(claimsOf(own, origin)))),
  ];
  const scales = scalesIn(claims);
  const kinds = DATA_KINDS.filter((kind) => claims.some(({ data }) => data === kind));
  const isJoined = scales.length > 1;
  const which = isJoined ? ', each at the largest scale that measured it' : '';
  return [
    `${plural(claims.length, 'claim')} of ${plural(entries.length, 'experiment')}${which}:`,
    table(
      ['', ...ORIGIN_NAMES.map((origin) => ORIGINS[origin].many)],
      [
        counts('all', claims),
        ...(isJoined ? scales : []).map((scale) =>
          counts(
            `at scale ${scale}`,
            claims.filter((claim) => claim.scale === scale),
          ),
        ),
        ...kinds.map((kind) =>
          counts(
            `on ${DATA_NAMES[kind]}`,
            claims.filter(({ data }) => data === kind),
          ),
        ),
      ],
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
    claims: list.flatMap((entry) =>
      claimsOfEntry(entry).map((claim) => ({ figure: entry.experiment.figure, ...claim })),
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
        : [
            `## ${escapeMarkdown(paper)}`,
            details(
              `${plural(others.length, 'claim')} that ${others.length === 1 ? 'does' : 'do'} not hold in full`,
              listed(others),
            ),
          ];
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
    ['figure', 'whose', 'claim', 'outcome', 'scale', 'numbers'],
    claims.map((result) => [
      result.figure,
      sourceText(result.claim),
      result.claim.text,
      result.outcome,
      result.scale ?? '–',
      numbersText(result),
    ]),
  );

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [markdownRow(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(markdownRow)].join('\n');
