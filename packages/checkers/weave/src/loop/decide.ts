/**
 * The loop of the checker where scans and aggregates are to be explained. A proposer finds an order that explains the
 * reads so far, or a contradiction of these reads, which is one of the whole history. A theory examines the order: it
 * accepts it, or adds reads that the order does not explain.
 */
import type { CheckerReason, CheckerVerdict, SatisfiedVerdict, UnknownVerdict } from '@isolab/contract';
import { type History, type TransactionId, openAggregates } from '@isolab/history';
import { type Found, transactionsIn } from '../proof/numbers.ts';
import type { Reads } from './reads.ts';

export interface Ordered {
  readonly verdict: SatisfiedVerdict;
}

export interface Undecided {
  readonly verdict: UnknownVerdict<CheckerReason>;
}

export type Proposal<Order extends Ordered> = Order | Found | Undecided;

/** Finds an order or a contradiction; null if it finds none that counts. */
export type Proposer<Order extends Ordered> = () => Proposal<Order> | null;

/** Examines an order; null if it neither accepts the order nor has a read to add. */
export type Theory<Order extends Ordered> = (order: Order) => 'accepted' | 'added' | null;

/** Returns an accepted order or a contradiction; null if the proposer or the theory has nothing more to say. */
export function decide<Order extends Ordered>(
  reads: Reads,
  propose: Proposer<Order>,
  check: Theory<Order>,
): Proposal<Order> | null {
  for (;;) {
    const proposal = propose();
    if (proposal !== null && isOrder(proposal)) {
      const answer = check(proposal);
      if (answer !== 'added') return answer && proposal;
    } else {
      if (proposal === null || !('registers' in proposal) || !reads.assumes) return proposal;
      if (reads.aggregates.retract(transactionsIn(proposal)) === null) return null;
      reads.change();
    }
  }
}

const isOrder = <Order extends Ordered>(proposal: Proposal<Order>): proposal is Order =>
  proposal.verdict.status === 'satisfied';

/** Returns the satisfied verdict if reads determine all aggregates of the transactions that happened. */
export function unlessOpen(
  verdict: CheckerVerdict,
  withScans: History,
  undecidedAggregates: readonly number[],
  isPossible: (t: TransactionId) => boolean,
): CheckerVerdict {
  const open = openAggregates(withScans, undecidedAggregates, isPossible).length;
  return open > 0 ? undecided(open) : verdict;
}

export const undecided = (aggregates: number): UnknownVerdict<'incomplete'> => ({
  status: 'unknown',
  reason: 'incomplete',
  detail: `${aggregates === 1 ? '1 aggregate says' : `${aggregates} aggregates say`} something about several rows together that the order found does not explain; isolab found no other order, and could not rule out all orders`,
});
