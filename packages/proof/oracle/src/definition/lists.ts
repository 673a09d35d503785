import { writeTo } from '../facts/world.ts';
import { type Execution, NO_WRITER, type Read } from './execution.ts';
import { type Matrix, emptyMatrix, union } from './matrix.ts';

/**
 * Order of the writers of each key, as shown by the lists that were read. Writers whose appends a list shows have the
 * order of the list, and all other writers follow the list's source. There are several possibilities if elements were
 * appended twice, and none if a list does not consist of whole transactions up to its source.
 */
export function listOrders(execution: Execution, sources: readonly number[]): Matrix[][] {
  const nothing = execution.keys.map(() => emptyMatrix(execution.size('transaction')));
  let ways: Matrix[][] = [nothing];
  for (const [r, read] of execution.reads.entries()) {
    const source = sources[r]!;
    if (!Array.isArray(read.seen) || source === NO_WRITER || source === execution.initial) continue;
    const orders = shownBy(execution, read, read.seen, source).map((shown) => orderOf(execution, read, shown));
    const k = execution.keys.indexOf(read.key);
    ways = ways.flatMap((way) => orders.map((order) => way.with(k, union(way[k]!, order))));
  }
  return ways;
}

/** Orders the writers that a list shows, and places them before all other writers of the key. */
function orderOf(execution: Execution, { key }: Read, shown: readonly number[]): Matrix {
  const order = emptyMatrix(execution.size('transaction'));
  let later = execution.writers(key) & ~(1 << execution.initial);
  for (const t of shown) {
    later &= ~(1 << t);
    order[t] = later;
  }
  return order;
}

/**
 * Finds all ways to read a list as the consecutive appends of other transactions, ending with the source. Earlier
 * appends of the reader follow and are not part of the list. The reader cannot have seen its later appends.
 */
function shownBy(execution: Execution, { key, reader }: Read, rest: readonly number[], source: number): number[][] {
  const found: number[][] = [];
  const extend = (shown: readonly number[], left: readonly number[]): void => {
    if (left.length === 0) {
      if (shown.at(-1) === source) found.push([...shown]);
      return;
    }
    for (const [t, transaction] of execution.world.transactions.entries()) {
      const appended = writeTo(transaction, key)?.value as readonly number[] | undefined;
      if (appended === undefined || t === reader || shown.includes(t)) continue;
      if (left.slice(0, appended.length).join() === appended.join()) extend([...shown, t], left.slice(appended.length));
    }
  };
  extend([], rest);
  return found;
}
