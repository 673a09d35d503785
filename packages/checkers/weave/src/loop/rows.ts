/**
 * The theory of rows and aggregates along an order of events: it replays the order with indexes on the columns. A row
 * that a scan overlooks there becomes a read, and the rows of an unexplained aggregate are assumed.
 */
import type { RunContext, SatisfiedVerdict } from '@isolab/contract';
import { type History, OpKind, countOperations } from '@isolab/history';
import { type EventsOfScans, type Overlooked, ReplayOfScans } from '../theories/rows/replay-scans.ts';
import type { Theory } from './decide.ts';
import type { Reads } from './reads.ts';

/** An order of begins (2t) and commits (2t + 1) of a history, and the scans that see the state at each event. */
export interface OrderOfEvents {
  readonly verdict: SatisfiedVerdict;
  readonly history: History;
  readonly events: ArrayLike<number>;
  readonly scans: EventsOfScans;
}

/** With `looksAround`, scans nearby in the order read the rows that they would overlook if they moved a little. */
export function rowsAlong(reads: Reads, looksAround: boolean, context: RunContext): Theory<OrderOfEvents> {
  return ({ history, events, scans }) => {
    context.stage('traverse');
    const replay = new ReplayOfScans(reads.history, scans, reads.aggregates.rows, reads.tuning);
    const overlooked = withoutForgotten(replay.overlooked, reads);
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

function withoutForgotten(overlooked: readonly Overlooked[], { forgotten, history }: Reads): readonly Overlooked[] {
  if (forgotten.isEmpty) return overlooked;
  const { opKind, opValue, txnStart } = history;
  const learned = new Map<number, (row: number) => boolean>(); // by scan
  for (let t = 0; t + 1 < txnStart.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Scan) learned.set(opValue[op], (row) => !forgotten.has(t, op, row));
  return overlooked.filter(({ scan, row }) => learned.get(scan)!(row));
}

/** Sorts transactions by their begins, then those that did not happen. `moves` maps an event to its new successor. */
function allInOrder({ txnStatus }: History, events: ArrayLike<number>, moves: ReadonlyMap<number, number>): Int32Array {
  const all = new Int32Array(txnStatus.length);
  const isBegun = new Uint8Array(txnStatus.length);
  let count = 0;
  for (const place of placesOfBegins(events, moves)) {
    const t = events[place]! >> 1;
    all[count++] = t;
    isBegun[t] = 1;
  }
  for (let t = 0; t < isBegun.length; t++) if (isBegun[t] === 0) all[count++] = t;
  return all;
}

function placesOfBegins(events: ArrayLike<number>, moves: ReadonlyMap<number, number>): Int32Array {
  const places = new Int32Array(events.length);
  let count = 0;
  for (let place = 0; place < events.length; place++) if ((events[place]! & 1) === 0) places[count++] = place;
  const begins = places.subarray(0, count);
  const placeOf = (place: number): number => (moves.has(place) ? moves.get(place)! - 0.5 : place);
  return moves.size > 0 ? begins.toSorted((a, b) => placeOf(a) - placeOf(b)) : begins;
}

const NOTHING_MOVED: ReadonlyMap<number, number> = new Map();
