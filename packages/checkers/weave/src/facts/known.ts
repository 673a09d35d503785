import { EdgeColumns, rowsBy, shortCycles } from '@isolab/graph';
import { type Before, type Reach, countBefore, directlyBefore } from './before.ts';
import { Band } from './band.ts';
import type { Chains } from '../problem/chains.ts';
import type { Tuning } from '../problem/tuning.ts';
import { Vectors } from './vectors.ts';
import type { Versions } from '../problem/versions.ts';

/** A known precedence: by a chain, a read or a fact, or because a read version is overwritten. */
export interface KnownStep {
  readonly from: number;
  readonly to: number;
  readonly kind: 'chain' | 'read' | 'fact' | 'overwrites';
  readonly number: number;
}

/**
 * Relations that hold without any choice: chains, read-from, and the facts that saturation derives: if r reads a key
 * from w, and u also writes it and is known to come before r, then u comes before w.
 */
export class Known implements Before {
  /**
   * Facts, grouped by the transaction that must wait. `factReader` reads `factVersion`, which either was written by
   * that transaction or, if `factFrom` wrote it, is overwritten by it.
   */
  factStart: Int32Array;
  factFrom: Int32Array = new Int32Array(0);
  factReader: Int32Array = new Int32Array(0);
  factVersion: Int32Array = new Int32Array(0);
  factRound: Int32Array = new Int32Array(0);
  /** Number of rounds whose facts `#reach` includes. */
  rounds = 0;
  cycle: readonly KnownStep[] | null = null;
  readonly versions: Versions;
  readonly chains: Chains;
  #reach: Reach | null = null;

  private constructor(versions: Versions, chains: Chains) {
    this.versions = versions;
    this.chains = chains;
    this.factStart = new Int32Array(versions.numTxns + 1);
  }

  static of(
    versions: Versions,
    chains: Chains,
    guess: Int32Array,
    withAntidependencies: boolean,
    rounds: number,
    tuning: Tuning,
    tick: (steps: number) => void,
  ): Known {
    const known = new Known(versions, chains);
    const hasFewChains =
      chains.numChains <= tuning.vectorChains &&
      chains.numChains < versions.numHappened &&
      versions.numTxns * chains.numChains <= tuning.vectorNumbers;
    for (let round = 0; ; round++) {
      const reach = hasFewChains ? Vectors.of(known) : Band.of(known, guess, withAntidependencies, tuning);
      tick(versions.numTxns);
      if (reach === null) known.cycle = known.#shortCycle();
      if (reach === null) return known;
      known.#reach = reach;
      known.rounds = round;
      known.cycle = known.#overwrittenInitial();
      if (known.cycle !== null) return known;
      const found = round === rounds ? [] : reach.newFacts();
      if (found.length === 0) return known;
      known.#addFacts(found, round + 1);
    }
  }

  has(first: number, second: number): boolean {
    return this.#reach!.has(first, second);
  }

  writersBefore(t: number, key: number): number[] {
    return this.#reach!.writersBefore(t, key);
  }

  isAntidependency(fact: number): boolean {
    return this.factReader[fact] === this.factFrom[fact];
  }

  /** Finds a read of an initial version after a known overwriter of that version. */
  #overwrittenInitial(): KnownStep[] | null {
    const { writer, writeKey, writeStart, readerStart, reader, numKeys, happened } = this.versions;
    for (let key = 0; key < numKeys; key++) {
      const version = writer.length + key;
      for (let slot = readerStart[version]; slot < readerStart[version + 1]; slot++) {
        if (happened[reader[slot]] === 0) continue;
        const [first] = this.#reach!.writersBefore(reader[slot], key);
        if (first === undefined) continue;
        let write = writeStart[first];
        while (writeKey[write] !== key) write++;
        const path = this.path(first, reader[slot], this.rounds);
        return [...path, { from: reader[slot], to: first, kind: 'overwrites', number: write }];
      }
    }
    return null;
  }

  #shortCycle(): KnownStep[] {
    const { numTxns, happened } = this.versions;
    const edges = new EdgeColumns();
    const steps: KnownStep[] = [];
    for (let to = 0; to < numTxns; to++) {
      if (happened[to] === 0) continue;
      for (let k = 0, count = countBefore(this, to); k < count; k++) {
        const step = this.#stepBefore(to, k);
        if (step === null) continue;
        edges.add(step.from, to);
        steps.push(step);
      }
    }
    let best: readonly number[] = [];
    for (const cycle of shortCycles(edges.digraph(numTxns)))
      if (best.length === 0 || cycle.length < best.length) best = cycle;
    return best.map((edge) => steps[edge]!);
  }

  #stepBefore(to: number, k: number): KnownStep | null {
    const from = directlyBefore(this, to, k);
    if (from < 0) return null;
    const { readStart } = this.versions;
    const reads = readStart[to + 1] - readStart[to];
    if (k === 0) return { from, to, kind: 'chain', number: -1 };
    if (k <= reads) return { from, to, kind: 'read', number: readStart[to] + k - 1 };
    return { from, to, kind: 'fact', number: this.factStart[to] + k - 1 - reads };
  }

  #addFacts(found: readonly number[], round: number): void {
    const { numTxns } = this.versions;
    const old = this.factFrom.length;
    const to = new Int32Array(old + found.length / 4);
    for (let t = 0; t < numTxns; t++) to.fill(t, this.factStart[t], this.factStart[t + 1]);
    for (let i = 0; i < found.length; i += 4) to[old + i / 4] = found[i + 1]!;
    const { start, item } = rowsBy(to, numTxns);
    const column = (known: Int32Array, place: number): Int32Array =>
      item.map((fact) => (fact < old ? known[fact] : found[4 * (fact - old) + place]!));
    this.factFrom = column(this.factFrom, 0);
    this.factReader = column(this.factReader, 2);
    this.factVersion = column(this.factVersion, 3);
    this.factRound = item.map((fact) => (fact < old ? this.factRound[fact] : round));
    this.factStart = start;
  }

  /**
   * Returns a shortest path between two transactions of known order, through facts of at most this number of rounds.
   */
  path(from: number, to: number, rounds: number): KnownStep[] {
    const next = new Map<number, KnownStep>();
    let frontier = [to];
    while (!next.has(from)) {
      if (frontier.length === 0) throw new Error(`Transaction ${from} is not known to come before ${to}.`);
      const farther: number[] = [];
      for (const t of frontier) {
        for (let k = 0; k < countBefore(this, t); k++) {
          const step = this.#stepBefore(t, k);
          if (step === null || next.has(step.from)) continue;
          if (step.from !== from && !this.#reach!.mayHave(from, step.from)) continue;
          if (step.kind === 'fact' && this.factRound[step.number] > rounds) continue;
          next.set(step.from, step);
          farther.push(step.from);
        }
      }
      frontier = farther;
    }
    const steps: KnownStep[] = [];
    for (let t = from; t !== to; t = steps[steps.length - 1]!.to) steps.push(next.get(t)!);
    return steps;
  }
}
