/**
 * Measures a search for predictions in this process. A prediction is the verdict `violated`, a complete search without
 * one is `satisfied`, and an incomplete search without one is `unknown`.
 */
import type { LevelName } from '@isolab/contract';
import { type History, fromPlain, toPlain } from '@isolab/history';
import type { Boundary, Predictions } from '@isolab/predict';
import process from 'node:process';
import type { OneRun } from './measure-set.ts';
import type { Task } from './task.ts';

/** Checker name of a series that predicts. */
export const PREDICT = 'predict';

const IS_BOUNDARY: Readonly<Record<Boundary, true>> = { 'data-flow': true, relaxed: true, strict: true };

export const isBoundary = (variant: string | undefined): variant is Boundary =>
  variant !== undefined && Object.hasOwn(IS_BOUNDARY, variant);

/** The level of the series is the weaker one, and its variant is the boundary. */
export async function measurePrediction(
  { series, level, limits, source }: Task,
  recorded: History,
  signal?: AbortSignal,
): Promise<OneRun | string> {
  const history = source.kind === 'simulated' ? withInitialState(recorded, source.sessions) : recorded;
  const timeMs = limits.seconds * 1000;
  const { predict } = await import('@isolab/predict'); // with weave, which only a check needs otherwise
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  let found: Predictions;
  try {
    found = await predict(history, {
      weaker: level as LevelName,
      stronger: 'serializable',
      boundary: series.variant as Boundary,
      timeMs,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
  const { predictions, covered, gaps, tried, judged } = found;
  const { user, system } = process.cpuUsage(cpu);
  const isFound = predictions.length > 0;
  return {
    verdict: isFound ? 'violated' : gaps.length === 0 ? 'satisfied' : 'unknown',
    reason: isFound || gaps.length === 0 ? null : gaps.includes('time') ? 'timeout' : gaps.join(', '),
    wallMs: Math.round(performance.now() - begin),
    cpuMs: Math.round((user + system) / 1000),
    peakRssBytes: null,
    stages: [],
    counters: {
      'predict.kinds': predictions.length,
      'predict.tried': tried,
      'predict.judged': judged,
      'predict.complete': gaps.length === 0 ? 1 : 0,
      ...(covered !== Infinity && { 'predict.covered': covered }),
    },
    certificate: isFound ? 'verified' : 'not asked',
    history: {
      sessions: new Set(history.txnSession).size,
      transactions: history.txnStatus.length,
      operations: history.opKind.length,
      keys: history.keyInitial.length,
    },
  };
}

/** Replaces the session that loads the rows, which follows the other ones, by the initial values. */
function withInitialState(history: History, sessions: number): History {
  const plain = toPlain(history);
  const loads = (name: unknown): boolean => String(name) === String(sessions);
  const loaded = plain.sessions.find(({ name }) => loads(name));
  if (loaded === undefined) return history;
  const initialOf = new Map(plain.initialOf);
  for (const { operations } of loaded.transactions)
    for (const each of operations) if (each.kind === 'write') initialOf.set(each.key, each.value);
  return fromPlain({
    ...plain,
    sessions: plain.sessions.filter(({ name }) => !loads(name)),
    initialOf: [...initialOf],
  });
}
