/**
 * ASI+Mono and ASI+Mono+Opt, baselines of Viper (Zhang, Ji, Mu & Tan, EuroSys 2023, section 6): Adya's snapshot
 * isolation as a serialization graph whose read and write dependencies have weight 0 and whose anti-dependencies have
 * weight 1, without a cycle of weight 0 or 1; and distinct timestamps, such that a transaction begins before it
 * commits, commits before its dependents begin, and begins before the overwriters of the versions that it read commit.
 * As published, the order of two writers of a key is a choice, every edge has a variable, and timestamps are bit
 * vectors. Unlike in the artifact, the bit vectors are wide enough for all events. MonoSAT supports bit vectors; here
 * they are built of gates. `Opt` combines writes and coalesces constraints as Cobra does.
 */
import type { IndexedHistory } from '@isolab/contract';
import { happenedTransactions } from '@isolab/history';
import { type BeginCommitPolygraph, beginCommitPolygraph, registerVersions } from '@isolab/polygraph';
import type { Formula } from '../formula/formula.ts';
import { bitsFor, differ, less } from '../formula/gates.ts';
import { type GraphProblem, addEdge, emptyGraph } from '../formula/problem.ts';

export type AsiEncoding =
  | { readonly graph: GraphProblem; readonly timestamps: Timestamps; readonly lostUpdate: null }
  /** Two transactions that overwrite the same version, found when writes are combined. */
  | { readonly lostUpdate: readonly [number, number] };

/** The bits of the begin and commit times of transactions. */
export interface Timestamps {
  readonly first: number;
  readonly bits: number;
  readonly txns: readonly number[];
}

export function encodeAsi(
  formula: Formula,
  { history, index }: IndexedHistory,
  optimise: boolean,
  tick: (steps: number) => void,
): AsiEncoding {
  const versions = registerVersions(history, index, { combine: optimise });
  const { divergence, writer } = versions;
  if (divergence !== null) return { lostUpdate: [writer[divergence.first], writer[divergence.second]] };
  const txns = Array.from(happenedTransactions(index.outcome));
  const encoder = new Encoder(formula, beginCommitPolygraph(versions), txns, optimise, tick);
  encoder.addTimes();
  encoder.addKnown();
  encoder.addChoices();
  return { graph: encoder.graph, timestamps: encoder.timestamps, lostUpdate: null };
}

class Encoder {
  readonly graph: GraphProblem;
  readonly timestamps: Timestamps;
  readonly #formula: Formula;
  readonly #polygraph: BeginCommitPolygraph;
  readonly #coalesce: boolean;
  readonly #tick: (steps: number) => void;
  readonly #place: Int32Array; // of each transaction among the transactions that happened

