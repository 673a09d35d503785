import type { CycleCertificate, Edge } from '@isolab/contract';
import { cycle, init, rt, rw, so, wr, ww } from './certificates.ts';
import { type Model, earliestCommit, latestBegin } from './definitions.ts';

/**
 * Cycles of all kinds of edges, at any level: facts, and edges that the axioms derive from paths of them, twice over.
 * Which of them prove a violation is for the verifier to say.
 */
export function derivedCycles(model: Model): CycleCertificate[] {
  const { transactions, committed, reads, so: before } = model;
  const firstOp = transactions.map((_, t) =>
    transactions.slice(0, t).reduce((sum, { operations }) => sum + operations.length, 0),
  );
  const edges: Edge[] = committed.map(init);
  for (const a of committed) {
    for (const { at, from } of reads[a]!) if (from >= 0) edges.push(wr(from, a, firstOp[a]! + at));
    for (const b of committed) {
      if (before(a, b)) edges.push(so(a, b));
      if (a !== b && latestBegin(transactions[a]!) < earliestCommit(transactions[b]!)) edges.push(rt(a, b));
    }
  }

  for (let round = 0; round < 2; round++) {
    const known = [...edges];
    for (const t3 of committed) {
      for (const { at, key, from: t1 } of reads[t3]!) {
        for (const t2 of committed) {
          const write = transactions[t2]!.operations.findLastIndex((op) => op.kind === 'write' && op.key === key);
          if (write < 0 || t2 === t1 || t2 === t3) continue;
          const [read, overwrite] = [firstOp[t3]! + at, firstOp[t2]! + write];
          for (const path of paths(known, t2, t3)) edges.push(ww(t2, t1, overwrite, read, ...path));
          for (const path of paths(known, t1, t2)) edges.push(rw(t3, t2, read, overwrite, ...path));
        }
      }
    }
  }
  return [-1, ...committed].flatMap((t) => paths(edges, t, t)).map((path) => cycle(...path));
}

/** Paths of up to three edges. */
function paths(edges: readonly Edge[], from: number, to: number): Edge[][] {
  const found: Edge[][] = [];
  const extend = (path: readonly Edge[], at: number): void => {
    for (const edge of edges) {
      if (found.length >= ENOUGH || edge.from !== at) continue;
      if (edge.to === to) found.push([...path, edge]);
      else if (path.length < 2) extend([...path, edge], edge.to);
    }
  };
  extend([], from);
  return found;
}

const ENOUGH = 60;
