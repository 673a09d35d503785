import { LEVELS, type Verdict } from '@isolab/contract';
import { TestContext, h, prepare, runForTest } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { baselinesSat, encodeHistory } from '../../src/sat/index.ts';
import { ENCODINGS, type EncodingName } from '../../src/sat/history/encodings.ts';
import { solve } from '../../src/sat/solvers/solve.ts';
import { DEFAULTS } from './support/run.ts';

const NAMES = Object.keys(ENCODINGS) as EncodingName[];
const { levels, variants } = baselinesSat.info;

const WRITE_SKEW = h`r(x,0) w(y,1) | r(y,0) w(x,1)`;
const LONG_FORK = h`w(x,1) | w(y,1) | r(x,1) r(y,0) | r(x,0) r(y,1)`;
const SERIAL = h`w(x,1) w(y,1) | r(x,1) w(x,2) | r(x,2) r(y,1)`;
const LOST_UPDATE = h`r(x,0) w(x,1) | r(x,0) w(x,2)`;

test('every encoding is a variant, and every level has one by default', async () => {
  expect(Object.keys(variants)).toEqual(NAMES);
  expect(levels).toEqual(
    LEVELS.map(({ name }) => name).filter((name) =>
      Object.values(ENCODINGS).some((own) => own.levels.includes(name as never)),
    ),
  );
  for (const level of levels) expect((await runForTest(baselinesSat, SERIAL, level)).status).toBe('satisfied');
});

describe.each(NAMES)('%s', (variant) => {
  const own: readonly string[] = ENCODINGS[variant].levels;
  const others = levels.filter((level) => !own.includes(level));

  test.each(others)('the checker says which levels the encoding decides when asked for %s', async (level) => {
    const verdict = await runForTest(baselinesSat, SERIAL, level, { variant });
    expect(verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
    const { detail } = verdict as Extract<Verdict, { status: 'unknown' }>;
    expect(detail).toMatch(`the encoding ${variant} decides ${own.join(', ')}, not ${level}`);
  });

  test.each(own)('the checker counts the clauses for the solver at %s', async (level) => {
    const counters: Record<string, number> = {};
    const stages: string[] = [];
    const context = {
      ...new TestContext(),
      count: (name: string, amount: number) => void (counters[name] = amount),
      stage: (name: string) => void stages.push(name),
    };
    const verdict = await baselinesSat.check(
      prepare(SERIAL),
      level as (typeof levels)[number],
      { ...DEFAULTS, ...variants[variant]!.options },
      context,
    );
    expect(verdict.status).toBe('satisfied');
    expect(stages).toEqual(['construct', 'encode', 'load', 'solve', 'certify']);
    if (variant !== 'tcc-mono') expect(counters['variables']).toBeGreaterThan(0);
    if (variant.includes('mono')) expect(counters['edges']).toBeGreaterThan(2);
    else expect(counters['edges']).toBeUndefined();
  });
});

test.each(['cadical', 'own', 'logic-solver'])('the solver %s can be chosen', async (solver) => {
  for (const [history, status] of [
    [SERIAL, 'satisfied'],
    [WRITE_SKEW, 'violated'],
    [LONG_FORK, 'violated'],
  ] as const) {
    const verdict = await runForTest(baselinesSat, history, 'serializable', { options: { solver } });
    expect(verdict.status).toBe(status);
  }
});

test('a cycle of session order and read-from is named and found', async () => {
  const history = h`r(x,1) w(y,1) | w(z,1) | r(y,1) w(x,1)`;
  for (const level of levels) {
    const verdict = await runForTest(baselinesSat, history, level);
    expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'G1c' }] });
    const { anomalies } = verdict as Extract<Verdict, { status: 'violated' }>;
    expect(anomalies[0]!.transactions.toSorted()).toEqual([0, 2]);
  }
});

test('combining writes finds a lost update without a solver', async () => {
  const verdict = await runForTest(baselinesSat, LOST_UPDATE, 'adya-snapshot-isolation', { variant: 'asi-mono-opt' });
  expect(verdict).toEqual({
    status: 'violated',
    uncertified: 'solver',
    anomalies: [{ name: 'lost-update', transactions: [0, 1] }],
  });
});

test('a cycle over the causal edges is reported with its transactions', async () => {
  const history = h`w(x,1) | r(x,1) w(x,2) | r(x,2) w(y,1) | r(y,1) r(x,1)`;
  const verdict = await runForTest(baselinesSat, history, 'causal', { variant: 'tcc-mono' });
  expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'causality-violation' }] });
  const { anomalies } = verdict as Extract<Verdict, { status: 'violated' }>;
  expect(anomalies[0]!.transactions.toSorted()).toEqual([0, 1]);
});

test('our own solver decides the formula of a history', async () => {
  for (const level of ENCODINGS['dbcop-sat'].levels) {
    const encoded = encodeHistory(prepare(LONG_FORK), level, 'dbcop-sat', DEFAULTS);
    const { formula } = encoded.problem!;
    expect(formula.numVariables).toBe(2 * 4 ** 2);
    const answer = await solve({ formula, graph: null }, 'own', DEFAULTS, new TestContext());
    const { status } = await runForTest(baselinesSat, LONG_FORK, level);
    expect(answer.status).toBe(status === 'satisfied' ? 'satisfiable' : 'unsatisfiable');
  }
});