  constructor(
    formula: Formula,
    polygraph: BeginCommitPolygraph,
    txns: readonly number[],
    coalesce: boolean,
    tick: (steps: number) => void,
  ) {
    this.#formula = formula;
    this.#polygraph = polygraph;
    this.#coalesce = coalesce;
    this.#tick = tick;
    this.graph = emptyGraph(txns.length, true);
    this.#place = new Int32Array(polygraph.versions.numTxns).fill(-1);
    txns.forEach((t, place) => (this.#place[t] = place));
    const bits = bitsFor(2 * txns.length);
    this.timestamps = { first: formula.variables(2 * txns.length * bits), bits, txns };
  }

  addTimes(): void {
    const { bits, txns } = this.timestamps;
    const events = 2 * txns.length;
    const pairs = (events * (events - 1)) / 2;
    this.#formula.reserve(pairs * (2 * bits + 1), pairs * 7 * bits);
    for (let place = 0; place < txns.length; place++) this.#before(2 * place, 2 * place + 1, 0);
    for (let a = 0; a < events; a++)
      for (let b = 0; b < a; b++) differ(this.#formula, this.#bitsOf(a), this.#bitsOf(b), bits);
  }

  /**
   * Adds reads, chains of versions whose succession is certain, and that the chain of the initial version comes first.
   */
  addKnown(): void {
    const { versions, chainStart, chainHead, initialTail } = this.#polygraph;
    const { numWritten, writer, readerStart, reader, next } = versions;
    for (let version = 0; version < next.length; version++) {
      if (version < numWritten) {
        for (let row = readerStart[version]; row < readerStart[version + 1]; row++)
          this.#edge(writer[version], reader[row], 0, 0);
      }
      if (next[version] >= 0) this.#order(version, next[version], 0);
      this.#tick(1);
    }
    for (let key = 0; key < versions.numKeys; key++)
      for (let chain = chainStart[key]; chain < chainStart[key + 1]; chain++)
        this.#order(initialTail[key], chainHead[chain], 0);
  }

  addChoices(): void {
    const { chainStart, versions } = this.#polygraph;
    for (let key = 0; key < versions.numKeys; key++) {
      for (let a = chainStart[key]; a < chainStart[key + 1]; a++) {
        for (let b = a + 1; b < chainStart[key + 1]; b++) this.#choice(a, b);
        this.#tick(chainStart[key + 1] - a);
      }
    }
  }

  #choice(a: number, b: number): void {
    const { chainHead, chainTail } = this.#polygraph;
    if (this.#coalesce) {
      const first = this.#formula.variables(1);
      this.#order(chainTail[a], chainHead[b], first);
      this.#order(chainTail[b], chainHead[a], -first);
      return;
    }
    const forwards = this.#formula.variables(2);
    const backwards = forwards + 1;
    this.#exclude(forwards, backwards);
    this.#separate(chainHead[a], chainHead[b], forwards, backwards);
    this.#separate(chainHead[b], chainHead[a], backwards, forwards);
  }

  /**
   * Puts a version before a later version. A variable for each reader states that it precedes the later writer, or that
   * this order does not hold.
   */
  #separate(version: number, later: number, isSo: number, otherwise: number): void {
    const { writer, readerStart, reader } = this.#polygraph.versions;
    this.#edge(writer[version], writer[later], isSo, 0);
    for (let row = readerStart[version]; row < readerStart[version + 1]; row++) {
      if (reader[row] === writer[later]) continue;
      const variable = this.#formula.variables(1);
      this.#exclude(variable, otherwise);
      this.#edge(reader[row], writer[later], variable, 1);
    }
  }

  #exclude(a: number, b: number): void {
    this.#formula.clause2(a, b);
    this.#formula.clause2(-a, -b);
  }

  /** Adds all consequences of the order of two versions. */
  #order(version: number, later: number, literal: number): void {
    const { numWritten, writer, readerStart, reader } = this.#polygraph.versions;
    if (version < numWritten) this.#edge(writer[version], writer[later], literal, 0);
    for (let row = readerStart[version]; row < readerStart[version + 1]; row++)
      if (reader[row] !== writer[later]) this.#edge(reader[row], writer[later], literal, 1);
  }

  #edge(from: number, to: number, literal: number, weight: 0 | 1): void {
    const a = this.#place[from];
    const b = this.#place[to];
    addEdge(this.graph, a, b, literal, weight);
    if (weight === 0) this.#before(2 * a + 1, 2 * b, literal);
    else this.#before(2 * a, 2 * b + 1, literal);
  }

  /** Makes the time of the first event less than the time of the later event, if the literal is true. */
  #before(event: number, later: number, literal: number): void {
    less(this.#formula, this.#bitsOf(event), this.#bitsOf(later), this.timestamps.bits, literal);
  }

  #bitsOf = (event: number): number => this.timestamps.first + event * this.timestamps.bits;
}

export function eventsIn({ first, bits, txns }: Timestamps, model: Uint8Array): number[] {
  const events = txns.flatMap((t, place) =>
    [0, 1].map((end) => ({ event: 2 * t + end, time: timeAt(model, first + (2 * place + end) * bits, bits) })),
  );
  return events.toSorted((a, b) => a.time - b.time).map(({ event }) => event);
}

function timeAt(model: Uint8Array, variable: number, bits: number): number {
  let time = 0;
  for (let k = 0; k < bits; k++) time = 2 * time + model[variable + k];
  return time;
}
