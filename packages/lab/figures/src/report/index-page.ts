import { CHART_STYLE } from '../chart/look.ts';
import { escapeXml, htmlPage, htmlTable, plural } from '@isolab/story/markup';
import type { ClaimResult } from '../results/results.ts';
import { ORIGINS, ORIGIN_NAMES, claimsOf, claimsTable, tallies, tallyBar, tallyHtml, tallyOf } from './claims-html.ts';
import { type Link, linkHtml, navigationHtml } from './experiment-page.ts';
import { type Decided, type Measured, decideClaims } from './largest-scale.ts';
import { REPORT_STYLE } from './report-style.ts';

export interface ReportEntry extends Measured {
  readonly href: string;
  /** A small version of the figure. */
  readonly svg?: string;
  /** Measurements at all scales, the largest first, if they decide the claims instead of those of the entry. */
  readonly scales?: readonly Measured[];
}

export const claimsOfEntry = (entry: ReportEntry): Decided[] => decideClaims(entry.scales ?? [entry]);

export interface ReportOptions {
  readonly title?: string;
  readonly navigation?: readonly Link[];
  /** Note on the reports: their machine, and the command that made them. */
  readonly note?: string;
}

/** Page of all experiments, by paper. */
export function indexPage(
  entries: readonly ReportEntry[],
  { title = 'Reports', navigation = [], note = '' }: ReportOptions = {},
): string {
  const card = (entry: ReportEntry): string => {
    const { experiment, rows, href, svg } = entry;
    const own = rows.filter((row) => row.experiment === experiment.id);
    const results = claimsOfEntry(entry);
    return `<li><h3>${linkHtml({ text: `${experiment.figure}: ${experiment.title}`, href })}</h3>
<p>${escapeXml(experiment.claim)}</p>${svg === undefined || svg === '' ? '' : `<div class="chart thumbnail" aria-hidden="true">${svg.replaceAll(/ (?:tabindex|aria-label|role)="[^"]*"/g, '')}</div>`}
<p>${own.length === 0 ? '<span class="warn">not measured</span>' : tallies(results, tallyHtml)}</p></li>`;
  };
  const sections = byPaper(entries).map(
    ([paper, list]) =>
      `<section><h2 id="${escapeXml(anchor(paper))}">${escapeXml(paper)}</h2><ul class="cards">${list.map(card).join('\n')}</ul></section>`,
  );
  const jumps = byPaper(entries).map(([paper]) => `<a href="#${escapeXml(anchor(paper))}">${escapeXml(paper)}</a>`);
  return htmlPage({
    title,
    style: CHART_STYLE + REPORT_STYLE,
    body: `${navigationHtml(navigation)}<main id="main"><h1>${escapeXml(title)}</h1>${note === '' ? '' : `<p>${escapeXml(note)}</p>`}<p>${jumps.join(' · ')}</p>${sections.join('\n')}</main>`,
  });
}

/** Page with the claims reproduced here, by paper. */
export function summaryPage(
  entries: readonly ReportEntry[],
  { title = 'Reproduced claims', navigation = [], note = '' }: ReportOptions = {},
): string {
  const papers = byPaper(entries).map(([paper, list]) => {
    const results = list.map((entry) => ({ ...entry, claims: claimsOfEntry(entry) }));
    return { paper, results, all: results.flatMap(({ claims }) => claims) };
  });
  const overview = htmlTable(
    'Claims by paper',
    [
      { head: 'paper', cell: ({ paper }) => `<a href="#${escapeXml(anchor(paper))}">${escapeXml(paper)}</a>` },
      { head: 'experiments', cell: ({ results }) => String(results.length), isNumber: true },
      { head: '', cell: ({ all }) => tallyBar(tallyOf(all)) },
      ...ORIGIN_NAMES.map((origin) => ({
        head: ORIGINS[origin].many,
        cell: ({ all }: (typeof papers)[number]) => tallyHtml(tallyOf(claimsOf(all, origin))),
      })),
    ],
    papers,
  );
  const section = ({ paper, results, all }: (typeof papers)[number]): string => {
    const experiments = results
      .filter(({ claims }) => claims.length > 0)
      .map(
        ({ experiment, href, claims }) =>
          `<h3>${linkHtml({ text: `${experiment.figure}: ${experiment.title}`, href })}</h3>${claimsTable(claims)}`,
      );
    return `<section><h2 id="${escapeXml(anchor(paper))}">${escapeXml(paper)}</h2><p>${tallies(all, tallyHtml)}</p>${experiments.join('\n')}</section>`;
  };
  const all: ClaimResult[] = papers.flatMap((each) => each.all);
  return htmlPage({
    title,
    style: REPORT_STYLE,
    body: `${navigationHtml(navigation)}<main id="main"><h1>${escapeXml(title)}</h1>${note === '' ? '' : `<p>${escapeXml(note)}</p>`}
<p>${plural(all.length, 'claim')} of ${plural(entries.length, 'experiment')}; ${tallies(all, tallyHtml)}.</p>${overview}${papers.map(section).join('\n')}</main>`,
  });
}

export const byPaper = (entries: readonly ReportEntry[]): [string, ReportEntry[]][] => [
  ...grouping(entries, ({ experiment }) => experiment.paper),
];

export function grouping<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

const anchor = (paper: string): string => `paper-${paper.replaceAll(/[^\w-]+/g, '-')}`;
