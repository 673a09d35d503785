/**
 * The theory of rows and aggregates along an order of events: it replays the order with indexes on the columns. A row
 * that a scan overlooks there becomes a read. If aggregates are left unexplained, the events are placed again, near
 * their places.
 */
import type { RunContext, SatisfiedVerdict } from '@isolab/contract';
import { type History, countOperations } from '@isolab/history';
import { type EventsOfScans, type OverlookedBy, ReplayOfScans } from '../theories/rows/replay-scans.ts';
import type { Found } from '../proof/numbers.ts';
import type { Theory } from './decide.ts';
import type { Reads } from './reads.ts';

/** An order of begins (2t) and commits (2t + 1) of a history. */
export interface OrderOfEvents {
  readonly verdict: SatisfiedVerdict;
  readonly history: History;
  readonly events: ArrayLike<number>;
  /** The scans that see the state at each event; null if the search for the order evaluated them. */
  readonly scans: EventsOfScans | null;
}

/**
 * With `looksAround`, scans nearby in the order read the rows that they would overlook if they moved a little. `near`
 * finds an order near another one that explains its aggregates, too.
 */
export function rowsAlong<Order extends OrderOfEvents>(
  reads: Reads,
  looksAround: boolean,
  near: (order: Order) => Order | null,
  context: RunContext,
): Theory<Order, Found> {
  return (order) => {
    const { history, events, scans } = order;
    if (scans === null) return order;
    context.stage('traverse');
    // A forgotten read could see anything.
    const isKnown = ({ t, op, row }: OverlookedBy): boolean => !reads.forgotten.has(t, op, row);
    const replay = new ReplayOfScans(reads.history, scans, reads.tuning);
    const overlooked = replay.overlooked.filter(isKnown);
    context.tick(countOperations(reads.history));
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return order;
    const isFirst = reads.passedOver?.size === 0;
    if (!reads.add(overlooked)) {
      reads.unexplained = overlooked.length;
      return reads.forgotten.isEmpty ? near(order) : null;
    }
    // The first order is not searched for nearby rows if that would add many of them.
    if (looksAround) reads.add(replay.near(isFirst && !replay.isSparse ? 0 : reads.tuning.neighbours));
    reads.guess = byBegins(history, events);
    return 'added';
  };
}

/** Sorts transactions by their begins, then those that did not happen. */
function byBegins({ txnStatus }: History, events: ArrayLike<number>): Int32Array {
  const all = new Int32Array(txnStatus.length);
  const isBegun = new Uint8Array(txnStatus.length);
  let count = 0;
  for (let place = 0; place < events.length; place++) {
    if ((events[place]! & 1) === 1) continue;
    isBegun[(all[count++] = events[place]! >> 1)] = 1;
  }
  for (let t = 0; t < isBegun.length; t++) if (isBegun[t] === 0) all[count++] = t;
  return all;
}
