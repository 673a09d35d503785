import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { type History, type ListVersions, OpKind, ReadFrom, type ReadFromIndex, transactionOf } from '@isolab/history';
import { DependencyType, transactionOfNode } from '@isolab/polygraph';
import type { Problem } from './problem/problem.ts';

const { SO, WR, WW } = DependencyType;

/** Translates dependencies to edges of certificates. */
export class Reasons {
  readonly #problem: Problem;
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #lists: ListVersions | null;

  constructor(problem: Problem, history: History, index: ReadFromIndex, lists: ListVersions | null) {
    this.#problem = problem;
    this.#history = history;
    this.#index = index;
    this.#lists = lists;
  }

  /**
   * The edge of a dependency, provided that the edge or path `order` shows why one of the writers precedes the other.
   */
  edge(d: number, order: (first: number, second: number) => readonly Edge[]): Edge {
    const from = transactionOfNode(this.#problem.from(d));
    const to = transactionOfNode(this.#problem.to(d));
    const key = this.#problem.key(d);
    switch (this.#problem.type(d)) {
      case SO:
        return { from, to, reason: { kind: from === INITIAL_TXN ? 'initial' : 'session' } };
      case WR:
        return { from, to, reason: { kind: 'read-from', read: this.readOf(from, to, key) } };
      case WW:
        return this.#order(d, from, to, order)[0];
      default: {
        const writer = transactionOfNode(this.#problem.writerRead(d));
        const read = this.readOf(writer, from, key);
        const before = this.#order(d, writer, to, order);
        return { from, to, reason: { kind: 'overwrites', read, write: this.writeOf(to, key), order: before } };
      }
    }
  }

  /**
   * Evidence that a writer precedes another writer: it is the initial transaction, a list shows the order, or the order
   * is a choice.
   */
  #order(
    d: number,
    from: number,
    to: number,
    order: (first: number, second: number) => readonly Edge[],
  ): readonly Edge[] {
    if (from === INITIAL_TXN) return [{ from, to, reason: { kind: 'initial' } }];
    if (this.#problem.literal(d) !== 0) return order(from, to);
    return [{ from, to, reason: { kind: 'version', read: this.#lists!.longestRead[this.#problem.key(d)] } }];
  }

  /** The read of a key in which `reader` saw a write of `writer`. */
  readOf(writer: number, reader: number, key: number): number {
    return this.#find(reader, key, READS, (op) => this.#saw(op, writer));
  }

  writeOf(writer: number, key: number): number {
    return this.#find(writer, key, WRITES, () => true);
  }

  #saw(read: number, writer: number): boolean {
    const write = this.#index.readFrom[read];
    return writer === INITIAL_TXN
      ? write === ReadFrom.Initial
      : write >= 0 && transactionOf(this.#history, write) === writer;
  }

  #find(t: number, key: number, kinds: readonly number[], fits: (op: number) => boolean): number {
    const { txnStart, opKind, opKey } = this.#history;
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--)
      if (kinds.includes(opKind[op]) && opKey[op] === key && fits(op)) return op;
    throw new Error(`Transaction ${t} has no such operation on key ${key}.`);
  }
}

const READS: readonly number[] = [OpKind.Read, OpKind.ListRead];
const WRITES: readonly number[] = [OpKind.Write, OpKind.Append];
