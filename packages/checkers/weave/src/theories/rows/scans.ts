import {
  type CheckerVerdict,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  type UnknownVerdict,
  indexed,
  mayHaveHappenedAt,
} from '@isolab/contract';
import { type History, OpKind, type TransactionId, openAggregates, toRegisters } from '@isolab/history';
import { type OrderStep, asCommitOrder } from './commit-order.ts';
import type { EventsOfScans, Reader } from './replay-scans.ts';
import type { Tuning } from '../../problem/tuning.ts';

/** Returns the order as begins (2t) and commits (2t + 1). */
export function orderOf({ certificate }: Extract<CheckerVerdict, { status: 'satisfied' }>): ArrayLike<number> {
  if (certificate?.kind === 'event-order') return certificate.events;
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A strong level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const { order } = certificate;
  const events = new Int32Array(2 * order.length);
  for (let i = 0; i < order.length; i++) events[2 * i + 1] = (events[2 * i] = 2 * order[i]!) + 1;
  return events;
}

/** Returns the events at a strong level, where a transaction sees the state of the database at its begin. */
export function eventsOfScans({ txnStart }: History, events: ArrayLike<number>, hasScans: Uint8Array): EventsOfScans {
  const commits = new Int32Array(events.length).fill(-1);
  const readers: (Reader | null)[] = [];
  for (let place = 0; place < events.length; place++) {
    const t = events[place]! >> 1;
    const begins = (events[place]! & 1) === 0;
    if (!begins) commits[place] = t;
    readers.push(begins && hasScans[t] === 1 ? { t, from: txnStart[t], to: txnStart[t + 1] } : null);
  }
  return { commits, readers };
}

export function transactionsWithScans({ txnStart, opKind }: History): Uint8Array {
  const hasScans = new Uint8Array(txnStart.length - 1);
  for (let t = 0; t < hasScans.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Scan) hasScans[t] = 1;
  return hasScans;
}

/** Sorts transactions by their begins, then those that did not happen. `moves` maps an event to its new successor. */
export function allInOrder(
  { txnStatus }: History,
  events: ArrayLike<number>,
  moves: ReadonlyMap<number, number>,
): Int32Array {
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

/** Decides a weak level by reading every passed-over row. An undetermined aggregate leaves the level open. */
export function checkWithAllReads(
  withScans: History,
  level: LevelName,
  check: (input: IndexedHistory) => CheckerVerdict,
): CheckerVerdict {
  const { history, undecidedAggregates } = toRegisters(withScans);
  const input = indexed(history);
  const verdict = check(input);
  return verdict.status === 'satisfied'
    ? unlessOpen(verdict, withScans, undecidedAggregates, mayHaveHappenedAt(level, input.index))
    : verdict;
}

/** Certifies a weak level by prefix consistency, which is stronger but faster to decide; null if not satisfied. */
export function asWeak(
  withScans: History,
  prefix: { readonly verdict: CheckerVerdict } | null,
  { mostSources }: Tuning,
  { certify }: RunContext,
): CheckerVerdict | null {
  if (prefix?.verdict.status !== 'satisfied') return null;
  if (!certify) return { status: 'satisfied' };
  const order = prefix.verdict;
  return asCommitOrder(withScans, mostSources, ({ history: { txnStart } }) =>
    Array.from(orderOf(order), (event): OrderStep => {
      const t = event >> 1;
      return event & 1
        ? { t, from: 0, to: 0, commits: true }
        : { t, from: txnStart[t], to: txnStart[t + 1], commits: false };
    }),
  );
}

export const NOTHING_MOVED: ReadonlyMap<number, number> = new Map();

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
