import {
  API_VERSION,
  type CheckerVerdict,
  type IndexedHistory,
  type InputOf,
  type LevelName,
  type RunContext,
  defineChecker,
} from '@isolab/contract';
import type { CheckReads } from './theories/aggregates/cases.ts';
import { decideByRows } from './theories/aggregates/decide.ts';
import { Forgotten, findAll } from './proof/find-all.ts';
import { type Outcome, concluded, outcomeOf } from './proof/numbers.ts';
import { contradictedClaims } from './hints/contradicted-claims.ts';
import { checkLinearizable } from './strategy/linearizable.ts';
import { type Model, STRONG_LEVELS, modelOf } from './problem/model.ts';
import { STRONG_OPTIONS, STRONG_VARIANTS, type StrongOptions } from './problem/options.ts';
import { type Check, type How, checkWithScans } from './loop/strong.ts';
import { checkWeakWithScans } from './loop/weak.ts';
import { checkStrongLevel } from './strategy/strong.ts';
import { TUNING, type Tuning } from './problem/tuning.ts';
import { WEAK_LEVELS, checkWeakLevel } from './theories/weak/weak.ts';

/** isolab’s own checker. The weak levels are decided in weak/weak.ts, the strong levels in strategy/strategy.ts. */
export const weaveWith = (tuning: Tuning) =>
  defineChecker<StrongOptions, 'history' | 'scans'>({
    info: {
      name: 'weave',
      title: 'isolab’s own checker',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: [...WEAK_LEVELS, ...STRONG_LEVELS, 'linearizable'],
      sound: true,
      complete: true,
      accepts: ['history', 'scans'],
      requires: ['registers-and-lists', ['unique-values', 'registers']],
      requiresAt: {
        ...Object.fromEntries(WEAK_LEVELS.map((level) => [level, ['registers']])),
        linearizable: ['single-keys'],
      },
      options: STRONG_OPTIONS,
      variants: STRONG_VARIANTS,
    },
    check(input, level, options, context) {
      const verdict = checkLevel(input, level, options, tuning, context);
      if (options.claims !== 'check' || verdict.status === 'unknown') return verdict;
      const fromSnapshots = modelOf(level)?.split === true;
      const warnings = contradictedClaims(input, { fromSnapshots, findAll: context.findAll });
      context.count('claims-contradicted', warnings.length);
      return warnings.length === 0 ? verdict : { ...verdict, warnings };
    },
  });

export const weave = weaveWith(TUNING);

function checkLevel(
  input: InputOf<'history' | 'scans'>,
  level: LevelName,
  options: StrongOptions,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  const checkAt =
    (strong: LevelName): Check =>
    (part, inner, guess, audience) =>
      checkStrongLevel(part, strong, options, tuning, inner, guess, audience);
  const checkReads: CheckReads = (part, inner) => {
    if (WEAK_LEVELS.includes(level)) return checkWeakLevel(part, level, tuning, inner);
    const check: CheckReads = (one, its) =>
      level === 'linearizable'
        ? checkLinearizable(one, options, tuning, its)
        : checkStrongLevel(one, level, options, tuning, its);
    return inner.findAll ? allContradictions(part, tuning, inner, check) : check(part, inner);
  };
  if (input.kind === 'history') return checkReads(input, context);
  const { withScans } = input;
  const how = (strong: LevelName, model: Model): How => ({ model, tuning, check: checkAt(strong) });
  const model = modelOf(level);
  const verdict =
    model === null
      ? checkWeakWithScans(input, withScans, level, how('prefix', modelOf('prefix')!), context, (all) =>
          checkReads(all, context),
        )
      : checkWithScans(input, withScans, how(level, model), context);
  // Registers are no longer independent if an aggregate reads several of them.
  if (verdict.status !== 'unknown' || verdict.reason !== 'incomplete' || level === 'linearizable') return verdict;
  const check: CheckReads = (all, inner) =>
    model === null
      ? checkReads(all, inner)
      : checkAt(level)(all, inner, null, all.history.opKind.length <= tuning.shortHistory ? 'people' : 'search');
  return decideByRows(withScans, level, check, model !== null, tuning, context) ?? verdict;
}

function allContradictions(
  input: IndexedHistory,
  tuning: Tuning,
  context: RunContext,
  check: CheckReads,
): CheckerVerdict {
  const { history } = input;
  const registers = { history, items: [], opOf: Int32Array.from(history.opKind.keys()) };
  const forgotten = new Forgotten();
  const search = (inner: RunContext): Outcome =>
    outcomeOf(check(forgotten.isEmpty ? input : forgotten.without(registers), inner), registers);
  const outcomes = findAll(context, tuning, search, (found) => forgotten.add(found));
  return concluded(outcomes, context.certify, null);
}
