import {
  type CycleCertificate,
  type Edge,
  type FoundAnomaly,
  INITIAL_TXN,
  type ProofCertificate,
} from '@isolab/contract';
import { type History, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import type { Known } from './known.ts';
import type { Narrowing } from './narrowing.ts';
import type { Result } from './result.ts';
import { nestedCycle } from './nested.ts';
import { clausalProof } from './clausal.ts';
import { nameOf, nameOfCycle } from './names.ts';
import { smallestCycle } from './smallest.ts';
import type { Model } from './model.ts';
import { Why } from './schedule.ts';
import { isShownBefore, readFromBetween } from './certain.ts';
import type { Wait } from './cycles.ts';
import type { Search } from './search.ts';
import type { Versions } from './versions.ts';

/** The contradiction that a search ended with, as edges between transactions. */
export class Contradiction {
  readonly history: History;
  readonly versions: Versions;
  readonly model: Model;
  readonly search: Search;
  readonly known: Known | null;
  readonly narrowing: Narrowing | null;
  readonly #facts = new Map<Known, Map<number, Edge>>();
  /** Steps of the proof, in order; the last one is the contradiction. */
  readonly core: readonly number[];
  /**
   * Reads that the edges made since it was emptied rest on, and that are certain only because all else that they may have
   * seen was dropped: operations, with the versions that they saw.
   */
  readonly narrowed = new Map<number, number>();

  constructor(history: History, { search, versions, known, narrowing }: Result, model: Model) {
    this.known = known;
    this.narrowing = narrowing;
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
        return [this.#readFrom(from, to, this.versions.readVersion[wait.data])];
      case Why.Fact:
        return [this.#fact(this.known!, wait.data, to)];
      case Why.Time:
        return [{ from, to, reason: { kind: 'real-time' } }];
      case Why.Version:
        return [{ from, to, reason: { kind: 'version', read: wait.data } }];
      case Why.Sees:
        return [{ from, to, reason: { kind: 'assumed-read', read: this.versions.several!.readOp[wait.data] } }];
      case Why.Overwrite:
      case Why.Unseen: {
        const key = this.versions.writeKey[wait.data];
        const read = wait.why === Why.Unseen ? this.choosingRead(from, wait.basis) : this.readOf(from, wait.basis);
        const order = wait.literal < 0 ? this.#certainOrder(wait.basis, to, key) : [orderOf(wait.literal)];
        return [{ from, to, reason: { kind: 'overwrites', read, write: this.writeOf(to, key), order } }];
      }
      default:
        return wait.literal < 0 ? this.#between(from, to, this.versions.writeKey[wait.data]) : [orderOf(wait.literal)];
    }
  }

  edgesOf(waits: readonly Wait[], orderOf: (literal: number) => Edge): Edge[] {
    return waits.flatMap((wait) => this.edgesOfWait(wait, orderOf));
  }

  #certainOrder(version: number, to: number, key: number): readonly Edge[] {
    const { writer } = this.versions;
    if (version >= writer.length) return [{ from: INITIAL_TXN, to, reason: { kind: 'initial' } }];
    return this.#between(writer[version], to, key);
  }

  /** Read-from, session order or a list, if one of them leads from one writer of a key to the other; or how it is known. */
  #between(from: number, to: number, key: number): readonly Edge[] {
    const read = readFromBetween(this.versions, from, to);
    if (read >= 0) return [this.#readFrom(from, to, this.versions.readVersion[read])];
    if (isShownBefore(this.versions, from, to, key))
      return [{ from, to, reason: { kind: 'version', read: this.versions.lists!.versions.longestRead[key] } }];
    const { txnSession } = this.history;
    if (this.model.sessions && txnSession[from] === txnSession[to]) return [{ from, to, reason: { kind: 'session' } }];
    return this.path(this.known!, from, to);
  }

  /** Edges by which one transaction is known to come before another. */
  path(known: Known, first: number, last: number, rounds = known.rounds): Edge[] {
    return known.path(first, last, rounds).map(({ from, to, kind, number }): Edge => {
      if (kind === 'read') return this.#readFrom(from, to, known.versions.readVersion[number]);
      return kind === 'fact' ? this.#fact(known, number, to) : { from, to, reason: { kind: 'session' } };
    });
  }

  /** Facts rest on those of earlier rounds only. */
  #fact(known: Known, fact: number, to: number): Edge {
    let edges = this.#facts.get(known);
    if (edges === undefined) this.#facts.set(known, (edges = new Map()));
    // What rests on reads that were narrowed down must tell them each time.
    let edge = this.narrowing === null ? edges.get(fact) : undefined;
    if (edge !== undefined) return edge;
    const { factFrom, factReader, factVersion, factRound } = known;
    const from = factFrom[fact];
    const reader = factReader[fact];
    const version = factVersion[fact];
    const read = this.readOf(reader, version);
    if (known.isAntidependency(fact)) {
      const order = this.#knownOrder(known, version, to, factRound[fact] - 1);
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

  #knownOrder(known: Known, version: number, to: number, rounds: number): readonly Edge[] {
    const { writer } = this.versions;
    if (version >= writer.length) return [{ from: INITIAL_TXN, to, reason: { kind: 'initial' } }];
    return this.path(known, writer[version], to, rounds);
  }

  #readFrom(from: number, to: number, version: number): Edge {
    const read = this.readOf(to, version);
    return { from, to, reason: { kind: this.narrowed.has(read) ? 'assumed-read' : 'read-from', read } };
  }

  keyOf(version: number): number {
    const { writer, writeKey } = this.versions;
    return version < writer.length ? writeKey[version] : version - writer.length;
  }

  /** The operation by which a transaction reads a version, which is certain. */
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

  /** The operation by which a transaction reads a version that is one of several. */
  choosingRead(t: number, version: number): number {
    const { reading } = this.search.schedule;
    return reading!.several.readOp[reading!.readOf(t, reading!.several.classOf[version])];
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

export function explainViolation(history: History, result: Result, model: Model, certify: boolean): FoundAnomaly {
  const contradiction = new Contradiction(history, result, model);
  const proven = nestedCycle(contradiction) ?? clausalProof(contradiction);
  const named = nameOf(contradiction);
  const cycle =
    smallestCycle(contradiction, transactionsNear(contradiction, proven)) ??
    smallestCycle(contradiction, named.transactions);
  const { name, transactions } = cycle === null ? named : nameOfCycle(contradiction, cycle.edges);
  return certify ? { name, transactions, certificate: cycle ?? proven } : { name, transactions };
}

/** All transactions of a small history; of a large one those that a certificate names. */
function transactionsNear({ versions }: Contradiction, certificate: CycleCertificate | ProofCertificate): number[] {
  const { happened, numHappened } = versions;
  if (numHappened <= SMALL) return Array.from(happened.keys());
  const named = new Set<number>();
  const stack =
    certificate.kind === 'cycle'
      ? [certificate.edges]
      : certificate.steps.flatMap((step) => (step.kind === 'cycle' ? [step.edges] : []));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    for (const { from, to, reason } of top) {
      for (const t of [from, to]) if (t >= 0) named.add(t);
      if (reason.kind === 'overwritten') stack.push(reason.visible);
      else if (reason.kind === 'overwrites') stack.push(reason.order);
    }
  }
  return [...named];
}

const SMALL = 32;
