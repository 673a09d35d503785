import type { LevelName } from '@isolab/contract';
import { type History, toPlain } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { randomNumbers } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { BOUNDARIES, type Boundary, type Prediction, predict } from '../src/index.ts';
import { executions } from './support/brute-force.ts';
import { type Transaction, historyOf, namedRun, randomRun, textOf } from './support/programs.ts';

const PROGRAMS = Number(process.env['ISOLAB_SOAK'] ?? 40);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);
const WEAKER: readonly LevelName[] = ['read-committed', 'read-atomic', 'causal', 'prefix', 'snapshot-isolation'];

test(`predictions for ${PROGRAMS} small random programs agree with all of their executions`, async () => {
  const random = randomNumbers(SEED);
  const below = (n: number): number => Math.floor(random() * n);
  const count = { predicted: 0, none: 0 };
  for (let i = 0; i < PROGRAMS; i++) {
    const run = randomRun(random, {
      sessions: 1 + below(3),
      stale: below(3) === 0 ? 0.3 : 0,
      ...(i % 3 === 0 ? LONG : { transactions: 2 + below(i % 4 === 0 ? 4 : 3), operations: 3 }),
    });
    const boundary = BOUNDARIES[below(3)]!;
    const weaker = WEAKER[below(WEAKER.length)]!;
    const stronger = weaker !== 'snapshot-isolation' && below(4) === 0 ? 'snapshot-isolation' : 'serializable';
    const recorded = historyOf(namedRun(run));
    if (!decide(recorded, weaker).satisfied) continue;
    const most = 1 + below(4);
    const { predictions, gaps, covered } = await predict(recorded, { weaker, stronger, boundary, mostChanges: most });
    const where = `program ${i} of seed ${SEED}: ${weaker}, ${stronger}, ${boundary}, ${most}, ${JSON.stringify(run)}`;
    insist(gaps.length === 0 && covered >= most, where);
    for (const prediction of predictions) expectPossible(run, boundary, prediction, { weaker, stronger }, where);
    if (predictions.length > 0) expectWithin(run, { boundary, most }, predictions, where);
    if (predictions.length === 0) expectNone(run, { boundary, most }, { weaker, stronger }, where);
    count[predictions.length === 0 ? 'none' : 'predicted']++;
  }
  expect(count.predicted).toBeGreaterThan(PROGRAMS / 20);
  expect(count.none).toBeGreaterThan(PROGRAMS / 20);
});

/** Few long transactions, whose reads must often change together. */
const LONG = { transactions: 3, operations: 6 };

interface Limits {
  readonly boundary: Boundary;
  readonly most: number;
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
  const written = new Map(run.flatMap(({ operations }) => operations.map(({ version }) => [textOf(version), version])));
  for (const { transactions } of toPlain(history).sessions)
    for (const { name, operations } of transactions) {
      const { steps } = run[Number(String(name).slice(1))]!;
      let last: number | null = null;
      const isCut = cut.includes(`transaction ${String(name)}`);
      insist(operations.length === steps.length || isCut, where);
      for (const [at, operation] of operations.entries()) {
        if (!('key' in operation) || !('value' in operation)) throw new Error(`${where}: ${operation.kind}`);
        const { write, key } = steps[at]!;
        insist(operation.kind === (write ? 'write' : 'read'), where);
        // The relaxed boundary assumes the recorded keys behind a changed value.
        insist(boundary === 'relaxed' || operation.key === BigInt(key ?? last ?? 1), where);
        if (!write) last = written.get(operation.value as string)?.to ?? initialTo(operation.value as string);
      }
    }
}

const initialTo = (text: string): number => (JSON.parse(text) as { to: number }).to;

/** Expects that the boundary allows each predicted execution. */
function expectWithin(
  run: readonly Transaction[],
  { boundary, most }: Limits,
  predictions: readonly Prediction[],
  where: string,
): void {
  const missing = new Set(predictions.map(({ history }) => contentsOf(history)));
  for (const { predicted } of executions(run, boundary, most)) missing.delete(contentsOf(predicted));
  insist(missing.size === 0, `${where} ${[...missing].join()}`);
}

/** Returns the transactions of a history with their operations, in the order of their names. */
const contentsOf = (history: History): string =>
  toPlain(history)
    .sessions.flatMap(({ transactions }) => transactions.map(({ name, operations }) => asText([name, operations])))
    .toSorted()
    .join();

/** Expects that the weaker level forbids every execution within the boundary that the stronger level forbids. */
function expectNone(
  run: readonly Transaction[],
  { boundary, most }: Limits,
  { weaker, stronger }: Levels,
  where: string,
): void {
  for (const { predicted, recorded } of executions(run, boundary, most)) {
    if (decide(predicted, stronger).satisfied || !decide(recorded, stronger).satisfied) continue;
    insist(!decide(predicted, weaker).satisfied, `${where} ${shown(predicted)}`);
  }
}

const shown = (history: History): string => asText(toPlain(history));

const asText = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

function insist(holds: boolean, where: string): void {
  if (!holds) throw new Error(where);
}
