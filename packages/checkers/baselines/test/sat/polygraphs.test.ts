import type { Verdict } from '@isolab/contract';
import { polygraphOrderProblem } from '@isolab/verifier';
import type { PolygraphInput } from '@isolab/history';
import { TestContext, hasSolution, polygraphOf } from '@isolab/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { POLYGRAPH_ENCODINGS, baselinesSat, decidePolygraph } from '../../src/sat/index.ts';
import { DEFAULTS } from './support/run.ts';

const NODES = 5;
const node = fc.nat(NODES - 1);
/** Constraints as histories have them (r→u or u→w, where w→r is known), and any others, loops too. */
const polygraphs = fc
  .record({
    edges: fc.array(fc.tuple(node, node), { maxLength: 5 }),
    wellFormed: fc.array(fc.uniqueArray(node, { minLength: 3, maxLength: 3 }), { maxLength: 4 }),
    others: fc.array(fc.tuple(node, node, node, node), { maxLength: 3 }),
  })
  .map(({ edges, wellFormed, others }) =>
    polygraphOf(
      NODES,
      [...edges.flat(), ...wellFormed.flatMap(([r, , w]) => [w!, r!])],
      [...wellFormed.flatMap(([r, u, w]) => [r!, u!, u!, w!]), ...others.flat()],
    ),
  );

const SETTINGS = POLYGRAPH_ENCODINGS.flatMap((encoding) => {
  const solvers = encoding === 'mono' ? (['own'] as const) : (['own', 'cadical'] as const);
  const labels = encoding.endsWith('label');
  return solvers.flatMap((solver) => [
    { encoding, solver, options: DEFAULTS },
    { encoding, solver, options: { ...DEFAULTS, xor: false, sparse: labels } },
  ]);
});

async function everyPolygraph(check: (input: PolygraphInput, expected: boolean) => Promise<void>, numRuns: number) {
  const seen = { solvable: 0, unsolvable: 0 };
  const property = fc.asyncProperty(polygraphs, async (input) => {
    const expected = hasSolution(input);
    seen[expected ? 'solvable' : 'unsolvable']++;
    await check(input, expected);
  });
  await fc.assert(property, { numRuns, seed: 3 });
  expect(Math.min(seen.solvable, seen.unsolvable)).toBeGreaterThan(numRuns / 5);
}

test('every encoding decides small polygraphs as trying every choice does', async () => {
  await everyPolygraph(async (input, expected) => {
    for (const { encoding, solver, options } of SETTINGS) {
      const answer = await decidePolygraph(input, encoding, solver, options, new TestContext());
      expect([encoding, solver, answer.status]).toEqual([encoding, solver, expected ? 'satisfiable' : 'unsatisfiable']);
      if (answer.status === 'satisfiable') expect(polygraphOrderProblem(input, answer.order)).toBeNull();
    }
  }, 60);
});

test('logic-solver decides them, too', async () => {
  await everyPolygraph(async (input, expected) => {
    const answer = await decidePolygraph(input, 'tc3', 'logic-solver', DEFAULTS, new TestContext());
    expect(answer.status).toBe(expected ? 'satisfiable' : 'unsatisfiable');
    if (answer.status === 'satisfiable') expect(polygraphOrderProblem(input, answer.order)).toBeNull();
  }, 8);
});

test('polygraphs without nodes or with one', async () => {
  for (const encoding of POLYGRAPH_ENCODINGS) {
    for (const nodes of [0, 1]) {
      const answer = await decidePolygraph(polygraphOf(nodes, [], []), encoding, 'auto', DEFAULTS, new TestContext());
      expect(answer).toMatchObject({ status: 'satisfiable', order: Int32Array.from({ length: nodes }, (_, n) => n) });
    }
    const loop = await decidePolygraph(polygraphOf(1, [0, 0], []), encoding, 'auto', DEFAULTS, new TestContext());
    expect(loop.status).toBe('unsatisfiable');
  }
});

test('the checker takes polygraphs in the place of histories', async () => {
  const check = async (input: PolygraphInput, options: object): Promise<Verdict> => {
    return baselinesSat.check(
      { kind: 'polygraph', polygraph: input },
      'serializable',
      { ...DEFAULTS, ...options },
      new TestContext(),
    );
  };
  await everyPolygraph(async (input, expected) => {
    for (const options of [{}, { encoding: 'axiom' }]) {
      const verdict = await check(input, options);
      expect(verdict.status).toBe(expected ? 'satisfied' : 'violated');
      if (verdict.status === 'violated')
        expect(verdict.anomalies).toEqual([{ name: 'cyclic-polygraph', transactions: [0, 1, 2, 3, 4] }]);
      if (verdict.status !== 'satisfied') continue;
      const { certificate } = verdict;
      if (certificate?.kind !== 'commit-order') throw new Error('There is no order.');
      expect(polygraphOrderProblem(input, certificate.order)).toBeNull();
    }
  }, 30);
  const refused = await check(polygraphOf(NODES, [], []), { encoding: 'dbcop-sat' });
  expect(refused).toMatchObject({
    status: 'unknown',
    reason: 'unsupported',
    detail: expect.stringContaining('tc1, tc3'),
  });
});
