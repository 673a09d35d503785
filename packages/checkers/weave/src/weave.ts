import {
  API_VERSION,
  type CheckerVerdict,
  type IndexedHistory,
  type InputOf,
  type LevelName,
  type RunContext,
  defineChecker,
  implies,
} from '@isolab/contract';
import { type History, passesOverMore } from '@isolab/history';
import type { CheckReads } from './theories/aggregates/cases.ts';
import { decideByRows } from './theories/aggregates/decide.ts';
import { Forgotten, findAll } from './proof/find-all.ts';
import { type Outcome, concluded, outcomeOf } from './proof/numbers.ts';
import { contradictedClaims } from './hints/contradicted-claims.ts';
import { checkLinearizable } from './strategy/linearizable.ts';
import { STRONG_LEVELS, modelOf } from './problem/model.ts';
import { STRONG_OPTIONS, STRONG_VARIANTS, type StrongOptions } from './problem/options.ts';
import { certifying } from './problem/contexts.ts';
import { asWeak, checkWithAllReads } from './theories/rows/scans.ts';
import { type Check, SearchWithScans, checkWithScans } from './loop/strong.ts';
import { type ReadCommitted, asStatements, asStatementsInRealTime } from './loop/statements.ts';
import { checkCutIsolationWithScans, checkWeakWithScans } from './loop/weak.ts';
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
  if (input.kind === 'history') return checkReads(input, level, options, tuning, context);
  const { withScans } = input;
  const checkAt =
    (strong: LevelName): Check =>
    (part, inner, guess, audience) =>
      checkStrongLevel(part, strong, options, tuning, inner, guess, audience);
  const model = modelOf(level);
  const verdict =
    model !== null
      ? checkWithScans(input, withScans, { model, tuning, check: checkAt(level) }, context)
      : checkWeak(input, withScans, level, options, tuning, context);
  // Registers are no longer independent if an aggregate reads several of them.
  if (verdict.status !== 'unknown' || verdict.reason !== 'incomplete' || level === 'linearizable') return verdict;
  const check: CheckReads = (all, inner) =>
    model === null
      ? checkReads(all, level, options, tuning, inner)
      : checkStrongLevel(
          all,
          level,
          options,
          tuning,
          inner,
          null,
          all.history.opKind.length <= tuning.shortHistory ? 'people' : 'search',
        );
  return decideByRows(withScans, level, check, model !== null, tuning, context) ?? verdict;
}

function checkWeak(
  input: IndexedHistory,
  withScans: History,
  level: LevelName,
  options: StrongOptions,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  const checkPrefix: Check = (part, inner, guess, audience) =>
    checkStrongLevel(part, 'prefix', options, tuning, inner, guess, audience);
  const checkAll = (): CheckerVerdict =>
    checkWithAllReads(withScans, level, (all) => checkReads(all, level, options, tuning, context));
  if (level === 'cut-isolation') return checkCutIsolationWithScans(withScans, tuning, context) ?? checkAll();
  const findsAll = context.findAll && !passesOverMore(withScans, tuning.mostSources); // otherwise it would take too much memory
  if (findsAll || !implies('prefix', level)) return checkAll();
  const search = new SearchWithScans(input, withScans, { model: modelOf('prefix')!, tuning, check: checkPrefix });
  const inner = certifying(context);
  return (
    asWeak(withScans, search.inRealTime(inner), tuning, context) ??
    (isReadCommitted(level) ? asStatementsInRealTime(withScans, level, tuning, context) : null) ??
    asWeak(withScans, search.roundByRound(inner), tuning, context) ??
    (isReadCommitted(level) ? asStatements(withScans, level, tuning, context, checkPrefix) : null) ??
    checkWeakWithScans(withScans, level, tuning, context) ??
    checkAll()
  );
}

const isReadCommitted = (level: LevelName): level is ReadCommitted => level.startsWith('read-committed');

function checkReads(
  input: IndexedHistory,
  level: LevelName,
  options: StrongOptions,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  if (WEAK_LEVELS.includes(level)) return checkWeakLevel(input, level, tuning, context);
  const check = (part: IndexedHistory, inner: RunContext): CheckerVerdict =>
    level === 'linearizable'
      ? checkLinearizable(part, options, tuning, inner)
      : checkStrongLevel(part, level, options, tuning, inner);
  if (!context.findAll) return check(input, context);
  const { history } = input;
  const registers = { history, items: [], opOf: Int32Array.from(history.opKind.keys()) };
  const forgotten = new Forgotten();
  const search = (inner: RunContext): Outcome =>
    outcomeOf(check(forgotten.isEmpty ? input : forgotten.without(registers), inner), registers);
  const outcomes = findAll(context, tuning, search, (found) => forgotten.add(found));
  return concluded(outcomes, context.certify, null);
}
