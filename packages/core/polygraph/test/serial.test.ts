import { topologicalOrder } from '@isolab/graph';
import { buildReadFrom } from '@isolab/history';
import { h } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import {
  Decision,
  type SerialPart,
  type Polygraph,
  SerialVersionBuilder,
  chainsOf,
  prune,
  regionsOf,
  serialConstraints,
  serialKnownEdges,
} from '../src/index.ts';

type Options = { readonly combine?: boolean; readonly coalesce?: boolean; readonly sessions?: boolean };

const tick = (): void => {};

function construct(history: ReturnType<typeof h>, options: Options = {}, part: Partial<SerialPart> = {}): Polygraph {
  const { combine = true, coalesce = true, sessions = false } = options;
  const txns = part.txns ?? Int32Array.from(history.txnStatus.keys());
  const builder = new SerialVersionBuilder(history, buildReadFrom(history));
  const versions = builder.build({ txns, base: part.base ?? null });
  const chains = chainsOf(versions, combine);
  const serial = { sessions, coalesce, tick };
  return {
    numNodes: txns.length,
    known: serialKnownEdges(versions, chains, combine, serial),
    constraints: serialConstraints(versions, chains, serial),
  };
}

const knownEdges = ({ known }: Polygraph): string[] =>
  Array.from({ length: known.count }, (_, e) => `${known.ends.from[e]}→${known.ends.to[e]}`).toSorted();

const sides = ({ constraints }: Polygraph): string[] =>
  Array.from({ length: constraints.count }, (_, c) =>
    [0, 1]
      .map((side) => {
        const { begin, end } = constraints.side(c, side);
        const edges = Array.from({ length: end - begin }, (__, i) => begin + i);
        return edges.map((e) => `${constraints.from.items[e]}→${constraints.to.items[e]}`).join(' ');
      })
      .join(' | '),
  );

describe('the polygraph of serializability', () => {
  const twoWriters = h`w(x,1)
                       w(x,2)
                       r(x,1)
                       r(x,1)`;

  test('the polygraph of serializability orders readers of one version before the writer of another', () => {
    const polygraph = construct(twoWriters);
    expect(knownEdges(polygraph)).toEqual(['0→2', '0→3']);
    expect(sides(polygraph)).toEqual(['2→1 3→1 | 1→0']);
  });

  test('the polygraph of serializability has one constraint per reader without coalescing', () => {
    expect(sides(construct(twoWriters, { coalesce: false }))).toEqual(['0→1 | 1→0', '2→1 | 1→0', '3→1 | 1→0']);
  });

  test('the polygraph of serializability has session order only if the level requires it', () => {
    const history = h`w(x,1) | w(y,1) | w(z,1)`;
    expect(knownEdges(construct(history))).toEqual([]);
    expect(knownEdges(construct(history, { sessions: true }))).toEqual(['0→1', '1→2']);
  });

  test('the polygraph of serializability orders a version’s readers before its overwriter, and orders whole chains', () => {
    const history = h`w(x,1)
                      r(x,1) w(x,2)
                      r(x,1)
                      r(x,2)
                      w(x,3)`;
    const combined = construct(history);
    expect(knownEdges(combined)).toEqual(['0→1', '0→2', '1→3', '2→1']);
    expect(sides(combined)).toEqual(['3→4 | 4→0']);
    expect(sides(construct(history, { combine: false }))).toHaveLength(3);
  });

  test('the polygraph of serializability puts the chain of the initial state first', () => {
    const history = h`r(x,0) w(x,1)
                      r(x,1)
                      w(x,2)
                      r(x,0)`;
    const polygraph = construct(history);
    // 3 reads a version that 0 overwrites; 1 reads a version before 2.
    expect(knownEdges(polygraph)).toEqual(['0→1', '1→2', '3→0']);
    expect(sides(polygraph)).toEqual([]);
    // Without chains, who read the initial state comes before every writer.
    expect(knownEdges(construct(history, { combine: false }))).toEqual(['0→1', '0→2', '3→0', '3→2']);
  });

  test('the polygraph of serializability has a cycle of two transactions that overwrite the same version', () => {
    const polygraph = construct(h`r(x,0) w(x,1)
                                  r(x,0) w(x,2)`);
    expect(knownEdges(polygraph)).toEqual(expect.arrayContaining(['0→1', '1→0']));
  });

  test('the polygraph of serializability uses only the first read of a key from another transaction before an own write', () => {
    const history = h`w(x,1)
                      w(x,2)
                      r(x,1) r(x,2)
                      w(x,3) r(x,1)`;
    expect(knownEdges(construct(history))).toEqual(['0→2']);
  });

  test('the polygraph of serializability of a part treats reads of the base as reads of the initial state, and leaves out other reads from outside', () => {
    const history = h`w(x,1) | w(x,2)
                      r(x,1) | r(x,2) | w(x,3)`;
    const part = { txns: Int32Array.of(2, 3, 4), base: Int32Array.of(1) };
    expect(knownEdges(construct(history, {}, part))).toEqual(['1→2']);
  });
});

describe('pruning', () => {
  // Once the reader of x is before the second writer, so are its predecessors, also those that write y.
  const history = h`w(x,1) | w(x,2) | w(y,1)
                    w(y,2) | r(x,1)`;

  test('pruning agrees with reachability, and gives the reason', async () => {
    const polygraph = construct(history, { sessions: true });
    const { known, constraints } = polygraph;
    const knownBefore = known.count;
    expect(sides(polygraph)).toEqual(['4→1 | 1→0', '2→3 | 3→2']);
    expect(await prune(polygraph, { rounds: 1, tick })).toBe(1);
    expect([constraints.decision.items[0], constraints.decision.items[1]]).toEqual([Decision.Either, Decision.Open]);
    expect(constraints.refutedAt.items[0]).toBe(knownBefore);
    const refuted = constraints.refuted.items[0]!;
    expect([constraints.from.items[refuted], constraints.to.items[refuted]]).toEqual([1, 0]);
    expect(knownEdges(polygraph)).toEqual(['0→1', '0→4', '1→2', '3→4', '4→1']);
  });

  test('pruning continues as long as it decides anything', async () => {
    const polygraph = construct(history, { sessions: true });
    expect(await prune(polygraph, { rounds: 0, tick })).toBe(2);
    expect(polygraph.constraints.countOpen()).toBe(0);
  });

  test('pruning ends in a cycle if neither side is possible', async () => {
    const polygraph = construct(
      h`w(x,1) w(y,1)
        w(x,2) w(z,1)
        r(x,1) r(z,1)
        r(x,2) r(y,1)`,
    );
    expect(await prune(polygraph, { rounds: 1, tick })).toBe(1);
    const { known, numNodes } = polygraph;
    expect(topologicalOrder(known.ends.digraph(numNodes)).length).toBeLessThan(numNodes);
  });
});

describe('the superposition', () => {
  test('the superposition splits into regions that no keys or sessions connect', () => {
    const polygraph = construct(
      h`w(x,1)
        w(x,2)
        w(y,1)
        w(y,2)
        r(x,1)`,
    );
    const { regions, free } = regionsOf(polygraph);
    expect(free).toEqual([]);
    expect(regions.map(({ nodes }) => nodes)).toEqual([
      [0, 1, 4],
      [2, 3],
    ]);
    expect(regions.map(({ constraints }) => constraints)).toEqual([[0], [1]]);
  });
});
