import type { FoundAnomaly, IndexedHistory } from '@isolab/contract';
import { type TransactionId, showOperation, showTransaction } from '@isolab/history';
import { findVersions } from './coverage.ts';
import { type EdgeEvidence, evidenceOf, pairBehind, whyOrdered } from './evidence.ts';
import { Relation } from './graph.ts';
import { type Model, buildModel } from './model.ts';
import { isBefore } from './real-time.ts';
import type { Assumptions } from './registers.ts';
import { Inference, type InferredVersions } from './versions.ts';

/** Explains cycles in Elle's prose: *Let T1 = …. Then T1 < T2, because …. However, …: a contradiction!* */
export function explainer(
  { history, index }: IndexedHistory,
  assumptions: Assumptions,
): (anomaly: FoundAnomaly) => string | null {
  const model = buildModel(history, index);
  const versions = findVersions(model, assumptions);
  return ({ pattern, transactions }) => {
    if (pattern === undefined || !/^G(?:0|1c|2|-)/.test(pattern)) return null;
    return new Story(model, versions, transactions as TransactionId[]).tell(pattern);
  };
}

class Story {
  readonly #model: Model;
  readonly #versions: InferredVersions;
  readonly #transactions: readonly TransactionId[];

  constructor(model: Model, versions: InferredVersions, transactions: readonly TransactionId[]) {
    this.#model = model;
    this.#versions = versions;
    this.#transactions = transactions;
  }

  tell(pattern: string): string {
    const relations = relationsIn(pattern);
    const lets = this.#transactions.map((t, i) => `  T${i + 1} = ${showTransaction(this.#model.history, t)}`);
    const steps = this.#transactions.map((_, i) => this.#step(i, relations));
    const last = steps.length - 1;
    const lines = steps.map((step, i) => (i < last ? `  - ${step}.` : `  - However, ${step}: a contradiction!`));
    return ['Let:', ...lets, '', 'Then:', ...lines].join('\n');
  }

  #step(i: number, relations: readonly number[]): string {
    const j = (i + 1) % this.#transactions.length;
    const [from, to] = [i, j].map((k) => this.#model.nodeOf[this.#transactions[k]!]) as [number, number];
    const [a, b] = [`T${i + 1}`, `T${j + 1}`];
    for (const relation of relations) {
      const evidence = this.#evidence(from, to, relation);
      if (evidence !== null) return `${a} < ${b}, because ${this.#because(evidence, a, b)}`;
    }
    throw new Error(`No edge from ${a} to ${b} was found: the cycle does not belong to this history.`);
  }

  #evidence(from: number, to: number, relation: number): EdgeEvidence | null {
    const { history, txnOf } = this.#model;
    if (
      relation === Relation.Process &&
      (history.txnSession[txnOf[from]] !== history.txnSession[txnOf[to]] || from > to)
    )
      return null;
    if (relation === Relation.RealTime && !isBefore(this.#model, from, to)) return null;
    return evidenceOf(this.#model, this.#versions, { from, to, relation });
  }

  #because(evidence: EdgeEvidence, a: string, b: string): string {
    switch (evidence.kind) {
      case 'process':
        return `${b} comes after ${a} in their session`;
      case 'realtime':
        return `${a} returned before ${b} was called`;
      case 'wr':
        return `${b} observed ${a}’s ${this.#wrote(evidence.version)} in ${this.#op(evidence.read)}`;
      case 'ww':
        return `${a} did ${this.#wrote(evidence.version)}, and ${b} did ${this.#overwrote(evidence.place)}`;
      case 'rw':
        return `${a} did ${this.#op(evidence.read)}, and did not observe ${b}’s ${this.#overwrote(evidence.place)}`;
    }
  }

  #wrote(version: number): string {
    return this.#op(this.#versions.write[version]);
  }

  /** Describes the write of the later version, and how the order is known. */
  #overwrote(place: number): string {
    const { order } = this.#versions;
    return `${this.#wrote(order.target[place])}, ${this.#whyLater(place)}`;
  }

  #whyLater(place: number): string {
    switch (whyOrdered(this.#versions, place)) {
      case Inference.Initial:
        return 'which came after the initial state';
      case Inference.Shown:
        return 'which came later in the lists that were read';
      case Inference.Unshown:
        return 'which came after every version of the key that was read';
      case Inference.WritesFollowReads:
        return 'which followed a read of that version in its own transaction';
      default: {
        const [earlier, later] = pairBehind(this.#versions, place).map((node) => this.#name(node));
        return `which came later, if the key does not go back from ${earlier} to ${later}`;
      }
    }
  }

  /** Names a transaction of the story by its letter, other transactions by their operations. */
  #name(node: number): string {
    const t = this.#model.txnOf[node];
    const i = this.#transactions.indexOf(t);
    return i >= 0 ? `T${i + 1}` : `{${showTransaction(this.#model.history, t)}}`;
  }

  #op(op: number): string {
    return showOperation(this.#model.history, op);
  }
}

/** Relations that an edge of a cycle of this name may rest on, the simplest first. */
function relationsIn(pattern: string): readonly number[] {
  const { WW, WR, RW, Process, RealTime } = Relation;
  const more = pattern.endsWith('-realtime') ? [Process, RealTime] : pattern.endsWith('-process') ? [Process] : [];
  return [WR, WW, ...more, ...(/^G[01]/.test(pattern) ? [] : [RW])];
}
