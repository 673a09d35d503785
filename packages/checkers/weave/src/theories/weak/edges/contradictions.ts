import { OpKind, countKeys } from '@isolab/history';
import { NO_SOURCE } from '@isolab/graph/relations';
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
  // Writes so far, from 1 on: the writer of each, and the write of the same key before it, or 0. A key's latest writer,
  // plus 1, and its latest write share a cache line.
  readonly #writer: Int32Array;
  readonly #before: Int32Array;
  readonly #latest: Int32Array;
  #writes = 0;
  #patience: number;

  constructor(facts: EdgeFacts, visibility: Visibility, patience: number, emit: EmitEdge) {
    const { history } = facts;
    this.#facts = facts;
    this.#visibility = visibility;
    this.#emit = emit;
    this.#writer = new Int32Array(history.opKind.length + 1);
    this.#before = new Int32Array(history.opKind.length + 1);
    this.#latest = new Int32Array(STRIDE * countKeys(history));
    this.#patience = patience * (history.opKind.length + 1);
  }

  /** Returns false when the patience is used up. */
  visit(t3: number): boolean {
    const { history, source } = this.#facts;
    const { txnStart, opKind, opKey } = history;
    const writer = this.#writer;
    const before = this.#before;
    const latest = this.#latest;
    const first = txnStart[t3];
    const last = txnStart[t3 + 1];
    for (let read = first; read < last; read++) {
      const t1 = source[read];
      if (t1 === NO_SOURCE) continue;
      const key = STRIDE * opKey[read];
      if (latest[key + WRITER] === t1 + 1) continue;
      for (let at = latest[key + WRITE]; at > 0 && writer[at] !== t1; at = before[at]) {
        this.#patience--;
        if (this.#visibility.isVisible(writer[at], read)) this.#emit(writer[at], t1, read);
      }
    }
    if (this.#patience < 0) return false;
    for (let op = first; op < last; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const key = STRIDE * opKey[op];
      if (latest[key + WRITER] === t3 + 1) continue;
      const at = ++this.#writes;
      writer[at] = t3;
      before[at] = latest[key + WRITE];
      latest[key + WRITER] = t3 + 1;
      latest[key + WRITE] = at;
    }
    return true;
  }
}

/** Slots of a key. */
const STRIDE = 2;
const WRITER = 0;
const WRITE = 1;
