import { OpKind, countKeys } from '@isolab/history';
import { INITIAL, NO_SOURCE } from '@isolab/graph/relations';
import type { Tuning } from '../../../problem/tuning.ts';
import type { EmitEdge } from './edges.ts';
import type { EdgeFacts } from './facts.ts';
import type { Visibility } from './visibility.ts';

/**
 * Emits the edges that the level's axiom requires and that an order of the transactions contradicts: t₃ reads x from
 * t₁, and a transaction that the order places between them writes x and is visible to t₃. If there are none, the order
 * satisfies the level. Most reads see the latest version so far, so that no writer lies between.
 * Returns false if it gave up, because reads are so stale that too many writers lie between.
 */
export function contradictions(
  facts: EdgeFacts,
  order: Int32Array,
  visibility: Visibility,
  { weakPatience }: Tuning,
  tick: (steps: number) => void,
  emit: EmitEdge,
): boolean {
  const { txnStart } = facts.history;
  const walk = new Walk(facts, visibility, weakPatience, emit);
  for (let i = 0; i < order.length; i++) {
    const t3 = order[i];
    visibility.enter(t3);
    if (!walk.visit(t3)) return false;
    tick(txnStart[t3 + 1] - txnStart[t3]);
  }
  return true;
}

/** Walks along the order. A method call for each transaction is optimized sooner than a loop over all of them. */
class Walk {
  readonly #facts: EdgeFacts;
  readonly #visibility: Visibility;
  readonly #emit: EmitEdge;
  readonly #start: Int32Array; // by key: offset of its writers
  readonly #writer: Int32Array; // writers of each key in the order so far
  readonly #end: Int32Array; // by key: end of its writers
  readonly #latest: Int32Array; // by key: the last writer, or INITIAL
  #patience: number;

  constructor(facts: EdgeFacts, visibility: Visibility, patience: number, emit: EmitEdge) {
    const { history, relations } = facts;
    const { writerStart } = relations;
    this.#facts = facts;
    this.#visibility = visibility;
    this.#emit = emit;
    this.#start = writerStart;
    this.#writer = new Int32Array(writerStart[writerStart.length - 1]);
    this.#end = writerStart.slice(0, countKeys(history));
    this.#latest = new Int32Array(this.#end.length).fill(INITIAL);
    this.#patience = patience * (history.opKind.length + 1);
  }

  /** Returns false when the patience is used up. */
  visit(t3: number): boolean {
    const { history, source } = this.#facts;
    const { txnStart, opKind, opKey } = history;
    const start = this.#start;
    const writer = this.#writer;
    const end = this.#end;
    const latest = this.#latest;
    const first = txnStart[t3];
    const last = txnStart[t3 + 1];
    for (let read = first; read < last; read++) {
      const t1 = source[read];
      if (t1 === NO_SOURCE) continue;
      const key = opKey[read];
      if (latest[key] === t1) continue;
      for (let at = end[key] - 1, begin = start[key]; at >= begin && writer[at] !== t1; at--) {
        this.#patience--;
        if (this.#visibility.isVisible(writer[at], read)) this.#emit(writer[at], t1, read);
      }
    }
    if (this.#patience < 0) return false;
    for (let op = first; op < last; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const key = opKey[op];
      if (latest[key] === t3) continue;
      latest[key] = t3;
      writer[end[key]++] = t3;
    }
    return true;
  }
}
