import { INITIAL_TXN } from '@isolab/contract';
import { type History, countKeys, countSessions } from '@isolab/history';
import { lowerBound } from '@isolab/graph';
import { NO_SOURCE, type Writers } from '@isolab/graph/relations';
import type { EmitEdge } from '../edges/edges.ts';
import type { EdgeFacts } from '../edges/facts.ts';
import { CausalVisibility } from '../edges/visibility.ts';

/**
 * Causal consistency: if t₃ reads x from t₁, and t₂, which also writes x, reaches t₃ by session order and read-from,
 * then t₂ comes before t₁.
 * In `order`, session order and read-from must point forward. Every transaction has a vector with the last transaction
 * of each session that reaches it. In each session only the last visible writer of x counts (AWDIT, section 4), and of
 * all transactions that must come before t₁, only the last of each session counts. Therefore a second vector per
 * transaction replaces an edge for every read and session.
 * Sessions are processed in blocks whose vectors fit into a few cache lines each. The memory is n × BLOCK numbers for
 * any number of sessions.
 */
export function causalEdges(
  facts: EdgeFacts,
  order: Int32Array,
  tick: (steps: number) => void,
  emit: EmitEdge,
  wanted: WantedEdges | null = null,
): void {
  const { history, relations } = facts;
  const sessions = countSessions(history);
  const { writers } = relations;
  for (let first = 0; first < sessions; first += BLOCK) {
    const last = Math.min(sessions, first + BLOCK);
    const visibility = new CausalVisibility(facts, first, last);
    const block = {
      width: last - first,
      visibility,
      mustPrecede: new Int32Array(visibility.vectors.length),
      groups: writersOfSessions(history, writers, first, last),
    };
    for (let i = 0; i < order.length; i++) {
      const t = order[i];
      visibility.enter(t);
      orderOverwritten(facts, t, block, emit, wanted);
      tick(history.txnStart[t + 1] - history.txnStart[t]);
    }
    if (wanted === null) emitEdges(order, block, emit);
  }
}

/** Vectors of the sessions of a block. They hold transaction numbers plus 1; 0 means no transaction. */
interface Block {
  readonly width: number;
  /** For each transaction: the last transaction of each session that is visible to it. */
  readonly visibility: CausalVisibility;
  /** For each transaction, in the same rows: the last transaction of each session that must come before it. */
  readonly mustPrecede: Int32Array;
  readonly groups: Groups;
}

/** Pairs of transactions whose edges need a reason. */
export interface WantedEdges {
  has(from: number, to: number): boolean;
}

/**
 * Runs of the writers of every key that belong to a session of the current block: pairs of the session's column and its
 * first writer. Nearly all runs consist of one writer. For longer runs, whose column is negated, `from` is the place in
 * the list of writers where they begin. The table is compact, because most of the time is spent on fetching it.
 */
interface Groups {
  /** Writers of each key, in ascending order, and the offset of each key. */
  readonly writer: Int32Array;
  readonly writerStart: Int32Array;
  readonly start: Int32Array;
  readonly pair: Int32Array;
  readonly from: Int32Array;
}

function writersOfSessions(history: History, writers: Writers, first: number, last: number): Groups {
  const { txnSession } = history;
  const { start: writerStart, node: writer } = writers;
  const start = new Int32Array(countKeys(history) + 1);
  const runs = countRuns(writerStart, writer, txnSession);
  const pair = new Int32Array(2 * runs);
  const from = new Int32Array(runs);
  let run = -1;
  for (let key = 0; key + 1 < start.length; key++) {
    let session = -1;
    for (let i = writerStart[key], end = writerStart[key + 1]; i < end; i++) {
      const s = txnSession[writer[i]];
      if (s < first || s >= last) continue;
      const column = s - first;
      if (s === session) {
        pair[2 * run] = ~column;
        continue;
      }
      session = s;
      run++;
      pair[2 * run] = column;
      pair[2 * run + 1] = writer[i];
      from[run] = i;
    }
    start[key + 1] = run + 1;
  }
  return { writer, writerStart, start, pair, from };
}

function countRuns(writerStart: Int32Array, writer: Int32Array, txnSession: Int32Array): number {
  let runs = 0;
  for (let key = 0; key + 1 < writerStart.length; key++) {
    let session = -1;
    for (let i = writerStart[key]; i < writerStart[key + 1]; i++) {
      if (txnSession[writer[i]] !== session) runs++;
      session = txnSession[writer[i]];
    }
  }
  return runs;
}

function orderOverwritten(
  { history, source }: EdgeFacts,
  t3: number,
  { visibility, mustPrecede, groups }: Block,
  emit: EmitEdge,
  wanted: WantedEdges | null,
): void {
  const { txnStart, opKey } = history;
  const { writer, writerStart, start, pair, from } = groups;
  const visible = visibility.vectors;
  const row = visibility.rowOf(t3);
  for (let read = txnStart[t3], end = txnStart[t3 + 1]; read < end; read++) {
    const t1 = source[read];
    if (t1 === NO_SOURCE) continue;
    const key = opKey[read];
    const row1 = t1 === INITIAL_TXN ? 0 : visibility.rowOf(t1);
    for (let run = start[key], last = start[key + 1]; run < last; run++) {
      let column = pair[2 * run];
      let t2 = pair[2 * run + 1];
      if (column < 0) {
        column = ~column;
        if (t2 < visible[row + column])
          t2 = writer[lowerBound(writer, from[run], writerStart[key + 1], visible[row + column]) - 1];
      }
      if (t2 >= visible[row + column]) continue; // none of this session's writers is visible
      if (t2 === t1) continue;
      if (wanted !== null) {
        if (wanted.has(t2, t1)) emit(t2, t1, read);
      } else if (t1 === INITIAL_TXN) {
        emit(t2, t1, read);
      } else if (mustPrecede[row1 + column] <= t2) {
        mustPrecede[row1 + column] = t2 + 1;
      }
    }
  }
}

/** Emits the edges that do not already follow from session order and read-from. */
function emitEdges(order: Int32Array, { width, visibility, mustPrecede }: Block, emit: EmitEdge): void {
  const visible = visibility.vectors;
  for (let i = 0; i < order.length; i++) {
    const row = visibility.rowOf(order[i]);
    for (let c = 0; c < width; c++)
      if (mustPrecede[row + c] > visible[row + c]) emit(mustPrecede[row + c] - 1, order[i], -1);
  }
}

const BLOCK = 64;
