import { type Edge, type FoundAnomaly, INITIAL_TXN, type ViolationCertificate } from '@isolab/checker';
import { type History, OpKind } from '@isolab/history';
import type { Known, KnownStep } from './known.ts';
import { nestedCycle } from './nested.ts';
import { clausalProof } from './clausal.ts';
import { nameOf } from './names.ts';
import type { Model } from './model.ts';
import { Why } from './schedule.ts';
import { readFromBetween } from './certain.ts';
import type { Search, Wait } from './search.ts';
import type { Versions } from './versions.ts';

/** The contradiction that a search ended with, as edges between transactions. */
export class Contradiction {
  readonly history: History;
  readonly versions: Versions;
  readonly model: Model;
  readonly search: Search;
  readonly known: Known | null;
  readonly #facts = new Map<number, Edge>();
  /** Steps of the proof, in order; the last one is the contradiction. */
  readonly core: readonly number[];

  constructor(history: History, versions: Versions, model: Model, search: Search, known: Known | null) {
    this.known = known;
    this.history = history;
    this.versions = versions;
    this.model = model;
    this.search = search;
    this.core = search.proof.core();
  }

  txnOf(event: number): number {
    return event >> this.search.schedule.shift;
  }

  /** What a wait says, as edges; none if it stays within a transaction. `orderOf` gives the edge of a literal. */
  edgesOfWait(wait: Wait, orderOf: (literal: number) => Edge): readonly Edge[] {
    const from = this.txnOf(wait.from);
    const to = this.txnOf(wait.to);
    switch (wait.why) {
      case Why.Chain:
        return from === to ? [] : [{ from, to, reason: { kind: 'session' } }];
      case Why.ReadFrom:
        return [this.#readFrom(from, to, wait.data)];
      case Why.Fact:
        return [this.#fact(wait.data, to)];
      case Why.Time:
        return [{ from, to, reason: { kind: 'real-time' } }];
      case Why.Overwrite: {
        const read = this.readOf(from, wait.basis);
        const write = this.writeOf(to, this.versions.writeKey[wait.data]);
        const order = wait.literal < 0 ? this.#certainOrder(wait.basis, to) : [orderOf(wait.literal)];
        return [{ from, to, reason: { kind: 'overwrites', read, write, order } }];
      }
      default:
        return wait.literal < 0 ? this.#between(from, to) : [orderOf(wait.literal)];
    }
  }

  edgesOf(waits: readonly Wait[], orderOf: (literal: number) => Edge): Edge[] {
    return waits.flatMap((wait) => this.edgesOfWait(wait, orderOf));
  }

  #certainOrder(version: number, to: number): readonly Edge[] {
    const { writer } = this.versions;
    if (version >= writer.length) return [{ from: INITIAL_TXN, to, reason: { kind: 'initial' } }];
    return this.#between(writer[version], to);
  }

  /** Read-from or session order, if one of them leads from one to the other; otherwise how it is known. */
  #between(from: number, to: number): readonly Edge[] {
    const read = readFromBetween(this.versions, from, to);
    if (read >= 0) return [this.#readFrom(from, to, read)];
    const { txnSession } = this.history;
    if (this.model.sessions && txnSession[from] === txnSession[to]) return [{ from, to, reason: { kind: 'session' } }];
    return this.#known(this.known!.path(from, to, this.known!.rounds));
  }

  #known(steps: readonly KnownStep[]): Edge[] {
    return steps.map(({ from, to, kind, number }): Edge => {
      if (kind === 'read') return this.#readFrom(from, to, number);
      return kind === 'fact' ? this.#fact(number, to) : { from, to, reason: { kind: 'session' } };
    });
  }

  /** Facts rest on those of earlier rounds only. */
  #fact(fact: number, to: number): Edge {
    let edge = this.#facts.get(fact);
    if (edge !== undefined) return edge;
    const { factFrom, factReader, factVersion, factRound } = this.known!;
    const from = factFrom[fact];
    const reader = factReader[fact];
    const write = this.writeOf(from, this.keyOf(factVersion[fact]));
    const read = this.readOf(reader, factVersion[fact]);
    const visible = this.#known(this.known!.path(from, reader, factRound[fact] - 1));
    edge = { from, to, reason: { kind: 'overwritten', write, read, visible } };
    this.#facts.set(fact, edge);
    return edge;
  }

  #readFrom(from: number, to: number, read: number): Edge {
    return { from, to, reason: { kind: 'read-from', read: this.readOf(to, this.versions.readVersion[read]) } };
  }

  keyOf(version: number): number {
    const { writer, writeKey } = this.versions;
    return version < writer.length ? writeKey[version] : version - writer.length;
  }

  /** The operation by which a transaction reads a version. */
  readOf(t: number, version: number): number {
    return this.#operation(t, OpKind.Read, this.keyOf(version));
  }

  writeOf(t: number, key: number): number {
    return this.#operation(t, OpKind.Write, key);
  }

  #operation(t: number, kind: number, key: number): number {
    const { txnStart, opKind, opKey } = this.history;
    let op = txnStart[t];
    while (opKind[op] !== kind || opKey[op] !== key) op++;
    return op;
  }
}

export function explainViolation(
  history: History,
  versions: Versions,
  model: Model,
  search: Search,
  known: Known | null,
  certify: boolean,
): FoundAnomaly {
  const contradiction = new Contradiction(history, versions, model, search, known);
  const { name, transactions } = nameOf(contradiction);
  if (!certify) return { name, transactions };
  const certificate: ViolationCertificate = nestedCycle(contradiction) ?? clausalProof(contradiction);
  return { name, transactions, certificate };
}
