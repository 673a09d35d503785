import { type Checker, type CheckInput, type LevelName, requirementsAt } from '@isolab/checker';
import {
  HISTORY_SHAPES,
  type HistoryShape,
  checkShape,
  locateOperation,
  locateTransaction,
  nameTransaction,
  showOperation,
} from '@isolab/history';
import { alternatives } from './prepare.ts';

/**
 * Why a checker does not take this history: the shape that it misses and what breaks it first; null if it takes it, at a
 * level, or if none is named at all of its levels.
 */
export function unmetRequirement({ info }: Checker, input: CheckInput, level?: LevelName): string | null {
  if (input.polygraph) return info.polygraphs ? null : `${info.name} takes histories, and this is a polygraph.`;
  for (const required of requirementsAt(info, level)) {
    const broken = alternatives(required).map((shape) => howItBreaks(input, shape));
    if (broken.includes(null)) continue;
    const where = info.requires.includes(required) || level === undefined ? '' : ` at ${level}`;
    if (broken.length === 1) return `${info.name} needs${where} ${broken[0]}.`;
    return `${info.name} needs${where} one of these:\n${broken.map((how) => `  - ${how}`).join('\n')}`;
  }
  return null;
}

/** The shape, what breaks it first and how many others do; null where it holds. */
function howItBreaks({ history, index }: CheckInput, shape: HistoryShape): string | null {
  const { holds, broken, firstOp, firstTxn } = checkShape(history, index, shape);
  if (holds) return null;
  const needed = `${shape} (${HISTORY_SHAPES[shape]})`;
  if (firstTxn < 0) return `${needed}, and the history has nothing of that kind`;
  const noun = shape === 'unique-values' ? 'read' : 'transaction';
  const how = broken === 1 ? `one ${noun} breaks it` : `${broken} ${noun}s break it`;
  const which = nameTransaction(history, firstTxn);
  const place =
    firstOp < 0
      ? `${which} (${locateTransaction(history, firstTxn)})`
      : `${showOperation(history, firstOp)} in ${which} (${locateOperation(history, firstOp)})`;
  return `${needed}; ${how}${broken === 1 ? '' : ', first'}: ${place}`;
}
