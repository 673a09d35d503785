import { grouped } from '@isolab/markup';
import type { Story } from '../story.ts';

/** Nobody reads a picture with more transactions than this. */
export const MAX_TRANSACTIONS = 1000;

/** Said instead of a picture that nobody could read, or that would take for ever. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly code = 'TOO_LARGE';
}

export function refuseTooLarge({ transactions, edges }: Story): void {
  if (transactions.length > MAX_TRANSACTIONS) {
    throw new TooLargeError(
      `${grouped(transactions.length)} transactions are too many to draw, ${grouped(MAX_TRANSACTIONS)} at most: shrink the history first`,
    );
  }
  const most = 20 * MAX_TRANSACTIONS;
  if (edges.length > most) {
    throw new TooLargeError(
      `${grouped(edges.length)} edges are too many to draw, ${grouped(most)} at most: shrink the history first`,
    );
  }
}
