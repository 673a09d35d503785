import type { Edge, LevelName, Reason, Verdict } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, OpKind, fromPlain, transactionOfOperations } from '@isolab/history';
import { TestContext, defaultsOf, h, prepare, printHistory, randomNumbers, randomRun } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

const OPTIONS = defaultsOf(weave);

function certificateOf(history: History, level: LevelName) {
  const context = new TestContext();
  const verdict = weave.check(prepare(history), level, OPTIONS, context) as Verdict;
  return verdict.status === 'violated' ? verdict.anomalies[0]!.certificate! : null;
}

const sizeOf = (edges: readonly Edge[]): number =>
  edges.reduce(
    (sum, { reason }) =>
      sum +
      1 +
      (reason.kind === 'overwritten'
        ? sizeOf(reason.visible)
        : reason.kind === 'overwrites'
          ? sizeOf(reason.order)
          : 0),
    0,
  );

/** All candidates of edges, by the parts of their reasons: the verifier decides which hold. */
class Candidates {
  readonly #history: History;
  readonly #txnOf: Int32Array;
  readonly #known = new Map<string, Edge[][]>();
  readonly #nodes: number[];

  constructor(history: History) {
    this.#history = history;
    this.#txnOf = transactionOfOperations(history);
    this.#nodes = [-1, ...history.txnStatus.keys()];
  }

  /** Returns whether some cycle of this size is accepted. */
  hasCycle(level: LevelName, size: number): boolean {
    return this.#nodes.some((t) =>
      this.#paths(t, t, size).some(
        (edges) => verifyCertificate(this.#history, level, 'violated', { kind: 'cycle', edges }).ok,
      ),
    );
  }

  #paths(from: number, to: number, size: number): Edge[][] {
    const name = `${from} ${to} ${size}`;
    const known = this.#known.get(name);
    if (known) return known;
    const paths: Edge[][] = [];
    for (let first = 1; first <= size; first++) {
      for (const next of this.#nodes) {
        if (first === size ? next !== to : next === from) continue;
        const edges = this.#edges(from, next, first);
        const rests = first === size ? [[]] : edges.length === 0 ? [] : this.#paths(next, to, size - first);
        for (const edge of edges) for (const rest of rests) paths.push([edge, ...rest]);
      }
    }
    this.#known.set(name, paths);
    return paths;
  }

  #edges(from: number, to: number, size: number): Edge[] {
    const { txnSession, txnBegin, txnEnd, opKey, opValue } = this.#history;
    if (from === to || to < 0) return [];
    const edge = (reason: Reason): Edge => ({ from, to, reason });
    if (size === 1) {
      if (from < 0) return [edge({ kind: 'initial' })];
      const found: Edge[] = [];
      if (txnSession[from] === txnSession[to] && from < to) found.push(edge({ kind: 'session' }));
      if (txnBegin && txnEnd && (txnEnd[from]! < txnEnd[to]! || txnBegin[from]! < txnEnd[to]!))
        found.push(edge({ kind: 'real-time' }));
      for (const read of this.#ops(to, OpKind.Read))
        if (this.#ops(from, OpKind.Write).some((op) => opKey[op] === opKey[read] && opValue[op] === opValue[read]))
          found.push(edge({ kind: 'read-from', read }));
      return found;
    }
    if (from < 0) return [];
    const found: Edge[] = [];
    for (const write of this.#ops(to, OpKind.Write))
      for (const read of this.#ops(from, OpKind.Read))
        if (opKey[read] === opKey[write])
          for (const writer of this.#nodes)
            for (const order of writer === from ? [] : this.#paths(writer, to, size - 1))
              found.push(edge({ kind: 'overwrites', read, write, order }));
    for (const write of this.#ops(from, OpKind.Write))
      for (const read of this.#allReads())
        if (opKey[read] === opKey[write])
          for (const visible of this.#txnOf[read] === from ? [] : this.#paths(from, this.#txnOf[read]!, size - 1))
            found.push(edge({ kind: 'overwritten', read, write, visible }));
    return found;
  }

  #allReads(): number[] {
    return this.#nodes.flatMap((t) => this.#ops(t, OpKind.Read));
  }

  #ops(t: number, kind: number): number[] {
    if (t < 0) return [];
    const { txnStart, opKind } = this.#history;
    const all = Array.from({ length: txnStart[t + 1]! - txnStart[t]! }, (_, i) => txnStart[t]! + i);
    return all.filter((op) => opKind[op] === kind);
  }
}

describe('cycles of violations', () => {
  test.each([
    'serializable',
    'strict-serializable',
    'snapshot-isolation',
    'strong-snapshot-isolation',
    'prefix',
  ] as const)('no cycle of a violation has fewer edges than the certificate, reasons counted, at %s', (level) => {
    const sizes = new Map<number, number>();
    for (let i = 0; i < 250; i++) {
      const history = fromPlain(randomRun(randomNumbers(i), {}));
      const certificate = certificateOf(history, level);
      if (certificate === null || certificate.kind === 'internal') continue;
      const size = certificate.kind === 'cycle' ? sizeOf(certificate.edges) : Infinity;
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
      const candidates = new Candidates(history);
      for (let smaller = 2; smaller < Math.min(size, 5); smaller++)
        if (candidates.hasCycle(level, smaller))
          expect([printHistory(history), size]).toEqual([printHistory(history), smaller]);
    }
    expect([...sizes.keys()].filter((size) => size >= 3).length).toBeGreaterThan(0);
  });

  test('cycles of violations are cycles, not case splits, wherever certain edges suffice', () => {
    const history = h`w(x,1) | r(x,2) w(y,1)
      w(x,2) | r(y,1)
      r(x,1) | r(x,2) | r(x,1)`;
    expect(certificateOf(history, 'serializable')).toMatchObject({ kind: 'cycle' });
  });
});
