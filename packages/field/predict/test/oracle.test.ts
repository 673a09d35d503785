import type { LevelName } from '@isolab/contract';
import { type Atom, type History, type PlainOperation, toPlain } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { randomNumbers } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { BOUNDARIES, type Boundary, type Prediction, type PredictOptions, predict } from '../src/index.ts';
import { executions } from './support/brute-force.ts';
import { NUMBER, type Step, type Transaction, historyOf, keyIn, namedRun, randomRun } from './support/programs.ts';

const PROGRAMS = Number(process.env['ISOLAB_SOAK'] ?? 40);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);
const WEAKER: readonly LevelName[] = ['read-committed', 'read-atomic', 'causal', 'prefix', 'snapshot-isolation'];

test(`predictions for ${PROGRAMS} small random programs agree with all of their executions`, async () => {
  const random = randomNumbers(SEED);
  const below = (n: number): number => Math.floor(random() * n);
  const count = { predicted: 0, none: 0 };
  for (let i = 0; i < PROGRAMS; i++) {
    const hasRows = below(4) === 0;
    const run = randomRun(random, {
      sessions: 1 + below(3),
      stale: !hasRows && below(3) === 0 ? 0.3 : 0,
      hasRows,
      hasRepeats: hasRows && below(2) === 0,
      ...(i % 3 === 0 && !hasRows ? LONG : { transactions: 2 + below(i % 4 === 0 ? 4 : 3), operations: 3 }),
    });
    const boundary = BOUNDARIES[below(3)]!;
    const weaker = WEAKER[below(WEAKER.length)]!;
    const stronger = weaker !== 'snapshot-isolation' && below(4) === 0 ? 'snapshot-isolation' : 'serializable';
    const recorded = historyOf(namedRun(run), hasRows);
    if (!decide(recorded, weaker).satisfied) continue;
    const most = 1 + below(hasRows ? 2 : 4);
    const { predictions, gaps, covered } = await predict(recorded, {
      weaker,
      stronger,
      boundary,
      mostChanges: most,
      statements: hasRows ? statementsOf(run) : new Map(),
    });
    const where = `program ${i} of seed ${SEED}: ${weaker}, ${stronger}, ${boundary}, ${most}, ${JSON.stringify(run)}`;
    // The library judges the result of an aggregate beside other reads of its transaction, not the versions it includes.
    const mayStayOpen = run.some(
      ({ steps }) =>
        steps.some(({ aggregate }) => aggregate) && steps.filter(({ kind }) => kind !== 'write').length > 1,
    );
    if (mayStayOpen && gaps.join() === 'undecided histories') continue;
    insist(gaps.length === 0 && covered >= most, where);
    for (const prediction of predictions) expectPossible(run, boundary, prediction, { weaker, stronger }, where);
    if (predictions.length > 0) expectWithin(run, { boundary, most, hasRows }, predictions, where);
    if (predictions.length === 0) expectNone(run, { boundary, most, hasRows }, { weaker, stronger }, where);
    count[predictions.length === 0 ? 'none' : 'predicted']++;
  }
  expect(count.predicted).toBeGreaterThan(PROGRAMS / 20);
  expect(count.none).toBeGreaterThan(PROGRAMS / 20);
});

/** Few long transactions, whose reads must often change together. */
const LONG = { transactions: 3, operations: 6 };

type Statements = NonNullable<PredictOptions['statements']>;

interface Limits {
  readonly boundary: Boundary;
  readonly most: number;
  readonly hasRows: boolean;
}

interface Levels {
  readonly weaker: LevelName;
  readonly stronger: LevelName;
}

/** Expects an execution of the programs that the weaker level allows and the stronger level forbids. */
function expectPossible(
  run: readonly Transaction[],
  boundary: Boundary,
  { history, cut }: Prediction,
  { weaker, stronger }: Levels,
  where: string,
): void {
  insist(decide(history, weaker).satisfied, where);
  insist(!decide(history, stronger).satisfied, where);
  for (const { transactions } of toPlain(history).sessions)
    for (const { name, operations } of transactions) {
      const expected = run[Number(String(name).slice(1))]!.steps.flatMap((step) =>
        step.kind === 'update'
          ? [
              { ...step, kind: 'read', isOfUpdate: true },
              { ...step, kind: 'write' },
            ]
          : [step],
      );
      const end = expectOperations(operations, expected, boundary, where);
      const isWhole = expected.slice(end).every(({ aggregate }) => aggregate);
      insist(isWhole || cut.includes(`transaction ${String(name)}`), `${where} ${shown(history)}`);
    }
}

type ExpectedStep = Pick<Step, 'key' | 'aggregate'> & { readonly kind: string; readonly isOfUpdate?: boolean };

