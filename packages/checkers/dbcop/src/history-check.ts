import {
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type RunContext,
  type SatisfiedCertificate,
  internalViolations,
  violatedBy,
} from '@isolab/contract';
import { EdgeColumns, topologicalOrder } from '@isolab/graph';
import { checkPart } from './check-part.ts';
import { decompose } from './decomposition/decompose.ts';
import { DependencyBuilder, happened } from './dependencies/dependencies.ts';
import { type DbcopLevel, isSearched } from './levels.ts';
import type { DbcopOptions } from './options.ts';
import { isSplit } from './search/steps.ts';

export function checkHistory(
  input: IndexedHistory,
  level: DbcopLevel,
  options: DbcopOptions,
  context: RunContext,
): CheckerVerdict {
  const { asPublished } = options;
  context.stage('construct');
  const ignore = asPublished ? (['future-read'] as const) : [];
  const internal = internalViolations(input, level, { findAll: context.findAll, ignore });
  if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
  // The published tool examines single reads only at read committed.
  if (asPublished && level.startsWith('read-committed'))
    return internal.length > 0
      ? { status: 'violated', anomalies: internal }
      : { status: 'satisfied', uncertified: 'as-published' };
  return checkParts(input, level, options, internal, context);
}

function checkParts(
  input: IndexedHistory,
  level: DbcopLevel,
  options: DbcopOptions,
  internal: readonly FoundAnomaly[],
  context: RunContext,
): CheckerVerdict {
  const builder = new DependencyBuilder(input);
  // The published decomposition ignores the initial transaction and all reads from it.
  const initialReads = !(options.decompose && options.asPublished);
  const parts = partTxns(input, options);
  context.count('parts', parts.length);
  const anomalies = [...internal];
  const orders: Int32Array[] = [];
  for (const txns of parts) {
    // After an anomaly, a search would be expensive and uninformative. Cycles are still found.
    const asked = isSearched(level) && anomalies.length > 0 ? 'causal' : level;
    const result = checkPart(builder.build(txns), asked, { ...options, initialReads }, context);
    if (result.order) orders.push(result.order);
    else anomalies.push(...result.anomalies);
    if (anomalies.length > 0 && !context.findAll) break;
  }
  if (anomalies.length > 0) return violatedBy(anomalies, options.asPublished ? 'as-published' : 'search');
  if (!context.certify) return { status: 'satisfied' };
  if (options.asPublished) return { status: 'satisfied', uncertified: 'as-published' };
  context.stage('certify');
  return { status: 'satisfied', certificate: certificateOf(input, level, options, orders) };
}

function certificateOf(
  input: IndexedHistory,
  level: DbcopLevel,
  { decompose: isDecomposed }: DbcopOptions,
  orders: readonly Int32Array[],
): SatisfiedCertificate {
  const events = isSearched(level) && isSplit(level);
  const order = isDecomposed ? merge(input, events, orders) : orders[0];
  return events
    ? { kind: 'event-order', events: Array.from(order) }
    : { kind: 'commit-order', order: Array.from(order) };
}

function merge(input: IndexedHistory, events: boolean, orders: readonly Int32Array[]): Int32Array {
  const { txnSession } = input.history;
  const txns = happened(input);
  if (!events) return mergeOrders(txns, (txn) => txnSession[txn], orders);
  const items = new Int32Array(2 * txns.length);
  for (let i = 0; i < items.length; i++) items[i] = 2 * txns[i >> 1] + (i & 1);
  return mergeOrders(items, (event) => txnSession[event >> 1], orders);
}

function partTxns(input: IndexedHistory, options: DbcopOptions): Int32Array[] {
  if (!options.decompose) return [happened(input)];
  const parts = decompose(input);
  // The published graph has no vertex for a session without shared keys, and so never checks it.
  const checked = options.asPublished ? parts.filter(({ numSessions }) => numSessions > 1) : parts;
  return checked.map(({ txns }) => txns);
}

/**
 * An order of `items` that agrees with session order and with the orders of all parts, which consist of transactions,
 * or of begins and commits. `items` ascend, and follow session order within a session.
 * Such an order exists: if a shortest cycle of the union left a part and came back, it would do so through one session,
 * since parts share single sessions. The two items of this session are ordered as on the path outside, because the
 * order of the part outside contains session order; so session order is a shortcut, and the cycle stays within a part,
 * whose order is total (proof of Theorem 5.2). The order is also correct: a read's source, and the exclusion of two
 * writers, depend only on the items of one key, which all belong to one part, in that part's order.
 */
function mergeOrders(
  items: Int32Array,
  sessionOf: (item: number) => number,
  orders: readonly Int32Array[],
): Int32Array {
  const n = items.length === 0 ? 0 : items[items.length - 1] + 1;
  const edges = new EdgeColumns(2 * items.length);
  for (let i = 1; i < items.length; i++)
    if (sessionOf(items[i - 1]) === sessionOf(items[i])) edges.add(items[i - 1], items[i]);
  for (const order of orders) for (let i = 1; i < order.length; i++) edges.add(order[i - 1], order[i]);
  const isItem = new Uint8Array(n);
  for (const item of items) isItem[item] = 1;
  const merged = topologicalOrder(edges.digraph(n)).filter((item) => isItem[item] === 1);
  if (merged.length < items.length)
    throw new Error(`The orders of the parts contradict each other at ${items.length - merged.length} places.`);
  return merged;
}
