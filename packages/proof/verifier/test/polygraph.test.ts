import { describe, expect, test } from 'vitest';
import { polygraphOrderProblem, verifyPolygraphFile } from '../src/index.ts';

/** 0 → 1, and either 1 → 2 or 2 → 0. */
const polygraph = { name: '', nodes: 3, edges: Int32Array.of(0, 1), constraints: Int32Array.of(1, 2, 2, 0) };

describe('an order of a polygraph', () => {
  test.each([[[0, 1, 2]], [[2, 0, 1]]])('%j is accepted', (order) => {
    expect(polygraphOrderProblem(polygraph, order)).toBeNull();
  });

  test.each([
    [[1, 0, 2], 'the known edge from 0 to 1 contradicts the order'],
    [[0, 2, 1], 'both edges of constraint 1 contradict the order: from 1 to 2, and from 2 to 0'],
    [[0, 1], 'the order has 2 nodes, expected 3'],
    [[0, 1, 1], 'the order names node 1 twice'],
    [[0, 1, 7], 'the order names 7, which is not a node'],
    [[0, 1, 1.5], 'the order names 1.5, which is not a node'],
  ])('%j is refused', (order, problem) => {
    expect(polygraphOrderProblem(polygraph, order)).toBe(problem);
  });
});

describe('a certificate file of a polygraph', () => {
  const file = { isolab: 'certificate', verdict: 'satisfied', certificate: { kind: 'commit-order', order: [0, 1, 2] } };

  test('a certificate file of a polygraph is accepted if its order is', () => {
    expect(verifyPolygraphFile(polygraph, file)).toMatchObject({ ok: true });
  });

  test.each([
    null,
    [],
    'no',
    { ...file, verdict: 'violated' },
    { ...file, certificate: { kind: 'cycle', edges: [] } },
    { ...file, certificate: { kind: 'commit-order', order: 'abc' } },
    { ...file, certificate: { kind: 'commit-order', order: [0, 2, 1] } },
  ])('%j is refused', (wrong) => {
    expect(verifyPolygraphFile(polygraph, wrong)).toMatchObject({ ok: false });
  });
});
