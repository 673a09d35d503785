import type { Edge, ProofCertificate, ProofChoice, ProofStep } from '@isolab/contract';
import type { Contradiction } from './contradiction.ts';
import type { Dropped, Narrowing } from '../facts/narrowing.ts';
import { lastWriters, versionName } from '../problem/optional.ts';
import type { Several } from '../problem/several.ts';

/** Builds a clausal proof of cycles, candidates of reads, internal anomalies, and learned clauses. */
export function clausalProof(contradiction: Contradiction): ProofCertificate {
  const writer = new ProofWriter(contradiction);
  for (const step of contradiction.core) writer.addStep(step);
  return writer.finish();
}

class ProofWriter {
  readonly #contradiction: Contradiction;
  readonly #several: Several | null; // number of choices at first
  readonly #choices: ProofChoice[] = [];
  readonly #steps: ProofStep[] = [];
  readonly #byVariable = new Map<number, number>();
  readonly #bySeen = new Map<number, number>(); // operation and writer
  readonly #isResolved = new Set<number>(); // operations
  readonly #isRefuted = new Set<number>(); // variables
  #impossibleWriters: ReadonlyMap<number, readonly number[]> | null = null;

  constructor(contradiction: Contradiction) {
    this.#contradiction = contradiction;
    const { narrowing, versions } = contradiction;
    this.#several = (narrowing?.rounds[0]?.versions ?? versions).several;
  }

  finish(): ProofCertificate {
    if (this.#steps.at(-1)!.clause.length > 0) this.#steps.push({ kind: 'learned', clause: [] });
    return { kind: 'proof', choices: this.#choices, steps: this.#steps };
  }

  addStep(number: number): void {
    const { search } = this.#contradiction;
    const step = search.proof.steps[number]!;
    const clause = step.clause.map((literal) => this.#signed(literal));
    const { cycle } = step;
    if (step.read >= 0) this.#addCandidates(this.#contradiction.versions.several!.readOp[step.read], clause);
    else if (cycle === null) this.#steps.push({ kind: 'learned', clause });
    else this.#addCycle(clause, () => this.#contradiction.edgesOf(cycle, (one) => this.#contradiction.assumed(one)));
  }

  #signed(literal: number): number {
    const { search, versions } = this.#contradiction;
    const { read, version, lesser, greater, key } = search.choices;
    const variable = literal >> 1;
    let number = this.#byVariable.get(variable);
    if (number === undefined) {
      number =
        read[variable]! >= 0
          ? this.#seen(versions.several!.readOp[read[variable]!], version[variable]!)
          : this.#choices.push({ first: lesser[variable]!, second: greater[variable]!, key: key[variable]! });
      this.#byVariable.set(variable, number);
    }
    return literal & 1 ? -number : number;
  }

  #seen(read: number, version: number): number {
    return this.#saw(read, this.#contradiction.writerOf(version));
  }

  #saw(read: number, writer: number): number {
    const pair = read * (this.#contradiction.versions.numTxns + 1) + writer + 1;
    let number = this.#bySeen.get(pair);
    if (number === undefined) {
      number = this.#choices.push({ read, writer });
      this.#bySeen.set(pair, number);
    }
    return number;
  }

  /** Adds a cycle, preceded by the proofs that the reads behind its edges are certain. */
  #addCycle(clause: readonly number[], edgesOf: () => Edge[]): void {
    const { narrowed, narrowing } = this.#contradiction;
    narrowed.clear();
    const edges = edgesOf();
    const reads = [...narrowed];
    for (const [read] of reads) this.#resolve(narrowing!, read);
    const all = [...clause, ...reads.map(([read, version]) => -this.#seen(read, version))];
    this.#steps.push({ kind: 'cycle', clause: all, edges });
  }

  /** Adds that a read saw one of its candidates. Dropped candidates are refuted first. */
  #addCandidates(read: number, clause: readonly number[]): void {
    const dropped = this.#contradiction.narrowing?.dropped.get(read) ?? [];
    for (const one of dropped) this.#refute(this.#contradiction.narrowing!, read, one);
    const all = [
      ...clause,
      ...dropped.map(({ version }) => this.#seen(read, version)),
      ...this.#refuteImpossible(read),
    ];
    this.#steps.push({ kind: 'candidates', clause: all, read });
  }

  /** Refutes that a read saw transactions that contradict themselves. Returns the variables of these candidates. */
  #refuteImpossible(read: number): number[] {
    const { history, versions } = this.#contradiction;
    if (versions.impossible.size === 0) return [];
    this.#impossibleWriters ??= lastWriters(history, versions.impossible.keys());
    const writers = this.#impossibleWriters.get(versionName(history, read)) ?? [];
    return writers.map((t) => {
      const variable = this.#saw(read, t);
      if (this.#isRefuted.has(variable)) return variable;
      this.#isRefuted.add(variable);
      const { name, read: shows, other } = versions.impossible.get(t)!;
      this.#steps.push({ kind: 'internal', clause: [-variable], anomaly: name, read: shows, other });
      return variable;
    });
  }

  /** Returns the reader of an ambiguous read, and all versions that it may have seen at first. */
  #openRead(read: number): { readonly reader: number; readonly candidates: readonly number[] } {
    const { readOp, reader, choiceStart, choice } = this.#several!;
    const i = readOp.indexOf(read);
    return { reader: reader[i]!, candidates: Array.from(choice.subarray(choiceStart[i], choiceStart[i + 1])) };
  }

  /** Shows why only one candidate of a read is left. */
  #resolve(narrowing: Narrowing, read: number): void {
    if (this.#isResolved.has(read)) return;
    this.#isResolved.add(read);
    const dropped = narrowing.dropped.get(read)!;
    const left = this.#openRead(read).candidates.filter((version) => !dropped.some((one) => one.version === version));
    this.#addCandidates(
      read,
      left.map((version) => this.#seen(read, version)),
    );
  }

  #refute(narrowing: Narrowing, read: number, { version, round, between }: Dropped): void {
    const variable = this.#seen(read, version);
    if (this.#isRefuted.has(variable)) return;
    this.#isRefuted.add(variable);
    const contradiction = this.#contradiction;
    const known = narrowing.rounds[round]!;
    const { reader } = this.#openRead(read);
    const seen = contradiction.writerOf(version);
    this.#addCycle([-variable], () => {
      if (between < 0) {
        const edge: Edge = { from: seen, to: reader, reason: { kind: 'assumed-read', read } };
        return [edge, ...contradiction.path(known, reader, seen)];
      }
      const write = contradiction.writeOf(between, contradiction.keyOf(version));
      const order = contradiction.orderAfter(version, between, (writer) => contradiction.path(known, writer, between));
      const edge: Edge = { from: reader, to: between, reason: { kind: 'overwrites', read, write, order } };
      return [edge, ...contradiction.path(known, between, reader)];
    });
  }
}
