import { readFileSync } from 'node:fs';
import type { PolygraphInput } from '@isolab/history';
import fc from 'fast-check';
import { realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { decidePolygraph } from '../../src/asp/index.ts';
import { TestContext, SMALL_POLYGRAPHS, hasSolution, isSolution, parsePolygraph, polygraphOf } from '@isolab/testkit';

const NO_LIMITS = { solveLimit: 0 };

test('the encoding decides small polygraphs as trying every choice does', async () => {
  const nodes = 5;
  const pair = fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)).filter(([a, b]) => a !== b);
  const polygraphs = fc.record({
    edges: fc.array(pair, { maxLength: 6 }),
    constraints: fc.array(fc.tuple(pair, pair), { minLength: 4, maxLength: 14 }),
  });
  let unsolvable = 0;
  for (const { edges, constraints } of fc.sample(polygraphs, { numRuns: 150, seed: 2 })) {
    const input = polygraphOf(nodes, edges.flat(), constraints.flat(2));
    const answer = await decidePolygraph(input, NO_LIMITS, new TestContext());
    const expected = hasSolution(input);
    if (!expected) unsolvable++;
    expect(answer.status).toBe(expected ? 'satisfiable' : 'unsatisfiable');
    if (answer.status === 'satisfiable') expect(isSolution(input, answer.order)).toBe(true);
  }
  expect(unsolvable).toBeGreaterThan(20);
});

test('the encoding takes polygraphs that have next to nothing', async () => {
  const of = (nodes: number, edges: number[]): PolygraphInput => ({
    name: '',
    nodes,
    edges: Int32Array.from(edges),
    constraints: new Int32Array(0),
  });
  expect((await decidePolygraph(of(0, []), NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  expect((await decidePolygraph(of(1, []), NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  expect((await decidePolygraph(of(1, [0, 0]), NO_LIMITS, new TestContext())).status).toBe('unsatisfiable');
});

describe('the smallest polygraphs of CobraSAT', unless('datasets'), () => {
  test.each(Object.entries(SMALL_POLYGRAPHS))('%s', async (file, expected) => {
    const input = parsePolygraph(readFileSync(realHistory(`CobraSAT/${file}`), 'utf8'));
    const answer = await decidePolygraph(input, NO_LIMITS, new TestContext());
    if (answer.status === 'satisfiable') expect(isSolution(input, answer.order)).toBe(true);
    expect(answer.status).toBe(expected ? 'satisfiable' : 'unsatisfiable');
  });
});
