// Slow: gives two solvers the real histories at hand.
import { readFileSync } from 'node:fs';
import { polygraphOrderProblem } from '@isolab/verifier';
import { realHistory, realPolygraphs, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { TestContext, parsePolygraph } from '@isolab/testkit';
import { type PolygraphEncoding, type SolverName, decidePolygraph, encodePolygraph } from '../../src/sat/index.ts';
import { DEFAULTS } from './support/run.ts';

/** Encodings whose time grows with the square or the cube of the nodes get the smaller files. */
const SETTINGS: readonly { encoding: PolygraphEncoding; solver: SolverName; sparse: boolean; maxNodes: number }[] = [
  { encoding: 'mono', solver: 'own', sparse: false, maxNodes: Infinity },
  { encoding: 'binary-label', solver: 'cadical', sparse: true, maxNodes: 600 },
  { encoding: 'binary-label', solver: 'own', sparse: true, maxNodes: Infinity },
  { encoding: 'unary-label', solver: 'own', sparse: true, maxNodes: 100 },
  { encoding: 'tc3', solver: 'own', sparse: false, maxNodes: 50 },
  { encoding: 'axiom', solver: 'cadical', sparse: false, maxNodes: 50 },
  { encoding: 'tc1', solver: 'logic-solver', sparse: false, maxNodes: 50 },
];

describe('the polygraphs of CobraSAT', unless('datasets'), () => {
  test.each(realPolygraphs())('polygraph %s of CobraSAT has one answer, from every solver', async (file) => {
    const input = parsePolygraph(readFileSync(realHistory(`CobraSAT/${file}`), 'utf8'));
    const statuses: string[] = [];
    for (const { encoding, solver, sparse, maxNodes } of SETTINGS) {
      if (input.nodes > maxNodes) continue;
      const answer = await decidePolygraph(input, encoding, solver, { ...DEFAULTS, sparse }, new TestContext());
      if (answer.status === 'satisfiable') expect(polygraphOrderProblem(input, answer.order)).toBeNull();
      statuses.push(answer.status);
    }
    expect(statuses.length).toBeGreaterThanOrEqual(input.nodes > 600 ? 2 : 3);
    expect(new Set(statuses).size).toBe(1);
    expect(statuses[0]).not.toBe('unknown');
  });

  test.each([
    ['binary-label', 451_539, 1_166_543],
    ['unary-label', 989_901, 1_960_325],
  ] as const)('R50-100 has as many variables and clauses by %s as CobraSAT says', (encoding, variables, clauses) => {
    const file = realPolygraphs().find((name) => name.endsWith('workloads3__chengR50-100.polyg'))!;
    const input = parsePolygraph(readFileSync(realHistory(`CobraSAT/${file}`), 'utf8'));
    const { formula } = encodePolygraph(input, encoding, DEFAULTS).problem;
    expect([formula.numVariables, formula.numClauses]).toEqual([variables, clauses]);
  });
});
