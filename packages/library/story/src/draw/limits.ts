import { grouped } from '../markup/index.ts';
import type { Story } from '../story/story.ts';

/** Maximum number of transactions in a readable picture. */
export const MAX_TRANSACTIONS = 1000;

/** Thrown if a picture or page would be unreadable, too large, or too slow to draw. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly code = 'TOO_LARGE';
}

export function refuseTooLarge({ transactions, edges }: Story): void {
  if (transactions.length > MAX_TRANSACTIONS) {
    throw new TooLargeError(
      `cannot draw ${grouped(transactions.length)} transactions (limit: ${grouped(MAX_TRANSACTIONS)}); shrink the history first`,
    );
  }
  const most = 20 * MAX_TRANSACTIONS;
  if (edges.length > most) {
    throw new TooLargeError(
      `cannot draw ${grouped(edges.length)} edges (limit: ${grouped(most)}); shrink the history first`,
    );
  }
}

/** Largest number of transactions that are drawn in one lane, for narrow pages. */
export const MOST_IN_ONE_LANE = 24;
