import { API_VERSION, type CheckerVerdict, type InputOf, type RunContext, defineChecker } from '@isolab/contract';
import { checkReads } from './loop/check-reads.ts';
import { decideByCases } from './loop/by-cases.ts';
import { checkWithScans } from './loop/strong.ts';
import { checkWeakWithScans } from './loop/weak.ts';
import { STRONG_LEVELS, isStrong } from './problem/model.ts';
import { type Question, STRONG_OPTIONS, STRONG_VARIANTS, type StrongOptions } from './problem/options.ts';
import { TUNING, type Tuning } from './problem/tuning.ts';
import { WEAK_LEVELS } from './theories/weak/weak.ts';

/** isolab’s own checker. */
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
    check: (input, level, options, context) => checkLevel(input, { level, options, tuning }, context),
  });

export const weave = weaveWith(TUNING);

function checkLevel(input: InputOf<'history' | 'scans'>, question: Question, context: RunContext): CheckerVerdict {
  if (input.kind === 'history') return checkReads(input, question, context);
  const check = isStrong(question.level) ? checkWithScans : checkWeakWithScans;
  const verdict = check(input, question, context);
  // Registers are no longer independent if an aggregate reads several of them.
  const isOpen = verdict.status === 'unknown' && verdict.reason === 'incomplete' && question.level !== 'linearizable';
  return (isOpen ? decideByCases(input.withScans, question, context) : null) ?? verdict;
}
