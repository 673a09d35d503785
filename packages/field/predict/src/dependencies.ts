/**
 * Dependencies between the transactions of an execution, with the versions of each key in the recorded order. Without a
 * cycle, the execution is serializable. A cycle shows the transactions that may violate a level together.
 */
import type { Execution } from './execution.ts';
import { type Model, NO_SOURCE, lastWrite } from './model.ts';

/** Returns the transactions of a shortest cycle through one of the transactions; null if there is none. */
export function shortestCycle(model: Model, execution: Execution, through: Iterable<number>): number[] | null {
  const dependencies = new Dependencies(model, execution);
  let shortest: number[] = [];
  for (const t of through) shortest = cycleThrough(dependencies, t, shortest.length || Infinity) ?? shortest;
  return shortest.length > 0 ? shortest : null;
}

/** Returns a shortest cycle of fewer than `below` transactions. */
function cycleThrough(dependencies: Dependencies, t: number, below: number): number[] | null {
  const from = new Int32Array(dependencies.count).fill(-1);
  const queue = [t];
  let length = 1; // of a cycle that closes at the present distance
  let last = 1; // end of the present distance in the queue
  for (let head = 0; head < queue.length; head++) {
    if (head === last) {
      last = queue.length;
      length++;
    }
    if (length >= below) return null;
    const u = queue[head]!;
    for (const next of dependencies.of(u)) {
      if (next === t) {
        const cycle = [u];
        for (let v = u; v !== t; v = from[v]) cycle.push(from[v]);
        return cycle.toReversed();
      }
      if (from[next] >= 0) continue;
      from[next] = u;
      queue.push(next);
    }
  }
  return null;
}

class Dependencies {
  readonly #model: Model;
  readonly #execution: Execution;
  /** Pairs of a writer and the transaction of a changed read that sees its version. */
  readonly #newReaders: number[] = [];
  readonly #known: (readonly number[])[] = [];

  constructor(model: Model, execution: Execution) {
    this.#model = model;
    this.#execution = execution;
    for (const [read, source] of execution.sources)
      if (source >= 0) this.#newReaders.push(model.txn[source], model.txn[read]);
  }

  get count(): number {
    return this.#model.session.length;
  }

  /** Returns the transactions that directly follow a transaction, some of them repeatedly. */
  of(t: number): readonly number[] {
    return (this.#known[t] ??= this.#find(t));
  }

  #find(t: number): number[] {
    const { session, start, isWrite, txn, key, readers, source, next } = this.#model;
    const { end, takesPart, sources } = this.#execution;
    const found: number[] = [];
    for (let i = 0; i < this.#newReaders.length; i += 2)
      if (this.#newReaders[i] === t) found.push(this.#newReaders[i + 1]!);
    if (session[t + 1] === session[t] && takesPart[t + 1] === 1) found.push(t + 1);
    for (let op = start[t]; op < end[t]; op++) {
      const seen = isWrite[op] === 1 ? op : (sources.get(op) ?? source[op]);
      if (seen === NO_SOURCE) continue;
      if (isWrite[op] === 1)
        for (const read of readers[op]!) if (read < end[txn[read]] && !sources.has(read)) found.push(txn[read]);
      const after = next[op];
      const isAsRecorded = isWrite[op] === 1 || seen === source[op];
      if (!isAsRecorded || (after >= 0 && end[after] < start[after + 1]))
        this.#pushNextWriter(found, key[op], seen < 0 ? -1 : txn[seen], t);
      else if (after >= 0 && after !== t) found.push(after);
    }
    return found;
  }

  /** Adds the writer of the version after that of a transaction, unless it is `reader`. */
  #pushNextWriter(found: number[], key: number, writer: number, reader: number): void {
    const writers = this.#model.writers[key]!;
    for (let i = writer < 0 ? 0 : this.#model.places[key]!.get(writer)! + 1; i < writers.length; i++) {
      const next = writers[i]!;
      if (lastWrite(this.#model, next, key, this.#execution.end[next]) < 0) continue;
      if (next !== reader) found.push(next);
      return;
    }
  }
}

/** Transactions that each transaction leads to in an execution, itself included. */
export class Reach {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(model: Model, execution: Execution) {
    const count = model.session.length;
    this.#words = (count + 31) >> 5;
    this.#bits = new Uint32Array(count * this.#words);
    const dependencies = new Dependencies(model, execution);
    const next = Array.from({ length: count }, (_, t) => [...new Set(dependencies.of(t))]);
    const stack: number[] = [];
    for (let t = 0; t < count; t++) {
      stack.push(t);
      for (let u = stack.pop(); u !== undefined; u = stack.pop()) {
        if (this.leads(t, u)) continue;
        this.#bits[t * this.#words + (u >> 5)] |= 1 << (u & 31);
        for (const v of next[u]!) if (!this.leads(t, v)) stack.push(v);
      }
    }
  }

  leads(from: number, to: number): boolean {
    return ((this.#bits[from * this.#words + (to >> 5)]! >>> (to & 31)) & 1) === 1;
  }
}
