import { shown } from '../chart/points.ts';
import { expectedOf } from './claims.ts';
import type { PaperClaim } from '../results/results.ts';

/** Short text of a claim about the measurements. */
export function requiredText(claim: PaperClaim): string {
  switch (claim.kind) {
    case 'faster':
      return `${claim.than} ÷ ${claim.series} ${factorText(claim)}, ${placeText(claim.at)}`;
    case 'growth':
      return growthText(claim);
    case 'finishes':
      return `${claim.series} has a verdict ${placeText(claim.at)}${withinText(claim.within)}`;
    case 'verdict':
      return `${claim.series === 'all' ? 'every series' : claim.series}: ${claim.is}${placesText(claim.at)}`;
    case 'misses':
      return `${claim.series} reports no violation${placesText(claim.at)}`;
    case 'counter':
      return `${claim.counter} of ${claim.series}${placesText([claim.x].flat())}: ${expectedOf(claim).text}`;
    case 'share':
      return `${claim.stage} takes ${'atMost' in claim ? `at most ${claim.atMost}` : `at least ${claim.atLeast}`} % of the time of ${claim.series}${placesText(claim.at)}`;
    case 'not-reproducible':
      return '';
  }
}

function factorText({ origin, factor, upTo }: PaperClaim & { readonly kind: 'faster' }): string {
  if (factor === 'figure') return 'as in the paper’s figure';
  if (origin === 'sanity' || factor < 1) return `≥ ${factor}`;
  return factor === 1 ? '> 1' : `≥ ${factor / 2}, half of the paper’s ${upTo ? 'greatest ' : ''}factor`;
}

function growthText(claim: PaperClaim & { readonly kind: 'growth' }): string {
  if ('atMost' in claim) return `${claim.series} grows by at most x^${claim.atMost}`;
  if ('atLeast' in claim) return `${claim.series} grows by at least x^${claim.atLeast}`;
  return `${claim.series} grows ${claim.exponent === 'figure' ? 'as in the paper’s figure' : `as x^${claim.exponent}`}`;
}

const withinText = (within: { readonly seconds?: number; readonly megabytes?: number } = {}): string =>
  [
    ...(within.seconds === undefined ? [] : [` within ${shown(within.seconds, 's')}`]),
    ...(within.megabytes === undefined ? [] : [` in ${shown(within.megabytes, 'MB')}`]),
  ].join('');

function placeText(at: (PaperClaim & { readonly kind: 'faster' })['at']): string {
  if (typeof at === 'object') return placesText(at).trim();
  if (at === 'all') return 'everywhere';
  return at === 'last' ? 'at the last point' : `at ${at}`;
}

const placesText = (at: readonly (number | string)[] | undefined): string =>
  at === undefined ? '' : ` at ${at.length <= MOST_PLACES ? at.join(', ') : `${at.length} points`}`;

const MOST_PLACES = 5;
