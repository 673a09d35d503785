import type { CheckerVerdict, IndexedHistory, RunContext } from '@isolab/contract';
import type { Question } from '../problem/options.ts';
import { Forgotten, findAll } from '../proof/find-all.ts';
import { concluded, outcomeOf } from '../proof/numbers.ts';
import { checkLinearizable } from '../strategy/linearizable.ts';
import { checkStrongLevel } from '../strategy/strong.ts';
import { WEAK_LEVELS, checkWeakLevel } from '../theories/weak/weak.ts';

/** Decides any level of a history of reads and writes. */
export function checkReads(input: IndexedHistory, question: Question, context: RunContext): CheckerVerdict {
  const { level, tuning } = question;
  if (WEAK_LEVELS.includes(level)) return checkWeakLevel(input, level, tuning, context);
  const check = level === 'linearizable' ? checkLinearizable : checkStrongLevel;
  if (!context.findAll) return check(input, question, context);
  const { history } = input;
  const registers = { history, items: [], opOf: Int32Array.from(history.opKind.keys()) };
  const forgotten = new Forgotten();
  const outcomes = findAll(
    context,
    tuning,
    (inner) => outcomeOf(check(forgotten.isEmpty ? input : forgotten.without(registers), question, inner), registers),
    (found) => forgotten.add(found),
  );
  return concluded(outcomes, context.certify, null);
}
