import { readFileSync } from 'node:fs';
import type { Verdict } from '@isolab/contract';
import { polygraphOrderProblem } from '@isolab/verifier';
import fc from 'fast-check';
import { realHistory, realPolygraphs, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { checkPolygraph } from '../src/index.ts';
import { TestContext, hasSolution, parsePolygraph, polygraphOf } from '@isolab/testkit';
import { DEFAULTS } from './support/run.ts';

const SETTINGS = [{}, { prune: false }, { rounds: 0 }, { decompose: false }, { prune: false, decompose: false }];

test('the checker decides small polygraphs as trying every choice does', async () => {
  const nodes = 6;
  const pair = fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1));
  const polygraphs = fc.record({
    edges: fc.array(pair, { maxLength: 6 }),
    constraints: fc.array(fc.tuple(pair, pair), { maxLength: 8 }),
  });
  let unsolvable = 0;
  await fc.assert(
    fc.asyncProperty(polygraphs, async ({ edges, constraints }) => {
      const input = polygraphOf(nodes, edges.flat(), constraints.flat(2));
      const expected = hasSolution(input);
      if (!expected) unsolvable++;
      for (const settings of SETTINGS) {
        const verdict = await checkPolygraph(input, { ...DEFAULTS, ...settings }, new TestContext());
        expect(verdict.status).toBe(expected ? 'satisfied' : 'violated');
        if (verdict.status === 'satisfied') expect(polygraphOrderProblem(input, orderIn(verdict))).toBeNull();
      }
    }),
    { numRuns: 400, seed: 2 },
  );
  expect(unsolvable).toBeGreaterThan(100);
});

function orderIn(verdict: Verdict): readonly number[] {
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : undefined;
  if (certificate?.kind !== 'commit-order') throw new Error('There is no order.');
  return certificate.order;
}

describe('the polygraphs of CobraSAT', unless('datasets'), () => {
  const files = realPolygraphs();

  test('the polygraphs of CobraSAT are many', () => expect(files.length).toBeGreaterThan(30));

  test.each(files)('%s has a solution, or has none in any setting', async (file) => {
    const input = parsePolygraph(readFileSync(realHistory(`CobraSAT/${file}`), 'utf8'));
    const verdicts = await Promise.all(
      SETTINGS.map((settings) => checkPolygraph(input, { ...DEFAULTS, ...settings }, new TestContext())),
    );
    expect(new Set(verdicts.map(({ status }) => status)).size).toBe(1);
    for (const verdict of verdicts)
      if (verdict.status === 'satisfied') expect(polygraphOrderProblem(input, orderIn(verdict))).toBeNull();
  });
});
