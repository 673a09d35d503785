import { type Edge, INITIAL_TXN, type ViolationCertificate } from '@isolab/contract';
import type { CycleEdge } from './search.ts';
import { evidenceOf, pairBehind, readOf, whyOrdered } from './evidence.ts';
import type { LevelRule } from './levels.ts';
import type { LostUpdate } from './lost-updates.ts';
import { type Model, NO_NODE } from './model.ts';
import { Inference, type InferredVersions } from './versions.ts';

/** Reasons for the edges of cycles. */
export class Certifier {
  readonly #model: Model;
  readonly #versions: InferredVersions;

  readonly #rule: LevelRule;

  constructor(model: Model, versions: InferredVersions, rule: LevelRule) {
    this.#model = model;
    this.#versions = versions;
    this.#rule = rule;
  }

  cycle(edges: readonly CycleEdge[]): ViolationCertificate | null {
    const reasons = edges.map((edge) => this.#edges(edge));
    return reasons.includes(null) ? null : { kind: 'cycle', edges: reasons.flatMap((reason) => reason!) };
  }

  /** Each of two transactions that read the version is overwritten by the other, which also read it. */
  lostUpdate({ version, nodes, reads }: LostUpdate): ViolationCertificate {
    const overwrites = (by: number, of: number): Edge => {
      const order = isInitialState(this.#versions, version)
        ? this.#initial(nodes[by]!)
        : this.#readFrom(version, nodes[by]!);
      return this.#overwrites(nodes[of]!, nodes[by]!, reads[of]!, this.#writeOf(nodes[by]!, version), [order]);
    };
    return { kind: 'cycle', edges: [overwrites(1, 0), overwrites(0, 1)] };
  }

  /** An edge as one or more consecutive edges that the verifier accepts; null if there are none. */
  #edges(edge: CycleEdge): readonly Edge[] | null {
    const evidence = evidenceOf(this.#model, this.#versions, edge);
    if (evidence === null) return null;
    const [from, to] = [this.#txn(edge.from), this.#txn(edge.to)];
    switch (evidence.kind) {
      case 'process':
        return [{ from, to, reason: { kind: 'session' } }];
      case 'realtime':
        return [{ from, to, reason: { kind: 'real-time' } }];
      case 'wr':
        return [{ from, to, reason: { kind: 'read-from', read: evidence.read } }];
      case 'ww':
        return this.#order(evidence.version, evidence.place);
      case 'rw': {
        const order = this.#order(evidence.version, evidence.place);
        const write = this.#versions.write[this.#versions.order.target[evidence.place]];
        return order && [this.#overwrites(edge.from, edge.to, evidence.read, write, order)];
      }
    }
  }

  /** Proves that one version precedes another, as a path between their writers. */
  #order(version: number, place: number): readonly Edge[] | null {
    const { writer, order } = this.#versions;
    const next = order.target[place];
    const why = whyOrdered(this.#versions, place);
    if (why === Inference.Initial) return [this.#initial(writer[next])];
    if (why === Inference.WritesFollowReads) return [this.#readFrom(version, writer[next])];
    if (why === Inference.Shown || why === Inference.Unshown) {
      const read = this.#versions.lists.longestRead[this.#versions.key[version]];
      const [from, to] = [this.#txn(writer[version]), this.#txn(writer[next])];
      return [{ from, to, reason: { kind: 'version', read } }];
    }
    // An assumption that the level does not make is not a valid reason at that level.
    if (why === Inference.Session ? !this.#rule.process : !this.#rule.realTime) return null;
    const [earlier, later] = pairBehind(this.#versions, place);
    const visible: Edge[] = [];
    if (writer[version] !== earlier) visible.push(this.#readFrom(version, earlier));
    visible.push({
      from: this.#txn(earlier),
      to: this.#txn(later),
      reason: { kind: why === Inference.Session ? 'session' : 'real-time' },
    });
    if (writer[next] === later) return visible;
    if (this.#rule.cycles === 'dependencies') return null; // visibility differs between levels
    const read = readOf(this.#model, this.#versions, later, next);
    const reason = { kind: 'overwritten', write: this.#versions.write[version], read, visible } as const;
    return [{ from: this.#txn(writer[version]), to: this.#txn(writer[next]), reason }];
  }

  #initial(to: number): Edge {
    return { from: INITIAL_TXN, to: this.#txn(to), reason: { kind: 'initial' } };
  }

  #readFrom(version: number, reader: number): Edge {
    const read = readOf(this.#model, this.#versions, reader, version);
    const from = this.#txn(this.#versions.writer[version]);
    return { from, to: this.#txn(reader), reason: { kind: 'read-from', read } };
  }

  #overwrites(reader: number, writer: number, read: number, write: number, order: readonly Edge[]): Edge {
    return { from: this.#txn(reader), to: this.#txn(writer), reason: { kind: 'overwrites', read, write, order } };
  }

  #writeOf(node: number, version: number): number {
    const { left, key, write } = this.#versions;
    for (let i = left.start[node]; i < left.start[node + 1]; i++) {
      if (key[left.target[i]] === key[version]) return write[left.target[i]];
    }
    return -1;
  }

  #txn(node: number): number {
    return node === NO_NODE ? INITIAL_TXN : this.#model.txnOf[node];
  }
}

const isInitialState = ({ writer }: InferredVersions, version: number): boolean => writer[version] === NO_NODE;