/** Expects that operations follow the steps, except aggregates with an unknown result; returns the number of steps. */
function expectOperations(
  operations: readonly PlainOperation[],
  expected: readonly ExpectedStep[],
  boundary: Boundary,
  where: string,
): number {
  let at = 0;
  let last: bigint | null = 1n;
  for (const operation of operations) {
    const used = parameterOf(operation);
    const isNext = ({ kind, key, aggregate }: ExpectedStep): boolean =>
      // The relaxed boundary assumes the recorded keys behind a changed value.
      (boundary === 'relaxed' || used === (key === null ? last : BigInt(key))) &&
      operation.kind === kind &&
      (operation.kind !== 'scan' || (operation.aggregate?.kind ?? null) === (aggregate ?? null));
    while (expected[at]?.aggregate && !isNext(expected[at]!)) {
      last = null;
      at++;
    }
    insist(expected[at] !== undefined && isNext(expected[at]!), `${where} ${asText(operations)}`);
    if (operation.kind === 'scan') last = lastOf(operation, used);
    else if (operation.kind === 'read' && !expected[at]!.isOfUpdate) last = toIn(operation.value);
    at++;
  }
  return at;
}

function lastOf({ aggregate, rows }: PlainOperation & { kind: 'scan' }, used: bigint | null): bigint | null {
  if (aggregate === null) return rows.length > 0 ? used : null;
  const key = keyIn(aggregate.result);
  return key === null ? null : BigInt(key);
}

function parameterOf(operation: PlainOperation): bigint | null {
  if (operation.kind === 'scan') return BigInt((operation.where as readonly [string, string, number])[2]);
  if (operation.kind !== 'read' && operation.kind !== 'write') throw new Error(operation.kind);
  return BigInt(String(operation.key).replace('t/', ''));
}

const toIn = (value: Atom): bigint | null => {
  const row = value === null ? null : (JSON.parse(value as string) as { to: number });
  return row && BigInt(row.to);
};

/** Returns the statements of a run, by the places of its transactions in the history. */
const statementsOf = (run: readonly Transaction[]): Statements =>
  new Map(
    run.map(({ steps }, t) => [
      t + 1,
      steps.map(({ kind, key }) => ({
        sql: `${kind} ${key}`,
        operations: kind === 'update' ? 2 : 1,
        isLocking: false,
      })),
    ]),
  );

/** Expects that the boundary allows each predicted execution. */
function expectWithin(
  run: readonly Transaction[],
  { boundary, most, hasRows }: Limits,
  predictions: readonly Prediction[],
  where: string,
): void {
  const missing = new Set(predictions.map(({ history }) => contentsOf(history)));
  for (const { predicted } of executions(run, boundary, most, hasRows)) missing.delete(contentsOf(predicted));
  insist(missing.size === 0, `${where} ${[...missing].join()}`);
}

/** Returns the transactions of a history with their operations, in the order of their names. */
function contentsOf(history: History): string {
  const transactions = toPlain(history).sessions.flatMap(({ transactions: all }) => all);
  const texts = transactions.map(({ name, operations }) => asText([name, operations.map(inOrder)])).toSorted();
  // Numbers of versions with unknown contents, in the order of their transactions.
  const numbers = new Map<string, number>();
  const written = transactions
    .toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
    .flatMap((t) => t.operations);
  for (const each of written)
    if (each.kind === 'write')
      for (const [, number] of asText(each).matchAll(NUMBERS))
        numbers.set(number!, numbers.get(number!) ?? numbers.size);
  return texts.join().replaceAll(NUMBERS, (_, number: string) => `version ${numbers.get(number)}`);
}

/** The order of a scan's rows has no meaning. */
const inOrder = (each: PlainOperation): PlainOperation =>
  each.kind === 'scan'
    ? { ...each, rows: each.rows.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1)) }
    : each;

const NUMBERS = new RegExp(String.raw`\\"${NUMBER}\\":(\d+)`, 'g');

/** Expects that the weaker level forbids every execution within the boundary that the stronger level forbids. */
function expectNone(
  run: readonly Transaction[],
  { boundary, most, hasRows }: Limits,
  { weaker, stronger }: Levels,
  where: string,
): void {
  for (const { predicted, recorded, distinct } of executions(run, boundary, most, hasRows)) {
    if (decide(predicted, stronger).satisfied || !decide(recorded, stronger).satisfied) continue;
    insist(!decide(distinct, weaker).satisfied, `${where} ${shown(predicted)}`);
  }
}

const shown = (history: History): string => asText(toPlain(history));

const asText = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

function insist(holds: boolean, where: string): void {
  if (!holds) throw new Error(where);
}
