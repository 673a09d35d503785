import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '@isolab/contract';
import { polygraphOrderProblem } from '@isolab/verifier';
import fc from 'fast-check';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { checkPolygraph } from '../src/index.ts';
import { hasSolution, parsePolygraph } from '@isolab/testkit';
import { DEFAULTS } from './support/run.ts';

const CONTEXT = { certify: true, findAll: false, stage() {}, count() {}, progress() {}, tick() {} };
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
      const input = {
        name: '',
        nodes,
        edges: Int32Array.from(edges.flat()),
        constraints: Int32Array.from(constraints.flat(2)),
      };
      const expected = hasSolution(input);
      if (!expected) unsolvable++;
      for (const settings of SETTINGS) {
        const verdict = await checkPolygraph(input, { ...DEFAULTS, ...settings }, CONTEXT);
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

const datasets = process.env['ISOLAB_DATASETS'];
const folder = datasets === undefined ? '' : join(datasets, 'CobraSAT');

describe('the polygraphs of CobraSAT', unless('datasets'), () => {
  const files =
    datasets === undefined
      ? []
      : readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.polyg'));

  test('the polygraphs of CobraSAT are many', () => expect(files.length).toBeGreaterThan(30));

  test.each(files)('%s has a solution, or has none in any setting', async (file) => {
    const input = parsePolygraph(readFileSync(join(folder, file), 'utf8'));
    const verdicts = await Promise.all(
      SETTINGS.map((settings) => checkPolygraph(input, { ...DEFAULTS, ...settings }, CONTEXT)),
    );
    expect(new Set(verdicts.map(({ status }) => status)).size).toBe(1);
    for (const verdict of verdicts)
      if (verdict.status === 'satisfied') expect(polygraphOrderProblem(input, orderIn(verdict))).toBeNull();
  });
});
