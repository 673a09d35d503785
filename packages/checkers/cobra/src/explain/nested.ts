import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { Decision, Order } from '@isolab/polygraph';
import { type OrderPath, type Subject, explainKnown, txnOfVersion, versionsOf } from './edges.ts';
import type { RefutedSides } from './refuted-sides.ts';

/** A cycle of known edges with nested reasons; null if there are too many reasons or they need a clausal proof. */
export function nestedCycle(subject: Subject, cycle: readonly number[], refuted: RefutedSides): Edge[] | null {
  try {
    const nesting = new Nesting(subject, refuted);
    return cycle.flatMap((edge) => explainKnown(subject, edge, nesting.orderPath));
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

class TooLarge extends Error {}

class Nesting {
  readonly #subject: Subject;
  readonly #refuted: RefutedSides;
  #depth = 0;
  #edges = 0;

  constructor(subject: Subject, refuted: RefutedSides) {
    this.#subject = subject;
    this.#refuted = refuted;
  }

  readonly orderPath: OrderPath = (_, second, order) => {
    if (this.#subject.split) throw new TooLarge();
    const before = this.#depth;
    const path = order === Order.Base ? this.#afterBase(second) : this.#decided(order);
    this.#depth = before;
    return path;
  };

  /** The chain of the base, version by version, precedes any other version of the key. */
  #afterBase(later: number): readonly Edge[] {
    const { chains, versions } = this.#subject;
    const chain = chains.base[versions.key[later]];
    const first: Edge = { from: INITIAL_TXN, to: txnOfVersion(this.#subject, later), reason: { kind: 'initial' } };
    return this.#forward([first], chain, chains.start[chain], later);
  }

  /**
   * Suppose chain A precedes chain B because B before A would close a cycle. Then the head of A is visible to a
   * transaction that would have to precede it, so it precedes the tail of B, hence all of B, and so does all of A.
   */
  #decided(constraint: number): readonly Edge[] {
    const subject = this.#subject;
    const { chains, versions, polygraph } = subject;
    const { constraints } = polygraph;
    const { before, after } = versionsOf(
      subject,
      constraint,
      constraints.decision.items[constraint] === Decision.Either,
    );
    const head = chains.version[chains.start[before]];
    const from = txnOfVersion(subject, head);
    const write = versions.write[head];
    const read = constraints.read.items[constraints.refuted.items[constraint]];
    const known = this.#refuted.path(constraint);
    this.#enter(known.length);
    let path: readonly Edge[] = known.flatMap((edge) => explainKnown(subject, edge, this.orderPath));
    let at = chains.start[after + 1] - 1;
    if (read >= 0) {
      this.#enter(1);
      const to = txnOfVersion(subject, chains.version[at]);
      path = [{ from, to, reason: { kind: 'overwritten', write, read, visible: path } }];
    }
    for (; at > chains.start[after]; at--) {
      this.#enter(1);
      const to = txnOfVersion(subject, chains.version[at - 1]);
      const overwriting = versions.overwritesRead[chains.version[at]];
      path = [{ from, to, reason: { kind: 'overwritten', write, read: overwriting, visible: path } }];
    }
    return this.#forward(path, before, chains.start[before] + 1, chains.version[at]);
  }

  /** If the version at place `at` of a chain precedes a version outside the chain, so does the rest of the chain. */
  #forward(path: readonly Edge[], chain: number, at: number, later: number): readonly Edge[] {
    const { chains, versions } = this.#subject;
    const to = txnOfVersion(this.#subject, later);
    const write = versions.write[later];
    for (let i = at; i < chains.start[chain + 1]; i++) {
      this.#enter(1);
      const from = txnOfVersion(this.#subject, chains.version[i]);
      const read = versions.overwritesRead[chains.version[i]];
      path = [{ from, to, reason: { kind: 'overwrites', read, write, order: path } }];
    }
    return path;
  }

  #enter(edges: number): void {
    this.#edges += edges;
    if (++this.#depth > MAX_DEPTH || this.#edges > MAX_EDGES) throw new TooLarge();
  }
}

const MAX_DEPTH = 100;
const MAX_EDGES = 2000;
