import type { Edge, LevelName, OrderChoice, ProofCertificate, ProofStep } from '@isolab/contract';
import { assumed, choice, init, learned, never, proof, rt, rw, so, wr } from './certificates.ts';
import { type Model, earliestCommit, latestBegin } from './definitions.ts';

/**
 * A clausal proof that no order exists, by trying both orders of one pair of writers after the other until the edges
 * close a cycle; null if some choice of all orders closes none. For the levels that order transactions or events wholly.
 */
export function refutation(model: Model, level: LevelName): ProofCertificate | null {
  const choices = pairsOfWriters(model);
  const steps: ProofStep[] = [];
  // The clause denies the orders chosen so far.
  const refute = (clause: readonly number[]): boolean => {
    const found = findCycle(dependencies(model, level, choices, clause));
    if (found !== null) {
      steps.push(never(clause, ...found));
      return true;
    }
    const next = clause.length + 1;
    if (next > choices.length || !refute([...clause, -next]) || !refute([...clause, next])) return false;
    steps.push(learned(...clause));
    return true;
  };
  return refute([]) ? proof(choices, ...steps) : null;
}

function pairsOfWriters({ committed, transactions, writes }: Model): OrderChoice[] {
  const keys = keysOf(transactions);
  return committed.flatMap((first) =>
    committed.flatMap((second) => {
      const key = keys.findIndex((one) => writes(first, one) && writes(second, one));
      return first < second && key >= 0 ? [choice(first, second, key)] : [];
    }),
  );
}

/** Keys in the order of their numbers. */
const keysOf = (transactions: Model['transactions']): unknown[] => [
  ...new Set(transactions.flatMap(({ operations }) => operations.map((op) => 'key' in op && op.key))),
];

export interface Dependency {
  readonly edge: Edge;
  readonly leaves: 'begin' | 'commit';
  readonly arrives: 'begin' | 'commit';
}

function dependencies(
  { transactions, committed, reads, writes, so: before }: Model,
  level: LevelName,
  choices: readonly OrderChoice[],
  clause: readonly number[],
): Dependency[] {
  const serial = /serializable/.test(level);
  const found: Dependency[] = [];
  const add = (edge: Edge, leaves: 'begin' | 'commit', arrives: 'begin' | 'commit'): unknown =>
    found.push(serial ? { edge, leaves: 'commit', arrives: 'begin' } : { edge, leaves, arrives });
  const operations = transactions.flatMap(({ operations: ops }, t) => ops.map((op, at) => ({ t, at, op })));
  const numberOf = (t: number, at: number): number => operations.findIndex((one) => one.t === t && one.at === at);

  const chosen = clause.map((literal) => {
    const { first, second } = choices[Math.abs(literal) - 1]!;
    return literal < 0 ? assumed(first, second) : assumed(second, first);
  });
  for (const edge of chosen) add(edge, 'commit', level === 'prefix' ? 'commit' : 'begin');
  for (const a of committed) {
    for (const { at, from } of reads[a]!) if (from >= 0) add(wr(from, a, numberOf(a, at)), 'commit', 'begin');
    for (const b of committed) {
      const [x, y] = [transactions[a]!, transactions[b]!];
      if (before(a, b) && !/plain|adya|generalized/.test(level)) add(so(a, b), 'commit', 'begin');
      if (a === b) continue;
      if (/strict|strong-snapshot/.test(level) && x.end! < y.begin!) add(rt(a, b), 'commit', 'begin');
      else if (/strong|generalized/.test(level) && x.end! < earliestCommit(y)) add(rt(a, b), 'commit', 'commit');
      else if (/strong|generalized/.test(level) && latestBegin(x) < earliestCommit(y)) add(rt(a, b), 'begin', 'commit');
    }
    for (const { at, key, from } of reads[a]!) {
      for (const b of committed) {
        if (b === a || !writes(b, key)) continue;
        const order = from < 0 ? init(b) : chosen.find((edge) => edge.from === from && edge.to === b);
        const write = operations.findIndex(({ t, op }) => t === b && op.kind === 'write' && op.key === key);
        if (order !== undefined) add(rw(a, b, numberOf(a, at), write, order), 'begin', 'commit');
      }
    }
  }
  return found;
}

/** A cycle in which no edge that arrives at a commit is followed by one that leaves from a begin. */
export function findCycle(all: readonly Dependency[]): Edge[] | null {
  for (const first of all) {
    const paths: Dependency[][] = [[first]];
    const reached = new Set<string>();
    for (const path of paths) {
      const last = path.at(-1)!;
      for (const next of all) {
        if (next.edge.from !== last.edge.to || (last.arrives === 'commit' && next.leaves === 'begin')) continue;
        if (next === first) return path.map(({ edge }) => edge);
        const event = `${next.arrives} ${next.edge.to}`;
        if (!reached.has(event)) paths.push([...path, next]);
        reached.add(event);
      }
    }
  }
  return null;
}
