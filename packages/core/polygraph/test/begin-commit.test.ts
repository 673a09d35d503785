import { digraphOf, topologicalOrder } from '@isolab/graph';
import { type History, buildReadFrom, listVersions } from '@isolab/history';
import { NAMED_HISTORIES, arbitraryHistory, namedHistory, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BeginCommitPolygraph,
  EdgeKind,
  beginCommitPolygraph,
  beginOf,
  commitOf,
  countConstraints,
  initialVersion,
  listAppendVersions,
  registerVersions,
} from '../src/begin-commit.ts';

const polygraphOf = (history: History, combine = true): BeginCommitPolygraph =>
  beginCommitPolygraph(registerVersions(history, buildReadFrom(history), { combine }));

const edgesOf = ({ edges }: BeginCommitPolygraph, kind: number): [number, number][] =>
  Array.from({ length: edges.count }, (_, e) => e)
    .filter((e) => edges.kind[e] === kind)
    .map((e) => [edges.columns.from[e]!, edges.columns.to[e]!]);

/** Tries all choices of sides. */
function isAcyclic(polygraph: BeginCommitPolygraph): boolean {
  const { versions, edges, chainStart, chainHead, chainTail, anchor } = polygraph;
  const pairs: [number, number][] = [];
  for (let key = 0; key < versions.numKeys; key++)
    for (let a = chainStart[key]!; a < chainStart[key + 1]!; a++)
      for (let b = a + 1; b < chainStart[key + 1]!; b++) pairs.push([a, b]);
  const from = [...edges.columns.from.subarray(0, edges.count)];
  const to = [...edges.columns.to.subarray(0, edges.count)];
  const add = (a: number, b: number): void => {
    const [tail, head] = [chainTail[a]!, chainHead[b]!];
    from.push(commitOf(versions.writer[tail]!));
    to.push(beginOf(versions.writer[head]!));
    if (anchor[tail]! < 0 || anchor[tail] === beginOf(versions.writer[head]!)) return;
    from.push(anchor[tail]!);
    to.push(commitOf(versions.writer[head]!));
  };
  const choose = (i: number): boolean => {
    const known = from.length;
    if (topologicalOrder(digraphOf(polygraph.numNodes, from, to)).length < polygraph.numNodes) return false;
    if (i === pairs.length) return true;
    const [a, b] = pairs[i]!;
    return [
      [a, b],
      [b, a],
    ].some(([first, second]) => {
      add(first!, second!);
      const found = choose(i + 1);
      from.length = to.length = known;
      return found;
    });
  };
  return choose(0);
}

