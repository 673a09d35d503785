import {
  API_VERSION,
  type CheckInput,
  type LevelName,
  type RunContext,
  type Verdict,
  defineChecker,
  implies,
} from '@isolab/contract';
import { findAllContradictions } from './certificate/find-all.ts';
import { contradictedClaims } from './guess/contradicted-claims.ts';
import { checkLinearizable } from './linearizable/linearizable.ts';
import { STRONG_LEVELS, modelOf } from './model.ts';
import { STRONG_OPTIONS, STRONG_VARIANTS, type StrongOptions } from './options.ts';
import { asWeak, certifying, checkWithAllReads } from './scans.ts';
import type { Check } from './search-with-scans.ts';
import { type ReadCommitted, asStatements } from './statements.ts';
import { checkStrongLevel } from './strong.ts';
import { TUNING, type Tuning } from './tuning.ts';
import { WEAK_LEVELS, checkWeakLevel } from './weak/weak.ts';
import { checkWithScans, findAllWithScans } from './with-scans.ts';

/** isolab’s own checker. The weak levels are decided in weak/weak.ts, the strong ones in strategy/strategy.ts. */
export const weaveWith = (tuning: Tuning) =>
  defineChecker<StrongOptions>({
    info: {
      name: 'weave',
      title: 'isolab’s own checker',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: [...WEAK_LEVELS, ...STRONG_LEVELS, 'linearizable'],
      sound: true,
      complete: true,
      scans: true,
      requires: [
        ['registers', 'list-append'],
        ['unique-values', 'registers'],
      ],
      requiresAt: {
        ...Object.fromEntries(WEAK_LEVELS.map((level) => [level, ['registers']])),
        'cut-isolation': ['registers', 'no-unknown'],
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
  input: CheckInput,
  level: LevelName,
  options: StrongOptions,
  tuning: Tuning,
  context: RunContext,
): Verdict {
  const { withScans } = input;
  if (withScans === undefined) return checkReads(input, level, options, tuning, context);
  const checkAt =
    (strong: LevelName): Check =>
    (part, inner, guess, audience) =>
      checkStrongLevel(part, strong, options, tuning, inner, guess, audience);
  const checkStrong = (strong: LevelName, within: RunContext): Verdict =>
    checkWithScans(input, withScans, { model: modelOf(strong)!, tuning }, within, checkAt(strong));
  const model = modelOf(level);
  if (model !== null)
    return context.findAll
      ? findAllWithScans(input, withScans, { model, tuning }, context, checkAt(level))
      : checkStrong(level, context);
  const checkAll = (all: CheckInput): Verdict => checkReads(all, level, options, tuning, context);
  const prefixSuffices = !context.findAll && level !== 'cut-isolation' && implies('prefix', level);
  return (
    (prefixSuffices ? asWeak(withScans, checkStrong('prefix', certifying(context)), context) : null) ??
    (prefixSuffices && isReadCommitted(level) ? asStatements(withScans, level, context, checkAt('prefix')) : null) ??
    checkWithAllReads(withScans, checkAll)
  );
}

const isReadCommitted = (level: LevelName): level is ReadCommitted => level.startsWith('read-committed');

function checkReads(
  input: CheckInput,
  level: LevelName,
  options: StrongOptions,
  tuning: Tuning,
  context: RunContext,
): Verdict {
  if (WEAK_LEVELS.includes(level)) return checkWeakLevel(input, level, tuning, context);
  const check = (part: CheckInput, inner: RunContext): Verdict =>
    level === 'linearizable'
      ? checkLinearizable(part, options, tuning, inner)
      : checkStrongLevel(part, level, options, tuning, inner);
  return context.findAll ? findAllContradictions(input, context, check) : check(input, context);
}
