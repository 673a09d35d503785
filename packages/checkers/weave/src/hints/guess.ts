import { type Adjacency, rowsBy } from '@isolab/graph';
import type { History, ReadFromIndex } from '@isolab/history';
import { byPace } from './pace.ts';
import type { Chains } from '../problem/chains.ts';
import { byClaimedTimes, hintsOf } from './hints.ts';
import type { Model } from '../problem/model.ts';
import type { StrongOptions } from '../problem/options.ts';
import type { Tuning } from '../problem/tuning.ts';
import { isForced } from './forced.ts';
import type { Versions } from '../problem/versions.ts';

/** The order of the transactions from which the search starts, and whether the database itself claims it. */
export interface Base {
  readonly order: Int32Array;
  readonly isClaimed: boolean;
}

export function baseOrder(
  history: History,
  index: ReadFromIndex,
  model: Model,
  options: StrongOptions,
  { mayBeBackward }: Tuning,
): Base {
  if (options.guess === 'none') return { order: Int32Array.from(history.txnStatus.keys()), isClaimed: false };
  const pace = byPace(history);
  const claimed = options.claims === 'ignore' ? null : byClaimedTimes(history, index, model, pace, mayBeBackward);
  return { order: claimed ?? pace, isClaimed: claimed !== null };
}

/** Returns the order that the replay follows. Times are a better guide than depth, but worse than version numbers. */
export function guessOrder(
  history: History,
  versions: Versions,
  chains: Chains,
  model: Model,
  { order, isClaimed }: Base,
  options: StrongOptions,
): Int32Array {
  if (isClaimed || options.guess !== 'depth' || isForced(versions, model)) return order;
  const hints = options.claims === 'ignore' ? null : hintsOf(history, versions, model);
  const hinted = hints && byDepth(versions, chains, order, hints);
  return hinted ?? (history.txnBegin === null ? byDepth(versions, chains, order, null) : null) ?? order;
}

/**
 * Guesses an order by relative depth in the graph of sessions, read-from and hints; null if it has a cycle. Unlike the
 * pace of sessions, it does not depend on their speed. Equally deep transactions stay in the order of `pace`.
 */
function byDepth(versions: Versions, chains: Chains, pace: Int32Array, hints: Adjacency | null): Int32Array | null {
  const { numTxns, happened, numHappened, readStart, readVersion, writer, writeStart, readerStart, reader } = versions;
  const { previous, next } = chains;
  const numWritten = writer.length;
  // Depth of each transaction, and the number of its predecessors that the walk has not passed.
  const state = new Int32Array(2 * numTxns);
  for (let t = 0; t < numTxns; t++) {
    if (previous[t] >= 0) state[2 * t + 1]++;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++)
      if (readVersion[read] < numWritten) state[2 * t + 1]++;
  }
  if (hints !== null) for (const to of hints.target) state[2 * to + 1]++;
  const queue = new Int32Array(numHappened);
  let filled = 0;
  for (let i = 0; i < numTxns; i++) if (happened[pace[i]] && state[2 * pace[i] + 1] === 0) queue[filled++] = pace[i];
  const pass = (after: number, below: number): void => {
    if (state[2 * after] < below) state[2 * after] = below;
    if (--state[2 * after + 1] === 0) queue[filled++] = after;
  };
  for (let i = 0; i < filled; i++) {
    const t = queue[i];
    const below = state[2 * t] + 1;
    if (next[t] >= 0) pass(next[t], below);
    for (let slot = readerStart[writeStart[t]], end = readerStart[writeStart[t + 1]]; slot < end; slot++)
      pass(reader[slot], below);
    if (hints !== null)
      for (const after of hints.target.subarray(hints.start[t], hints.start[t + 1])) pass(after, below);
  }
  if (filled < numHappened) return null;

  const height = new Int32Array(numTxns);
  for (let i = filled - 1; i >= 0; i--) {
    const t = queue[i];
    let most = next[t] >= 0 ? height[next[t]] + 1 : 0;
    for (let slot = readerStart[writeStart[t]], end = readerStart[writeStart[t + 1]]; slot < end; slot++) {
      const below = height[reader[slot]] + 1;
      if (below > most) most = below;
    }
    if (hints !== null)
      for (const after of hints.target.subarray(hints.start[t], hints.start[t + 1]))
        most = Math.max(most, height[after] + 1);
    height[t] = most;
  }

  // The share of the longest path through a transaction that comes before it.
  const bucketOf = pace.map((t) => Math.floor((numTxns * (state[2 * t] + 1)) / (state[2 * t] + height[t] + 2)));
  return rowsBy(bucketOf, numTxns + 1).item.map((place) => pace[place]);
}
