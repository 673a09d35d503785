import { evaluateClaims } from '../claims.ts';
import type { ClaimResult } from '../results.ts';
import { escapeMarkdown, markdownRow, plural } from '@isolab/markup';
import { ORIGINS, ORIGIN_NAMES, claimsOf, tallies, tallyOf, tallyText } from './claims-html.ts';
import { type ReportEntry, type ReportOptions, byPaper } from './index-page.ts';

/** The summary page for those who read the repository without making the pages: what holds by number, the rest by claim. */
export function summaryMarkdown(
  entries: readonly ReportEntry[],
  { title = 'What was reproduced', note = '' }: ReportOptions = {},
): string {
  const papers = byPaper(entries).map(([paper, list]) => ({
    paper,
    claims: list.flatMap(({ experiment, rows }) =>
      evaluateClaims(experiment, rows).map((claim) => ({ figure: experiment.figure, ...claim })),
    ),
    experiments: list.length,
  }));
  const all = papers.flatMap(({ claims }) => claims);
  return `${[
    `# ${escapeMarkdown(title)}`,
    escapeMarkdown(note),
    `${plural(all.length, 'claim')} of ${plural(entries.length, 'experiment')}. ${sentence(tallies(all, tallyText))}.`,
    table(
      ['paper', 'experiments', ...ORIGIN_NAMES.map((origin) => ORIGINS[origin].many)],
      papers.map(({ paper, experiments, claims }) => [
        paper,
        String(experiments),
        ...ORIGIN_NAMES.map((origin) => tallyText(tallyOf(claimsOf(claims, origin)))),
      ]),
    ),
    ...papers.flatMap(({ paper, claims }) => {
      const others = claims.filter(({ outcome }) => outcome !== 'holds');
      return others.length === 0
        ? []
        : [`## ${escapeMarkdown(paper)}: what does not hold, or is not known`, listed(others)];
    }),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

const listed = (claims: readonly (ClaimResult & { readonly figure: string })[]): string =>
  table(
    ['figure', 'whose', 'claim', 'outcome', 'numbers'],
    claims.map(({ figure, claim, outcome, detail }) => [
      figure,
      ORIGINS[claim.origin].one,
      claim.text,
      outcome,
      outcome === 'fails' && claim.note !== undefined ? `${detail}. ${claim.note}` : detail,
    ]),
  );

const sentence = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [markdownRow(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(markdownRow)].join('\n');
