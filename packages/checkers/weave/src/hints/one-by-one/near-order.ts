import type { IndexedHistory, RunContext } from '@isolab/contract';
import type { Model } from '../../problem/model.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { orderOneByOne } from './one-by-one.ts';
import { type EventBounds, realTimesOf } from './real-time.ts';
import type { Store } from './stores.ts';

interface Search {
  readonly input: IndexedHistory;
  readonly model: Model;
  /** Returns the initial state. */
  readonly store: () => Store;
  readonly tuning: Tuning;
  readonly context: RunContext;
}

/**
 * Places the transactions of an order again, so that scans and aggregates have their results, too. Each event stays
 * near its place, at first within few places, then within more. Null if no order is found.
 */
export function orderNear(events: ArrayLike<number>, search: Search): number[] | null {
  const { input, model, store, tuning, context } = search;
  const { history, index } = input;
  const required = model.time === 'none' ? null : realTimesOf(history, model);
  const happened = new Uint8Array(history.txnStatus.length);
  for (let place = 0; place < events.length; place++) happened[events[place]! >> 1] = 1;
  for (let width = tuning.nearestPlaces; ; width *= 8) {
    const near = placesAround(events, happened.length, width);
    const placed = orderOneByOne({
      history,
      index,
      bounds: required === null ? [near] : [near, required],
      versions: { happened, optional: null },
      model,
      store: store(),
      patience: Infinity,
      tuning,
      tick: (steps) => context.tick(steps),
    });
    if (placed !== null) return placed;
    context.count('gave up one by one near an order', 1);
    if (width >= Math.min(tuning.farthestPlaces, events.length)) return null;
  }
}

function placesAround(events: ArrayLike<number>, numTxns: number, width: number): EventBounds {
  const bounds = {
    begin: new Float64Array(numTxns),
    begun: new Float64Array(numTxns),
    committing: new Float64Array(numTxns),
    end: new Float64Array(numTxns),
  };
  for (let place = 0; place < events.length; place++) {
    const t = events[place]! >> 1;
    const commits = (events[place]! & 1) === 1;
    (commits ? bounds.committing : bounds.begin)[t] = place - width;
    (commits ? bounds.end : bounds.begun)[t] = place + width;
  }
  return bounds;
}
