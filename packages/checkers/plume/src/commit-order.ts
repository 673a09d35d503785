import type { LevelName } from '@isolab/contract';
import { IntList, lowerBound } from '@isolab/graph';
import { isEarlierStatement } from '@isolab/history';
import type { Reachability } from './clocks.ts';
import { type Model, groupOf } from './model.ts';
import { Reader } from './reader.ts';

/**
 * The edges t₂ → t₁ that the axiom adds (Algorithm 1, line 21): t₃ reads x from t₁ and sees t₂, which also writes x.
 */
export interface CommitEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The row t₁ WR(x) t₃ from which each edge is inferred. */
  readonly row: Int32Array;
  /**
   * Whether a transaction reads the initial state of a key and sees a writer of the key, which ⊥ would have to follow.
   */
  readonly staleInitial: boolean;
}

export type CommitLevel = Extract<LevelName, 'read-committed' | 'read-atomic' | 'causal'>;

/**
 * Builds the commit order of the requested level. Algorithm 1 infers the edges of causal consistency at every level;
 * Theorems 3 and 4 concern the level's own edges, and with the other edges a read committed history may be rejected.
 * If t₂ reaches t₁ in CO already, no edge is needed. With `latestOnly`, only the latest visible writer of each session
 * serves as t₂; the earlier writers precede it by session order.
 */
export function buildCommitEdges(
  model: Model,
  co: Reachability,
  level: CommitLevel,
  latestOnly: boolean,
  tick: (steps: number) => void,
): CommitEdges {
  const edges = new EdgeCollector(model, co);
  if (level === 'causal') addCausal(model, co, edges, latestOnly, tick);
  else addDirect(model, edges, level, latestOnly, tick);
  return edges.finish();
}

class EdgeCollector {
  readonly #writer: Int32Array;
  readonly #co: Reachability;
  readonly #numNodes: number;
  readonly #from = new IntList();
  readonly #to = new IntList();
  readonly #row = new IntList();
  readonly #recent: Float64Array; // recently added edges, to avoid most duplicates
  #staleInitial = false;

  constructor({ reads, numNodes }: Model, co: Reachability) {
    this.#writer = reads.writer;
    this.#co = co;
    this.#numNodes = numNodes;
    const enough = 1 << (32 - Math.clz32(reads.writer.length)); // a power of two
    this.#recent = new Float64Array(Math.min(MOST_RECENT, enough)).fill(-1);
  }

  /** Adds the edge of `t2`, which is visible to the reader of this row and writes its key. */
  add(t2: number, row: number): void {
    const t1 = this.#writer[row];
    if (t1 < 0) {
      this.#staleInitial = true;
      return;
    }
    if (this.#co.reaches(t2, t1)) return;
    const edge = t1 * this.#numNodes + t2;
    const slot = (Math.imul(t1, GOLDEN) ^ t2) & (this.#recent.length - 1);
    if (this.#recent[slot] === edge) return;
    this.#recent[slot] = edge;
    this.#from.push(t2);
    this.#to.push(t1);
    this.#row.push(row);
  }

  finish(): CommitEdges {
    return {
      from: this.#from.view(),
      to: this.#to.view(),
      row: this.#row.view(),
      staleInitial: this.#staleInitial,
    };
  }
}

const MOST_RECENT = 1 << 16;
const GOLDEN = 0x9e3779b1; // 2³² divided by the golden ratio

/** RC-4 and ReadAtomic: t₃ reads another key from t₂ (at RC, before it reads x), or, at RA, t₂ SO t₃. */
function addDirect(
  model: Model,
  edges: EdgeCollector,
  level: 'read-committed' | 'read-atomic',
  latestOnly: boolean,
  tick: (steps: number) => void,
): void {
  const { history, numNodes, session, reads, writers } = model;
  const reader = new Reader(model);
  const anyOrder = level === 'read-atomic';
  for (let t3 = 0; t3 < numNodes; t3++) {
    reader.open(t3);
    for (const t2 of reader.sources) {
      for (const row of reader.contested(t2)) {
        const read = reader.readOfOtherKey(t2, reads.key[row]);
        if (read >= 0 && (anyOrder || isEarlierStatement(history, read, reads.last[row]))) edges.add(t2, row);
      }
    }
    if (anyOrder) {
      for (let row = reads.start[t3]; row < reads.start[t3 + 1]; row++) {
        const group = groupOf(writers, reads.key[row], session[t3]);
        if (group < 0) continue;
        const first = writers.start[group];
        for (let i = lowerBound(writers.node, first, writers.start[group + 1], t3) - 1; i >= first; i--) {
          if (writers.node[i] !== reads.writer[row]) edges.add(writers.node[i], row);
          if (latestOnly) break;
        }
      }
    }
    tick(1);
  }
}

/** Causal: t₂ CO t₃. */
function addCausal(
  { numNodes, reads, writers }: Model,
  co: Reachability,
  edges: EdgeCollector,
  latestOnly: boolean,
  tick: (steps: number) => void,
): void {
  const { groupStart, groupSession, start, node } = writers;
  for (let t3 = 0; t3 < numNodes; t3++) {
    let steps = 1;
    for (let row = reads.start[t3], endRow = reads.start[t3 + 1]; row < endRow; row++) {
      const t1 = reads.writer[row];
      const endGroup = groupStart[reads.key[row] + 1];
      for (let group = groupStart[reads.key[row]]; group < endGroup; group++) {
        const first = start[group];
        for (let i = co.lastReaching(t3, groupSession[group], node, first, start[group + 1]); i >= first; i--) {
          if (node[i] === t3) continue;
          if (node[i] !== t1) edges.add(node[i], row);
          if (latestOnly) break;
        }
      }
      steps += endGroup - groupStart[reads.key[row]];
    }
    tick(steps);
  }
}

/** Index of the first of `nodes[from … to)`, all of one session, that `node` reaches, or `to`. */
export function firstReached(order: Reachability, nodes: Int32Array, from: number, to: number, node: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (order.reaches(node, nodes[middle])) to = middle;
    else from = middle + 1;
  }
  return from;
}
