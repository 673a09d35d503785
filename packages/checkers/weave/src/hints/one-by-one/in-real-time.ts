import type { IndexedHistory, RunContext } from '@isolab/contract';
import { type History, OpKind } from '@isolab/history';
import { happenedIn } from '@isolab/graph/relations';
import type { Tuning } from '../../problem/tuning.ts';
import { optionalTransactions } from '../../problem/optional.ts';
import { type Placing, orderOneByOne } from './one-by-one.ts';
import { realTimesOf } from './real-time.ts';
import type { Store } from './stores.ts';

/**
 * Places the transactions of a history in real time; null without times or if it gives up. A step back costs less than a
 * conflict of a replay, and a successful placing saves the whole replay, so it gives up late.
 */
export function orderInRealTime(
  { history, index }: IndexedHistory,
  model: Placing['model'],
  store: Store,
  tuning: Tuning,
  context: RunContext,
  patience = tuning.timesPatience * tuning.patience,
): number[] | null {
  const { split } = model;
  const isTimed = history.txnBegin !== null && history.txnEnd !== null;
  const times = isTimed ? realTimesOf(history, { split, time: split ? 'snapshots' : 'returned' }) : null;
  if (times === null) return null;
  context.stage('traverse');
  const happened = happenedIn(index.outcome);
  const optional = optionalTransactions(history, index)?.isOptional ?? null;
  const placed = orderOneByOne({
    history,
    index,
    bounds: [times],
    versions: { happened, optional },
    model,
    store,
    patience,
    tuning,
    tick: (steps) => context.tick(steps),
  });
  if (placed === null) context.count('gave up one by one: no order found', 1);
  return placed;
}

/** Returns whether a store supports all operations of the history. */
export const canBePlaced = ({ opKind }: History): boolean =>
  opKind.every((kind) => kind === OpKind.Read || kind === OpKind.Write || kind === OpKind.Scan);
