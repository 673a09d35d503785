import type { ClaimResult } from '../results.ts';
import { htmlTable } from '../page.ts';
import { escapeXml } from '../text.ts';

export type Outcome = ClaimResult['outcome'];

/** The class of its colour, and a sign that says it without one. */
const LOOKS: Readonly<Record<Outcome, { readonly style: string; readonly sign: string }>> = {
  holds: { style: 'holds', sign: '✓' },
  fails: { style: 'fails', sign: '✗' },
  'not measured': { style: 'open', sign: '?' },
  'not reproducible': { style: 'never', sign: '–' },
};

export const OUTCOMES = Object.keys(LOOKS) as readonly Outcome[];

export const outcomeHtml = (outcome: Outcome, count?: number): string =>
  `<span class="outcome ${LOOKS[outcome].style}">${LOOKS[outcome].sign} ${count === undefined ? '' : `${count} `}${outcome}</span>`;

export const claimsTable = (results: readonly ClaimResult[]): string =>
  htmlTable(
    'What must hold',
    [
      { head: 'outcome', cell: ({ outcome }) => outcomeHtml(outcome) },
      { head: 'claim', cell: ({ claim }) => escapeXml(claim.text) },
      { head: 'numbers', cell: ({ detail }) => escapeXml(detail) },
    ],
    results,
  );

export type Tally = Readonly<Record<Outcome, number>>;

export function tallyOf(results: readonly ClaimResult[]): Tally {
  const tally = { holds: 0, fails: 0, 'not measured': 0, 'not reproducible': 0 };
  for (const { outcome } of results) tally[outcome]++;
  return tally;
}

/** "✓ 3 holds, ✗ 1 fails". */
export const tallyHtml = (tally: Tally): string => {
  const parts = OUTCOMES.filter((outcome) => tally[outcome] > 0).map((outcome) => outcomeHtml(outcome, tally[outcome]));
  return parts.length === 0 ? '<span class="faint">nothing claimed</span>' : parts.join(', ');
};

/** The same as a bar; what it says stands beside it. */
export const tallyBar = (tally: Tally): string =>
  `<div class="bar" aria-hidden="true">${OUTCOMES.map((outcome) => `<span class="${LOOKS[outcome].style[0]}" style="flex:${tally[outcome]}"></span>`).join('')}</div>`;
