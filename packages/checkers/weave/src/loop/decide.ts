/**
 * The loop of the checker where scans and aggregates are to be explained. A proposer finds an order that explains the
 * reads so far, or a contradiction of these reads, which is one of the whole history. A theory examines the order: it
 * accepts it, replaces it by one near it, adds reads that it does not explain, or refutes the present reads. Some of
 * these may be assumptions, which a contradiction may refute.
 */
import type { CheckerReason, CheckerVerdict, SatisfiedVerdict, UnknownVerdict } from '@isolab/contract';
import { type History, type TransactionId, openAggregates } from '@isolab/history';

export interface Ordered {
  readonly verdict: SatisfiedVerdict;
}

export interface Undecided {
  readonly verdict: UnknownVerdict<CheckerReason>;
}

export interface Refuted {
  readonly verdict: Extract<CheckerVerdict, { readonly status: 'violated' }>;
}

/** Finds an order or a contradiction; null if it finds none that counts. */
export type Proposer<Order extends Ordered, Refutation extends Refuted> = () => Order | Refutation | Undecided | null;

/**
 * Examines an order. Returns it if it explains everything, or a similar order to be examined next; null if the order is
 * neither accepted nor refuted, and no read is to be added.
 */
export type Theory<Order extends Ordered, Refutation extends Refuted> = (
  order: Order,
) => Order | 'added' | Refutation | null;

/**
 * Drops assumptions that a contradiction rests on, and perhaps makes others. Returns the contradiction of the history
 * if it rests on no assumption, and that contradiction itself if it is given again.
 */
type Retract<Refutation extends Refuted> = (refutation: Refutation) => 'retracted' | Refutation;

/** Returns an accepted order or a contradiction; null if the search gives up. */
export function decide<Order extends Ordered, Refutation extends Refuted>(
  propose: Proposer<Order, Refutation>,
  check: Theory<Order, Refutation>,
  retract: Retract<Refutation> = (refutation) => refutation,
): Order | Refutation | Undecided | null {
  let proposal = propose();
  while (proposal !== null && !isUndecided(proposal)) {
    const answer = isOrder(proposal) ? check(proposal) : retract(proposal);
    if (answer === proposal) return proposal;
    proposal = answer === 'added' || answer === 'retracted' ? propose() : answer;
  }
  return proposal;
}

type Proposal<Order extends Ordered, Refutation extends Refuted> = Order | Refutation | Undecided;

const isUndecided = (proposal: Proposal<Ordered, Refuted>): proposal is Undecided =>
  proposal.verdict.status === 'unknown';

const isOrder = <Order extends Ordered>(proposal: Proposal<Order, Refuted>): proposal is Order =>
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
