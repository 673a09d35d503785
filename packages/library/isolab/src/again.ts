/** Runs the checker of a result again, on parts of the history. */
import type { Budget } from '@isolab/contract';
import type { Judgement } from '@isolab/explain';
import type { History } from '@isolab/history';
import { type ChosenChecker, type Report, internalOnly, prepare, run as runChecker } from '@isolab/runner';
import { type EngineOptions, type LimitOptions, budgetOf, engineAsked } from './check.ts';
import { type Patience, patienceOf } from './patience.ts';
import type { CheckResult } from './result.ts';
import { simplestOf } from './simplest.ts';

/** A checker that `check` received as an object must be passed again. */
export type AgainOptions = Pick<EngineOptions, 'checker'> &
  Pick<LimitOptions, 'timeMs' | 'memoryBytes' | 'steps' | 'signal'>;

/** Returns the checker of one of a result's runs. */
export async function engineOf(
  run: Report,
  { options }: CheckResult,
  { checker }: AgainOptions,
): Promise<ChosenChecker> {
  if (checker === undefined && run.isPlugin && run.plugin === null)
    throw new TypeError(`The checker ${run.checker} was passed as an object; pass it again as the option checker.`);
  if (run.checker === 'internal' && checker === undefined) return { checker: internalOnly() };
  const named = await engineAsked({ checker: checker ?? run.plugin ?? run.checker });
  return { ...named!, ...(run.variant !== null && { variant: run.variant }), options };
}

/** Time that remains for further runs, if a limit was given for all of them. */
export const patienceAfter = (
  { wallMs }: Report,
  { checker }: ChosenChecker,
  options: AgainOptions,
  budget: Budget = budgetOf(options),
): Patience =>
  patienceOf({
    budget,
    spentMs: options.timeMs === undefined ? 0 : wallMs,
    lastMs: wallMs,
    signal: options.signal,
    canMove: checker.url !== null,
  });

/** Checks a part of a history. The rest may satisfy the level vacuously. */
export const checkPart = (
  engine: ChosenChecker,
  level: Report['level'],
  part: History,
  patience: Patience,
  findAll = false,
): Promise<Report> =>
  patience.run((options) =>
    runChecker(
      { ...engine, prepared: prepare(part), level },
      { ...options, certify: true, findAll, allowVacuous: true, allowCutOff: true },
    ),
  );

export function judgementOf({ verdict }: Report): Judgement {
  if (verdict.status === 'violated') return simplestOf(verdict.anomalies);
  return verdict.status === 'unknown' ? 'unknown' : null;
}
