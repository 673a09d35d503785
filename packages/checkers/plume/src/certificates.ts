import {
  type CycleCertificate,
  type Edge,
  INITIAL_TXN,
  type ListsCertificate,
  type Reason,
  type ViolationCertificate,
} from '@isolab/contract';
import { OpKind } from '@isolab/history';
import { INITIAL } from '@isolab/graph/relations';
import type { CommitEdges, CommitLevel } from './commit-order.ts';
import { LabelledPaths, SESSION_LABEL, type PathStep } from './graph.ts';
import type { Built } from './iso-check.ts';
import type { ListConflict, VersionOrder } from './lists.ts';
import type { Model } from './model.ts';
import type { Triple } from './patterns.ts';

/** Writes violations as cycles in which every edge has a reason. */
export class Certifier {
  readonly #model: Model;
  readonly #level: CommitLevel;
  readonly #commit: CommitEdges;
  readonly #versions: VersionOrder;
  readonly #coPaths: LabelledPaths;
  readonly #cmPaths: LabelledPaths;

  constructor(model: Model, level: CommitLevel, { commit, versions, coGraph, cmGraph }: Built) {
    this.#model = model;
    this.#level = level;
    this.#commit = commit;
    this.#versions = versions;
    this.#coPaths = new LabelledPaths(coGraph);
    this.#cmPaths = cmGraph === coGraph ? this.#coPaths : new LabelledPaths(cmGraph);
  }

  /** The cycle t₁ → … → t₂ → t₁. */
  triple({ pattern, t1, t2, row }: Triple): ViolationCertificate {
    const back = this.#overwritten(t2, row);
    if (t1 === INITIAL) {
      const to = this.#model.txnOf[t2];
      return { kind: 'cycle', edges: [back, { from: INITIAL_TXN, to, reason: { kind: 'initial' } }] };
    }
    const inCo = pattern === 'TAP-h' || pattern === 'TAP-k' || pattern === 'TAP-m';
    const forth = this.cycle((inCo ? this.#coPaths : this.#cmPaths).path(t1, t2)!);
    return { kind: 'cycle', edges: [...forth.edges, back] };
  }

  cycle(steps: readonly PathStep[]): CycleCertificate {
    return { kind: 'cycle', edges: steps.map((step) => this.#edge(step)) };
  }

  lists({ name, read, other }: ListConflict): ListsCertificate {
    return { kind: 'lists', anomaly: name, read, other };
  }

  #edge({ from, to, label }: PathStep): Edge {
    const { reads } = this.#model;
    if (label === SESSION_LABEL) return this.#between(from, to, { kind: 'session' });
    if (label < reads.first.length) return this.#between(from, to, { kind: 'read-from', read: reads.first[label] });
    const commit = label - reads.first.length;
    if (commit < this.#commit.row.length) return this.#overwritten(from, this.#commit.row[commit]);
    return this.#between(from, to, { kind: 'version', read: this.#versions.read[commit - this.#commit.row.length] });
  }

  /** t₂ → t₁, because t₃ reads x from t₁ although t₂, which also writes x, is visible to it. */
  #overwritten(t2: number, row: number): Edge {
    const { reads } = this.#model;
    const write = this.#lastWrite(t2, reads.key[row]);
    const reason: Reason = { kind: 'overwritten', write, read: reads.last[row], visible: this.#visible(t2, row) };
    return this.#between(t2, reads.writer[row], reason);
  }

  #visible(t2: number, row: number): readonly Edge[] {
    const { reads, session } = this.#model;
    const t3 = reads.reader[row];
    if (this.#level === 'causal') return this.cycle(this.#coPaths.path(t2, t3)!).edges;
    const inSession = t2 < t3 && session[t2] === session[t3];
    if (inSession && this.#level === 'read-atomic') return [this.#between(t2, t3, { kind: 'session' })];
    let read = -1;
    for (let r = reads.start[t3]; r < reads.start[t3 + 1] && read < 0; r++) {
      if (reads.writer[r] === t2 && reads.key[r] !== reads.key[row]) read = reads.first[r];
    }
    return [this.#between(t2, t3, { kind: 'read-from', read })];
  }

  #lastWrite(node: number, key: number): number {
    const { txnStart, opKind, opKey } = this.#model.history;
    const t = this.#model.txnOf[node];
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      if (opKey[op] === key && (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append)) return op;
    }
    return -1;
  }

  #between(from: number, to: number, reason: Reason): Edge {
    const { txnOf } = this.#model;
    return { from: from < 0 ? INITIAL_TXN : txnOf[from], to: to < 0 ? INITIAL_TXN : txnOf[to], reason };
  }
}
