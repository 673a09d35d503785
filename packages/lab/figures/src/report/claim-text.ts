import { expectedOf } from './claims.ts';
import type { PaperClaim } from '../results/results.ts';

/** Short text of a claim about the measurements. */
export function requiredText(claim: PaperClaim): string {
  switch (claim.kind) {
    case 'faster':
      return `${claim.than} ÷ ${claim.series} ≥ ${claim.factor}, ${placeText(claim.at)}`;
    case 'growth':
      return `${claim.series} grows by at most x^${claim.atMost}`;
    case 'finishes':
      return `${claim.series} has a verdict ${placeText(claim.at)}`;
    case 'verdict':
      return `${claim.series === 'all' ? 'every series' : claim.series}: ${claim.is}${placesText(claim.at)}`;
    case 'misses':
      return `${claim.series} reports no violation${placesText(claim.at)}`;
    case 'counter':
      return `${claim.counter} of ${claim.series}${placesText([claim.x].flat())}: ${expectedOf(claim).text}`;
    case 'not-reproducible':
      return '';
  }
}

function placeText(at: (PaperClaim & { readonly kind: 'faster' })['at']): string {
  if (typeof at === 'object') return `from ${at.from} on`;
  if (at === 'all') return 'everywhere';
  return at === 'last' ? 'at the last point' : `at ${at}`;
}

const placesText = (at: readonly (number | string)[] | undefined): string =>
  at === undefined ? '' : ` at ${at.length <= MOST_PLACES ? at.join(', ') : `${at.length} points`}`;

const MOST_PLACES = 5;
