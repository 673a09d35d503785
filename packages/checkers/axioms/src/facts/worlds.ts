import { placeOfWriter } from '@isolab/graph/relations';
import { INITIAL_WRITER, type Choices } from './choices.ts';
import { type LevelFacts, amongNodes } from './facts.ts';

/** The result of choices: the transactions that happened, and the sources of reads. */
export interface World {
  readonly facts: LevelFacts;
  /** Numbers that the nodes and rows of these facts have in the facts of all possible events. */
  readonly nodes: Int32Array;
  readonly rows: Int32Array;
}

/** Number of the chosen candidate for each numbered choice. */
export type Chosen = (choice: number) => number;

/** The worlds that choices lead to. Each includes all transactions that certainly happened. */
export class Worlds {
  /** Facts of all transactions that may have happened; reads with a choice have no writer. */
  readonly all: LevelFacts;
  readonly choices: Choices;
  /** Nodes of the candidates of each choice. */
  readonly candidates: readonly (readonly number[])[];
  readonly #reads: readonly number[]; // by choice: the number of the read in `all`
  readonly #choicesOf = new Map<number, number[]>(); // by node of a reader
  readonly #choiceOf = new Map<number, number>(); // by operation
  /** For each open node: the choice that made it happen in the latest world, or −1. */
  readonly #because: Int32Array;

  constructor(all: LevelFacts, choices: Choices) {
    this.all = all;
    this.choices = choices;
    this.#because = new Int32Array(all.initial).fill(-1);
    if (choices.reads.length === 0) {
      [this.candidates, this.#reads] = [[], []];
      return;
    }
    const nodeOf = new Map(Array.from(all.txnOf, (t, node) => [t, node]));
    const readOf = new Map(Array.from(all.reads.op, (op, r) => [op, r]));
    this.candidates = choices.reads.map(({ candidates }) =>
      candidates.map((t) => (t === INITIAL_WRITER ? all.initial : nodeOf.get(t)!)),
    );
    this.#reads = choices.reads.map(({ read }) => readOf.get(read)!);
    choices.reads.forEach(({ read, reader }, choice) => {
      this.#choiceOf.set(read, choice);
      const node = nodeOf.get(reader)!;
      this.#choicesOf.set(node, [...(this.#choicesOf.get(node) ?? []), choice]);
    });
  }

  /** Returns whether a node may not have happened. */
  readonly isOpen = (node: number): boolean => this.choices.isOpen[this.all.txnOf[node]] === 1;

  choiceOf(op: number): number {
    return this.#choiceOf.get(op) ?? -1;
  }

  becauseOf(node: number): number {
    return this.#because[node];
  }

  /** The world of the transactions that certainly happened, and the reads with a certain source. */
  certain(): World {
    return this.#among(this.all, (node) => !this.isOpen(node));
  }

  of(chosen: Chosen): World {
    const { all, candidates } = this;
    if (candidates.length === 0) return this.certain();
    this.#because.fill(-1);
    const writer = all.reads.writer.slice();
    const seenRow = all.reads.seenRow.slice();
    const toVisit = Array.from(this.#choicesOf.keys()).filter((node) => !this.isOpen(node));
    for (let node = toVisit.pop(); node !== undefined; node = toVisit.pop())
      for (const choice of this.#choicesOf.get(node) ?? []) {
        const seen = candidates[choice]![chosen(choice)]!;
        const r = this.#reads[choice]!;
        writer[r] = seen;
        seenRow[r] = seen === all.initial ? -1 : placeOfWriter(all.writes, all.reads.key[r], seen);
        if (seen === all.initial || !this.isOpen(seen) || this.#because[seen] >= 0) continue;
        this.#because[seen] = choice;
        toVisit.push(seen);
      }
    const facts = { ...all, reads: { ...all.reads, writer, seenRow } };
    return this.#among(facts, (node) => !this.isOpen(node) || this.#because[node] >= 0);
  }

  #among(facts: LevelFacts, isIn: (node: number) => boolean): World {
    const nodes = Int32Array.from({ length: facts.initial }, (_, node) => node);
    const rows = Int32Array.from({ length: facts.writes.node.length }, (_, row) => row);
    if (nodes.every(isIn)) return { facts, nodes, rows };
    const kept = nodes.filter(isIn);
    return { facts: amongNodes(facts, kept), nodes: kept, rows: rows.filter((row) => isIn(facts.writes.node[row])) };
  }
}
