import { type RunContext, Stop } from '@isolab/contract';
import { plural } from '@isolab/history';
import { Machine, type OperationHistory, type OperationVerdict, type SequentialModel } from '@isolab/operations';
import type { Operations } from './operations.ts';
import type { Partition } from './partitions.ts';
import { Search, type SearchResult } from './search.ts';

/**
 * Checks linearizability of operations on an object of any model, part by part if the model has parts (Horn and
 * Kroening 2015). Only the order of real time counts: intervals are closed, and processes impose no further order.
 */
export function checkLinearizable(
  history: OperationHistory,
  model: SequentialModel,
  context: RunContext,
): OperationVerdict {
  context.stage('construct');
  const machine = new Machine(model, history);
  const parts = partsOf(history, machine);
  context.count('partitions', parts.length);
  context.stage('search');
  const orders: (readonly number[])[] = [];
  for (const [done, part] of parts.entries()) {
    context.progress(done, parts.length);
    const { search, members } = searchOf(history, machine, part, context);
    const result = runSearch(search, done, parts.length);
    context.count('configurations', search.configurations);
    const order = Array.from(result.longest, (entry) => members[entry]);
    if (!result.linearizable)
      return { status: 'violated', certificate: null, longest: order, stuck: members[result.stuck] };
    orders.push(order);
  }
  return { status: 'satisfied', certificate: { kind: 'operation-order', order: merged(history, orders) } };
}

function runSearch(search: Search, done: number, all: number): SearchResult {
  try {
    return search.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const length = search.result().longest.length;
    throw new Stop(
      error.reason,
      `${error.message}; ${done} of ${all} parts were found linearizable, and ${plural(length, 'operation')} of the next one`,
    );
  }
}

/** Groups operations by the part of the object that they access, small parts first, without pending reads. */
function partsOf({ operations }: OperationHistory, machine: Machine): readonly number[][] {
  const parts = new Map<string, number[]>();
  for (const [i, operation] of operations.entries()) {
    if (operation.return === null && machine.isRead(machine.classOf[i])) continue;
    const name = machine.partOf(operation);
    const part = parts.get(name);
    if (part === undefined) parts.set(name, [i]);
    else part.push(i);
  }
  return [...parts.values()].toSorted((a, b) => a.length - b.length);
}

/** Prepares a search for the operations of a part. Every operation is a session of its own. */
function searchOf(history: OperationHistory, machine: Machine, members: readonly number[], context: RunContext) {
  const size = members.length;
  const entries = Int32Array.from(members.keys());
  const isOptional = Uint8Array.from(members, (i) => (history.operations[i].return === null ? 1 : 0));
  const action = new Uint8Array(size); // a class may not fit into a byte, so it is stored in `a`
  const a = Int32Array.from(members, (i) => machine.classOf[i]);
  const operations: Operations = { count: size, txn: entries, key: entries, action, a, b: a, isOptional };
  const partition: Partition = {
    key: 0,
    operation: entries,
    events: eventsOf(history, members),
    inOrder: entries,
    numSessions: size,
    session: entries,
    place: new Int32Array(size).fill(1),
  };
  const step = (state: number, _: number, operationClass: number): number => machine.step(state, operationClass);
  const search = new Search(partition, operations, { initial: machine.initial, step }, (n) => context.tick(n));
  return { search, members };
}

/** Returns calls (2i) and returns (2i + 1) in order of time, calls first where times are equal. */
function eventsOf({ operations }: OperationHistory, members: readonly number[]): Int32Array {
  const returned = [...members.keys()].filter((entry) => operations[members[entry]].return !== null);
  const returnOf = (entry: number): number => operations[members[entry]].return!;
  const byReturn = returned.toSorted((x, y) => returnOf(x) - returnOf(y));
  const events = new Int32Array(members.length + byReturn.length);
  let count = 0;
  let r = 0;
  for (const [entry, i] of members.entries()) {
    for (; r < byReturn.length && returnOf(byReturn[r]) < operations[i].call; r++)
      events[count++] = 2 * byReturn[r] + 1;
    events[count++] = 2 * entry;
  }
  for (; r < byReturn.length; r++) events[count++] = 2 * byReturn[r] + 1;
  return events;
}

/**
 * Merges the orders of all parts into a total order. Each operation takes effect as soon as it was called and the
 * operations before it took effect. Sorted by these points in time, no operation comes before one that had returned.
 */
function merged({ operations }: OperationHistory, orders: readonly (readonly number[])[]): number[] {
  if (orders.length === 1) return [...orders[0]];
  const point = new Float64Array(operations.length);
  for (const order of orders) {
    let now = Number.NEGATIVE_INFINITY;
    for (const i of order) point[i] = now = Math.max(now, operations[i].call);
  }
  // Sorting is stable: operations at one point keep the order of their part.
  return orders.flat().toSorted((i, j) => point[i] - point[j]);
}
