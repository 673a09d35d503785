import type { PaperClaim, ClaimResult } from '../results/results.ts';
import { escapeXml, htmlTable } from '@isolab/story/markup';

export type ClaimOutcome = ClaimResult['outcome'];

/** Style class of an outcome, a sign that is readable without colour, and a verb for the plural. */
const LOOKS: Readonly<Record<ClaimOutcome, { readonly style: string; readonly sign: string; readonly many: string }>> =
  {
    holds: { style: 'holds', sign: '✓', many: 'hold' },
    'direction only': { style: 'part', sign: '≈', many: 'in direction only' },
    fails: { style: 'fails', sign: '✗', many: 'fail' },
    'not measured': { style: 'open', sign: '?', many: 'not measured' },
    'not reproducible': { style: 'never', sign: '–', many: 'not reproducible' },
  };

const OUTCOMES = Object.keys(LOOKS) as readonly ClaimOutcome[];

function outcomeHtml(outcome: ClaimOutcome, count?: number): string {
  return `<span class="outcome ${LOOKS[outcome].style}">${outcomeText(outcome, count)}</span>`;
}

/** Text of an outcome: "✓ holds", or with a count. */
export function outcomeText(outcome: ClaimOutcome, count?: number): string {
  const { sign, many } = LOOKS[outcome];
  return `${sign} ${count === undefined ? outcome : `${count} ${count === 1 ? outcome : many}`}`;
}

export const claimsTable = (results: readonly ClaimResult[]): string =>
  htmlTable(
    'Claims',
    [
      { head: 'outcome', cell: ({ outcome }) => outcomeHtml(outcome) },
      { head: 'whose', cell: ({ claim }) => escapeXml(sourceText(claim)) },
      { head: 'claim', cell: ({ claim }) => escapeXml(claim.text) },
      { head: 'numbers', cell: numbersHtml },
    ],
    results,
  );

/** The numbers, and the claim's note if they do not support it. */
const numbersHtml = (result: ClaimResult): string =>
  `${escapeXml(measuredText(result))}${noteOf(result).map((note) => `<br><span class="faint">${escapeXml(note)}</span>`)}`;

/** Text of the numbers and the note. */
export const numbersText = (result: ClaimResult): string => [measuredText(result), ...noteOf(result)].join('. ');

/** Text of the numbers, with the mark of noise. */
export const measuredText = ({ detail, withinNoise }: ClaimResult): string =>
  `${detail}${withinNoise ? '; within noise' : ''}`;

/** The claim's note, if it explains the outcome. */
const noteOf = ({ claim, outcome }: ClaimResult): string[] =>
  (outcome === 'fails' || outcome === 'direction only') && claim.note !== undefined ? [claim.note] : [];

type Origin = PaperClaim['origin'];

/** Names of claims by origin: for a single claim, and as the heading of a column. */
export const ORIGINS: Readonly<Record<Origin, { readonly one: string; readonly many: string }>> = {
  paper: { one: 'the paper', many: 'claims of the paper' },
  sanity: { one: 'our check', many: 'our own checks' },
};

/** Owner of the claim; for a paper's claim also the place, and the number or trend as the paper states it. */
export const sourceText = ({ origin, where, says }: PaperClaim): string =>
  `${ORIGINS[origin].one}${where === undefined ? '' : `, ${where}`}${says === undefined ? '' : `: ${says}`}`;

export const ORIGIN_NAMES = Object.keys(ORIGINS) as readonly Origin[];

export const claimsOf = <Result extends ClaimResult>(results: readonly Result[], origin: Origin): readonly Result[] =>
  results.filter(({ claim }) => claim.origin === origin);

/**
 * Counts by origin: "claims of the paper: ✓ 2 hold, ✗ 1 fails; our own checks: ✓ 1 holds", with each tally formatted by
 * `part`.
 */
export function tallies(results: readonly ClaimResult[], part: (tally: Tally) => string): string {
  const parts = ORIGIN_NAMES.flatMap((origin) => {
    const own = claimsOf(results, origin);
    if (own.length === 0) return [];
    const noisy = own.filter(({ withinNoise }) => withinNoise).length;
    return [`${ORIGINS[origin].many}: ${part(tallyOf(own))}${noisy === 0 ? '' : ` (${noisy} within noise)`}`];
  });
  return parts.join('; ') || part(tallyOf([]));
}

export type Tally = Readonly<Record<ClaimOutcome, number>>;

export function tallyOf(results: readonly ClaimResult[]): Tally {
  const tally = { holds: 0, 'direction only': 0, fails: 0, 'not measured': 0, 'not reproducible': 0 };
  for (const { outcome } of results) tally[outcome]++;
  return tally;
}

/** Full text of a tally: "✓ 3 hold, ✗ 1 fails". */
export const tallyText = (tally: Tally): string => partsOf(tally, outcomeText).join(', ') || 'no claims';

/** Short text of a tally for narrow places: "✓ 3 ✗ 1"; SIGNS_TEXT explains the signs. */
export const tallySigns = (tally: Tally): string =>
  partsOf(tally, (outcome, count) => `${LOOKS[outcome].sign} ${count}`).join(' ');

export const SIGNS_TEXT = OUTCOMES.map((outcome) => outcomeText(outcome)).join(', ');

export const tallyHtml = (tally: Tally): string =>
  partsOf(tally, outcomeHtml).join(', ') || '<span class="faint">no claims</span>';

const partsOf = (tally: Tally, part: (outcome: ClaimOutcome, count: number) => string): string[] =>
  OUTCOMES.filter((outcome) => tally[outcome] > 0).map((outcome) => part(outcome, tally[outcome]));

/** The tally as a bar with its text. */
export const tallyBar = (tally: Tally): string =>
  `<div class="bar" aria-hidden="true">${OUTCOMES.map((outcome) => `<span class="${LOOKS[outcome].style}" style="flex:${tally[outcome]}"></span>`).join('')}</div>`;