describe('the begin/commit polygraph', () => {
  const cases = NAMED_HISTORIES.filter(({ history }) => {
    const index = buildReadFrom(history);
    return index.ambiguousReads === 0 && history.opKind.every((kind) => kind < 2);
  });
  // Reads that no transaction explains, and those of a transaction's own writes, are no matter of the polygraph.
  const ofOrders = cases.filter(({ verdicts }) => verdicts['read-committed-pl2'] === 'satisfied');

  test.each([true, false])(
    'the begin/commit polygraph is acyclic for exactly the histories of Adya’s snapshot isolation, combined: %s',
    (combine) => {
      expect(ofOrders.length).toBeGreaterThan(40);
      for (const { name, history, verdicts } of ofOrders) {
        if (verdicts['cut-isolation'] === 'violated') continue;
        const versions = registerVersions(history, buildReadFrom(history), { combine });
        const holds = versions.divergence === null && isAcyclic(beginCommitPolygraph(versions));
        expect([name, holds]).toEqual([name, verdicts['adya-snapshot-isolation'] === 'satisfied']);
      }
    },
  );

  test('combined writes have the same answers', () => {
    fc.assert(
      fc.property(arbitraryHistory({ atLeast: 3, transactions: 6 }), (history) => {
        const index = buildReadFrom(history);
        fc.pre(index.ambiguousReads === 0);
        const versions = registerVersions(history, index, { combine: true });
        const combined = versions.divergence === null && isAcyclic(beginCommitPolygraph(versions));
        expect(combined).toBe(isAcyclic(polygraphOf(history, false)));
      }),
      { numRuns: 200 },
    );
  });

  test('Figure 2: two constraints decided by one variable', () => {
    const history = parseHistory('w(x,1)\nw(x,2)\nr(x,1)');
    const polygraph = polygraphOf(history);
    expect(countConstraints(polygraph)).toEqual({ pairs: 1, published: 2 });
    expect(edgesOf(polygraph, EdgeKind.ReadFrom)).toEqual([[commitOf(0), beginOf(2)]]);
    expect(edgesOf(polygraph, EdgeKind.Within)).toHaveLength(3);
    expect(polygraph.edges.count).toBe(4);
  });

  test('the long fork of section 3.1 has chains, and a cycle under every choice', () => {
    const polygraph = polygraphOf(namedHistory('long-fork-with-writers').history);
    expect(countConstraints(polygraph)).toEqual({ pairs: 0, published: 2 + 4 });
    expect(isAcyclic(polygraph)).toBe(false);
  });

  test('the initial version precedes all others, and the begins of several readers share an anchor', () => {
    const history = parseHistory('r(x,0)\nr(x,0)\nw(x,1)\nw(x,2)');
    const polygraph = polygraphOf(history);
    const { versions, anchor } = polygraph;
    const meeting = anchor[initialVersion(versions, 0)]!;
    expect(meeting).toBe(2 * versions.numTxns);
    expect(edgesOf(polygraph, EdgeKind.Anchor)).toEqual([
      [beginOf(0), meeting],
      [beginOf(1), meeting],
    ]);
    expect(edgesOf(polygraph, EdgeKind.Overwrites)).toEqual([
      [meeting, commitOf(2)],
      [meeting, commitOf(3)],
    ]);
  });

  test('two transactions that overwrite one version diverge if writes are combined', () => {
    const history = parseHistory('w(x,1)\nr(x,1) w(x,2)\nr(x,1) w(x,3)');
    const index = buildReadFrom(history);
    expect(registerVersions(history, index, { combine: true }).divergence).toEqual({ version: 0, first: 1, second: 2 });
    expect(registerVersions(history, index, { combine: false }).divergence).toBeNull();
  });

  test('unexplained reads are left out, or count as reads of the initial version', () => {
    const history = parseHistory('w(x,1) w(x,2)\nr(x,1)\nr(x,9)\nr(x,2)');
    const index = buildReadFrom(history);
    const readersOf = (unexplainedIsInitial: boolean, version: number): number[] => {
      const { readerStart, reader } = registerVersions(history, index, { combine: true, unexplainedIsInitial });
      return [...reader.subarray(readerStart[version], readerStart[version + 1])];
    };
    expect([readersOf(false, 0), readersOf(false, 1)]).toEqual([[3], []]);
    expect([readersOf(true, 0), readersOf(true, 1)]).toEqual([[3], [1, 2]]);
  });

  test('a list is one chain of the appends that were read, and each other append is a later chain', () => {
    const history = parseHistory('a(x,1) a(x,2)\na(x,3)\na(x,4)\na(x,5)\nr(x,[1 2 3])');
    const index = buildReadFrom(history);
    const versions = listAppendVersions(history, index, listVersions(history, index));
    const polygraph = beginCommitPolygraph(versions);
    expect([...versions.writer]).toEqual([0, 1, 2, 3]);
    expect([...versions.next]).toEqual([1, -1, -1, -1, 0]);
    expect(countConstraints(polygraph).pairs).toBe(1);
    expect(edgesOf(polygraph, EdgeKind.Order)).toEqual([
      [commitOf(0), beginOf(1)],
      [commitOf(1), beginOf(2)],
      [commitOf(1), beginOf(3)],
    ]);
  });
});
