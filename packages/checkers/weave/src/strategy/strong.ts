import {
  type CheckerVerdict,
  type IndexedHistory,
  type RunContext,
  internalViolations,
  listViolations,
} from '@isolab/contract';
import { Contradiction } from '../proof/contradiction.ts';
import { type Audience, explainViolation } from '../proof/explain.ts';
import { canBePlaced, orderInRealTime } from '../hints/one-by-one/in-real-time.ts';
import { IndexedStore } from '../hints/one-by-one/indexed-store.ts';
import { findOrder } from './strategy.ts';
import { baseOrder } from '../hints/guess.ts';
import { type Model, modelOf } from '../problem/model.ts';
import type { Question } from '../problem/options.ts';
import { forcedOrder, forcedOrderInTime, isForced } from '../hints/forced.ts';
import { updatesTooMany } from './updates.ts';
import { gatherVersions } from '../problem/versions.ts';

export interface Hints {
  /** An order that may be close to a valid order. */
  readonly guess?: Int32Array | null;
  readonly audience?: Audience;
}

export function checkStrongLevel(
  input: IndexedHistory,
  { level, options, tuning }: Question,
  context: RunContext,
  { guess = null, audience = 'people' }: Hints = {},
): CheckerVerdict {
  const model = modelOf(level)!;
  const { history, index } = input;
  context.stage('construct');
  context.tick(history.opKind.length);
  const anomalies = internalViolations(input, level, context);
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  const base = guess === null ? baseOrder(history, index, model, options, tuning) : { order: guess, isClaimed: true };
  const versions = gatherVersions(history, index, base.order);
  if (versions.lists !== null && versions.lists.versions.conflicts.length > 0)
    return { status: 'violated', anomalies: listViolations(history, versions.lists.versions, context.findAll) };
  const tooMany = updatesTooMany(history, index, model);
  if (tooMany !== null) return { status: 'violated', anomalies: [tooMany] };
  const found = (order: number[]): CheckerVerdict =>
    context.certify ? satisfied(order, model) : { status: 'satisfied' };
  // The replay must choose the version that a read of a repeated value saw; placing transactions one by one needs no
  // such choice.
  if (model.time === 'returned' && versions.several !== null && canBePlaced(history)) {
    const placed = orderInRealTime(input, model, new IndexedStore(history), tuning, context, Infinity);
    if (placed !== null) return found(placed);
  }
  context.stage('solve');
  const isTimed = model.time === 'returned';
  if ((isTimed || model.time === 'none') && versions.lists === null && isForced(versions, model)) {
    const find = isTimed ? forcedOrderInTime : forcedOrder;
    const forced = find(history, versions, model, base.order, (steps) => context.tick(steps));
    if (forced !== null) return found(forced);
  }
  const result = findOrder({ input, versions, model, base, options, tuning, context });
  const { search } = result;
  context.stage('certify');
  if (search.found) return found(Array.from(search.replay.events()));
  return {
    status: 'violated',
    anomalies: [explainViolation(new Contradiction(history, result, model, tuning), context.certify, audience)],
  };
}

type Satisfied = Extract<CheckerVerdict, { status: 'satisfied' }>;

export const satisfied = (order: number[], { split }: Model): Satisfied => ({
  status: 'satisfied',
  certificate: split ? { kind: 'event-order', events: order } : { kind: 'commit-order', order },
});

/** Returns the order as begins (2t) and commits (2t + 1). */
export function orderOf({ certificate }: Satisfied): ArrayLike<number> {
  if (certificate?.kind === 'event-order') return certificate.events;
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A strong level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const { order } = certificate;
  const events = new Int32Array(2 * order.length);
  for (let i = 0; i < order.length; i++) events[2 * i + 1] = (events[2 * i] = 2 * order[i]!) + 1;
  return events;
}
