/**
 * The theory of rows and aggregates along an order of events: it replays the order with indexes on the columns. A row
 * that a scan overlooks there becomes a read, and the rows of an unexplained aggregate are assumed.
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

/** With `looksAround`, scans nearby in the order read the rows that they would overlook if they moved a little. */
export function rowsAlong(reads: Reads, looksAround: boolean, context: RunContext): Theory<OrderOfEvents, Found> {
  return ({ history, events, scans }) => {
    if (scans === null) return 'accepted';
    context.stage('traverse');
    // A forgotten read could see anything.
    const isKnown = ({ t, op, row }: OverlookedBy): boolean => !reads.forgotten.has(t, op, row);
    const replay = new ReplayOfScans(reads.history, scans, reads.aggregates.rows, reads.tuning);
    const overlooked = replay.overlooked.filter(isKnown);
    context.tick(countOperations(reads.history));
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return 'accepted';
    const isFirst = reads.passedOver?.size === 0;
    const added = reads.add(overlooked);
    if (added && looksAround) {
      // The first order is not searched for nearby rows if that would add many of them.
      reads.add(replay.near(isFirst && !replay.isSparse ? 0 : reads.tuning.neighbours));
      reads.aggregates.assumeByTimes(scans, overlooked);
    }
    if (!added && !reads.aggregates.assume(scans, overlooked)) return null;
    reads.guess = allInOrder(history, events, added ? NOTHING_MOVED : reads.aggregates.moves);
    reads.change();
    return 'added';
  };
}

/** Sorts transactions by their begins, then those that did not happen. `moves` maps an event to its new successor. */
function allInOrder({ txnStatus }: History, events: ArrayLike<number>, moves: ReadonlyMap<number, number>): Int32Array {
  const begins = Array.from(events, (_, place) => place).filter((place) => (events[place]! & 1) === 0);
  const placeOf = (place: number): number => (moves.has(place) ? moves.get(place)! - 0.5 : place);
  if (moves.size > 0) begins.sort((a, b) => placeOf(a) - placeOf(b));
  const all = new Set(begins.map((place) => events[place]! >> 1));
  for (let t = 0; t < txnStatus.length; t++) all.add(t);
  return Int32Array.from(all);
}

const NOTHING_MOVED: ReadonlyMap<number, number> = new Map();
