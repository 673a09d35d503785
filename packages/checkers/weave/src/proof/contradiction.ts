import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { type History, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import type { Known } from '../facts/known.ts';
import type { Narrowing } from '../facts/narrowing.ts';
import type { Result } from '../learn/task.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Model } from '../problem/model.ts';
import { CERTAIN, type EdgeTeller } from '../order/rules/rule.ts';
import { isShownBefore, readFromBetween } from '../problem/certain.ts';
import type { NamedWait } from '../learn/cycles.ts';
import type { Search } from '../learn/search.ts';
import { readOfClass } from '../problem/several.ts';
import type { Versions } from '../problem/versions.ts';

/** The contradiction that a search ended with, as edges between transactions. */
export class Contradiction implements EdgeTeller {
  readonly history: History;
  readonly versions: Versions;
  readonly model: Model;
  readonly search: Search;
  readonly tuning: Tuning;
  readonly known: Known | null;
  readonly narrowing: Narrowing | null;
  readonly #facts = new Map<Known, Map<number, Edge>>();
  /** Steps of the proof, in order. The last step is the contradiction. */
  readonly core: readonly number[];
  /** Reads behind the edges made so far that are certain only because of narrowing: operations with their versions. */
  readonly narrowed = new Map<number, number>();

  constructor(history: History, { search, versions, known, narrowing }: Result, model: Model, tuning: Tuning) {
    this.tuning = tuning;
    this.known = known;
    this.narrowing = narrowing;
    this.history = history;
    this.versions = versions;
    this.model = model;
    this.search = search;
    this.core = search.proof.core();
  }

  txnOf(event: number): number {
    return event >> this.search.replay.database.shift;
  }

  /** Converts waits to edges, without waits inside a transaction. `orderOf` returns the edge of a literal. */
  edgesOf(waits: readonly NamedWait[], orderOf: (literal: number) => Edge): Edge[] {
    return waits.flatMap((wait) => {
      const order = wait.literal === CERTAIN ? null : orderOf(wait.literal);
      return wait.rule.edges(wait, this.txnOf(wait.from), this.txnOf(wait.to), order, this);
    });
  }

  /** Returns the cycles that the contradiction rests on, with the orders that each of them assumes. */
  cycles(): Edge[][] {
    return this.core.flatMap((step) => {
      const { cycle } = this.search.proof.steps[step]!;
      return cycle === null ? [] : [this.edgesOf(cycle, (literal) => this.assumed(literal))];
    });
  }

  assumed(literal: number): Edge {
    const { choices } = this.search;
    return { from: choices.firstOf(literal), to: choices.secondOf(literal), reason: { kind: 'assumed' } };
  }

  overwrites(from: number, to: number, read: number, data: number, basis: number, order: Edge | null): Edge {
    const key = this.versions.writeKey[data];
    const edges = order === null ? this.orderAfter(basis, to, (writer) => this.between(writer, to, key)) : [order];
    return { from, to, reason: { kind: 'overwrites', read, write: this.writeOf(to, key), order: edges } };
  }

  /** Returns the edges between the writer of a version and a later writer. */
  orderAfter(version: number, to: number, between: (writer: number) => readonly Edge[]): readonly Edge[] {
    const writer = this.writerOf(version);
    return writer < 0 ? [{ from: INITIAL_TXN, to, reason: { kind: 'initial' } }] : between(writer);
  }

  writerOf(version: number): number {
    const { writer } = this.versions;
    return version < writer.length ? writer[version] : INITIAL_TXN;
  }

  /** Returns a single edge between two writers of a key if there is one, or else the edges of a known path. */
  between(from: number, to: number, key: number): readonly Edge[] {
    const read = readFromBetween(this.versions, from, to);
    if (read >= 0) return [this.readFrom(from, to, this.versions.readVersion[read])];
    if (isShownBefore(this.versions, from, to, key))
      return [{ from, to, reason: { kind: 'version', read: this.versions.lists!.versions.longestRead[key] } }];
    const { txnSession } = this.history;
    if (this.model.sessions && txnSession[from] === txnSession[to]) return [{ from, to, reason: { kind: 'session' } }];
    return this.path(this.known!, from, to);
  }

  path(known: Known, first: number, last: number, rounds = known.rounds): Edge[] {
    return known.path(first, last, rounds).map(({ from, to, kind, number }): Edge => {
      if (kind === 'read') return this.readFrom(from, to, known.versions.readVersion[number]);
      return kind === 'fact' ? this.fact(known, number, to) : { from, to, reason: { kind: 'session' } };
    });
  }

  /** Facts depend only on facts of earlier rounds. */
  fact(known: Known, fact: number, to: number): Edge {
    let edges = this.#facts.get(known);
    if (edges === undefined) this.#facts.set(known, (edges = new Map()));
    // Edges that depend on narrowed reads must record these reads each time.
    let edge = this.narrowing === null ? edges.get(fact) : undefined;
    if (edge !== undefined) return edge;
    const { factFrom, factReader, factVersion, factRound } = known;
    const from = factFrom[fact];
    const reader = factReader[fact];
    const version = factVersion[fact];
    const read = this.readOf(reader, version);
    if (known.isAntidependency(fact)) {
      const order = this.orderAfter(version, to, (writer) => this.path(known, writer, to, factRound[fact] - 1));
      edge = { from, to, reason: { kind: 'overwrites', read, write: this.writeOf(to, this.keyOf(version)), order } };
    } else {
      const visible = this.path(known, from, reader, factRound[fact] - 1);
      edge = {
        from,
        to,
        reason: { kind: 'overwritten', write: this.writeOf(from, this.keyOf(version)), read, visible },
      };
    }
    edges.set(fact, edge);
    return edge;
  }

  readFrom(from: number, to: number, version: number): Edge {
    const read = this.readOf(to, version);
    return { from, to, reason: { kind: this.narrowed.has(read) ? 'assumed-read' : 'read-from', read } };
  }

  keyOf(version: number): number {
    const { writer, writeKey } = this.versions;
    return version < writer.length ? writeKey[version] : version - writer.length;
  }

  readOf(t: number, version: number): number {
    const { opKind, opValue } = this.history;
    const isLearned = (op: number): boolean =>
      opKind[op] === OpKind.Read
        ? opValue[op] !== UNKNOWN_VALUE
        : opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST;
    const read = this.#operation(t, this.keyOf(version), isLearned);
    if (this.narrowing?.dropped.has(read)) this.narrowed.set(read, version);
    return read;
  }

  /** Returns the operation by which a transaction reads a version that is one of several candidates. */
  choosingRead(t: number, version: number): number {
    const { several } = this.versions;
    return several!.readOp[readOfClass(several!, t, several!.classOf[version])];
  }

  writeOf(t: number, key: number): number {
    const { opKind } = this.history;
    return this.#operation(t, key, (op) => opKind[op] === OpKind.Write || opKind[op] === OpKind.Append);
  }

  #operation(t: number, key: number, test: (op: number) => boolean): number {
    const { txnStart, opKey } = this.history;
    let op = txnStart[t];
    while (opKey[op] !== key || !test(op)) op++;
    return op;
  }
}
