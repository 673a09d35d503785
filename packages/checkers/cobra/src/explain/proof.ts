import type { Edge, ProofCertificate } from '@isolab/contract';
import { Decision, Order } from '@isolab/polygraph';
import type { Refutation } from '../polygraph/solve.ts';
import { ProofWriter } from './clauses.ts';
import { type OrderPath, type Subject, explainKnown, explainOpen, versionsOf } from './edges.ts';
import type { RefutedSides } from './refuted-sides.ts';

/** A clausal proof over orders of writers: decisions of pruning, steps along chains, and the solver's steps. */
export function proofOfCycle(subject: Subject, cycle: readonly number[], refuted: RefutedSides): ProofCertificate {
  const proof = new Proof(subject, refuted);
  proof.layGround(cycle, []);
  proof.knownCycle(cycle);
  return proof.finish();
}

export function proofOfRefutation(
  subject: Subject,
  { steps, edges, constraints }: Refutation,
  refuted: RefutedSides,
): ProofCertificate {
  const proof = new Proof(subject, refuted);
  const used = new Set<number>();
  const open = new Set<number>();
  for (const step of steps) {
    if (step.kind === 'cycle') for (const e of step.edges) if (edges[e]! >= 0) used.add(edges[e]!);
    if (step.kind !== 'deleted') for (const literal of step.clause) open.add(constraints[literal >> 1]!);
  }
  proof.layGround([...used], [...open]);
  for (const step of steps) {
    if (step.kind === 'cycle') proof.cycle(step.edges.map((e) => edges[e]!));
    if (step.kind === 'learned')
      proof.learned(
        step.clause.map((literal) => ({ constraint: constraints[literal >> 1]!, isOr: (literal & 1) === 1 })),
      );
  }
  return proof.finish();
}

class Proof {
  readonly #subject: Subject;
  readonly #refuted: RefutedSides;
  readonly #writer: ProofWriter;
  readonly #orders: number[] = []; // assumptions of the current edges
  readonly #constraintOf: Int32Array; // by edge of a constraint

  constructor(subject: Subject, refuted: RefutedSides) {
    this.#subject = subject;
    this.#refuted = refuted;
    this.#writer = new ProofWriter(subject);
    const { constraints } = subject.polygraph;
    this.#constraintOf = new Int32Array(constraints.from.length);
    for (let c = 0; c < constraints.count; c++)
      this.#constraintOf.fill(c, constraints.start[2 * c], constraints.start[2 * c + 2]);
  }

  readonly #assume: OrderPath = (first, second) => {
    this.#orders.push(this.#writer.before(first, second));
    return [this.#writer.assumed(first, second)];
  };

  /** Writes down all reasons of the given known edges, and the meaning of open constraints. */
  layGround(edges: readonly number[], open: readonly number[]): void {
    const { known, constraints } = this.#subject.polygraph;
    const paths = new Map<number, readonly number[]>();
    const chained = new Set<number>();
    const seen = new Set(edges);
    const pending = [...edges];
    for (let edge = pending.pop(); edge !== undefined; edge = pending.pop()) {
      const order = known.order.items[edge];
      if (order === Order.Base) chained.add(known.version.items[edge]);
      if (order < 0 || paths.has(order)) continue;
      const path = this.#refuted.path(order);
      paths.set(order, path);
      for (const next of path) {
        if (seen.has(next)) continue;
        seen.add(next);
        pending.push(next);
      }
    }
    for (const later of chained) this.#afterBase(later);
    const { refutedAt } = constraints;
    const decided = [...paths].toSorted(([a], [b]) => refutedAt.items[a] - refutedAt.items[b] || a - b);
    for (const [constraint, path] of decided) this.#decided(constraint, path);
    for (const constraint of open) this.#open(constraint);
  }

  knownCycle(cycle: readonly number[]): void {
    this.#close(cycle.flatMap((edge) => explainKnown(this.#subject, edge, this.#assume)));
    this.#writer.learned([]);
  }

  /** Adds a cycle of the solver: known edges, or −1 − an edge of a constraint. */
  cycle(edges: readonly number[]): void {
    this.#close(
      edges.flatMap((e) =>
        e >= 0
          ? explainKnown(this.#subject, e, this.#assume)
          : explainOpen(this.#subject, this.#constraintOf[-1 - e], -1 - e, this.#assume),
      ),
    );
  }

  learned(literals: readonly { readonly constraint: number; readonly isOr: boolean }[]): void {
    this.#writer.learned(
      literals.map(({ constraint, isOr }) => {
        const { first, second } = this.#heads(constraint);
        return isOr ? this.#writer.before(second, first) : this.#writer.before(first, second);
      }),
    );
  }

  finish(): ProofCertificate {
    const { choices, steps } = this.#writer;
    return { kind: 'proof', choices, steps };
  }

  #close(edges: readonly Edge[]): void {
    this.#writer.cycle(edges, this.#orders);
    this.#orders.length = 0;
  }

  #afterBase(later: number): void {
    const { chains, versions } = this.#subject;
    const chain = chains.base[versions.key[later]];
    this.#writer.firstBefore(chains.version[chains.start[chain]], later);
    this.#forward(chain, later);
  }

  /** If the first version of a chain precedes another version, so does the last. */
  #forward(chain: number, later: number): void {
    const { start, version } = this.#subject.chains;
    for (let i = start[chain] + 1; i < start[chain + 1]; i++)
      this.#writer.nextBefore(version[i - 1], version[i], later);
  }

  /** Chain A precedes chain B, because B before A would close a cycle. */
  #decided(constraint: number, path: readonly number[]): void {
    const subject = this.#subject;
    const { chains, polygraph } = subject;
    const { constraints } = polygraph;
    const isEither = constraints.decision.items[constraint] === Decision.Either;
    const { before, after } = versionsOf(subject, constraint, isEither);
    const impossible = explainOpen(subject, constraint, constraints.refuted.items[constraint], this.#assume);
    this.#close([...impossible, ...path.flatMap((edge) => explainKnown(subject, edge, this.#assume))]);
    // The head of A precedes the tail of B, hence all of B; so does all of A.
    const { start, version } = chains;
    const head = version[start[before]];
    for (let at = start[after + 1] - 1; at > start[after]; at--)
      this.#writer.beforePrevious(head, version[at - 1], version[at]);
    this.#forward(before, version[start[after]]);
  }

  /** The variable of an open constraint is the order of the heads; the orders of tails and heads follow. */
  #open(constraint: number): void {
    const { first, second } = this.#subject.polygraph.constraints;
    const heads = this.#heads(constraint);
    this.#forward(first.items[constraint], heads.second);
    this.#forward(second.items[constraint], heads.first);
  }

  #heads(constraint: number): { readonly first: number; readonly second: number } {
    const { chains, polygraph } = this.#subject;
    const { first, second } = polygraph.constraints;
    return {
      first: chains.version[chains.start[first.items[constraint]]],
      second: chains.version[chains.start[second.items[constraint]]],
    };
  }
}
