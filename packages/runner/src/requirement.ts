import { type Checker, type CheckInput, type LevelName, requirementsAt } from '@isolab/contract';
import {
  HISTORY_SHAPES,
  type History,
  type HistoryShape,
  type ReadFromIndex,
  type ShapeReport,
  checkShape,
  findInitialTransaction,
  locateOperation,
  locateTransaction,
  nameTransaction,
  showOperation,
  valueRead,
} from '@isolab/history';

/**
 * Why a checker does not take this history: the shape that it misses and what breaks it first; null if it takes it, at a
 * level, or if none is named at all of its levels.
 */
export function unmetRequirement({ info }: Checker, input: CheckInput, level?: LevelName): string | null {
  if (input.polygraph) return info.polygraphs ? null : `${info.name} checks histories, and this file is a polygraph.`;
  for (const required of requirementsAt(info, level)) {
    if (alternatives(required).some((shape) => shapeOf(input, shape).holds)) continue;
    const broken = alternatives(required).map((shape) => howItBreaks(input, shape));
    const where = info.requires.includes(required) || level === undefined ? '' : ` at ${level}`;
    if (broken.length === 1) return `${info.name} needs${where} ${broken[0]}.`;
    return `${info.name} needs${where} one of these:\n${broken.map((how) => `  - ${how}`).join('\n')}`;
  }
  return null;
}

export const alternatives = (required: HistoryShape | readonly HistoryShape[]): readonly HistoryShape[] =>
  typeof required === 'string' ? [required] : required;

/** Whether a history has a shape; found out once, although every level and every checker asks. */
export function shapeOf({ history, index }: CheckInput, shape: HistoryShape): ShapeReport {
  let reports = known.get(index);
  if (!reports) known.set(index, (reports = new Map()));
  let report = reports.get(shape);
  if (!report) reports.set(shape, (report = checkShape(history, index, shape)));
  return report;
}

const known = new WeakMap<ReadFromIndex, Map<HistoryShape, ShapeReport>>();

/** The shape that does not hold, what breaks it first and how many others do. */
function howItBreaks(input: CheckInput, shape: HistoryShape): string {
  const { history } = input;
  const { broken, firstOp, firstTxn } = shapeOf(input, shape);
  const needed = `${shape} (${HISTORY_SHAPES[shape]})`;
  if (firstTxn < 0) return `${needed}, and the history has none`;
  const noun = shape === 'unique-values' ? 'read' : 'transaction';
  const how = broken === 1 ? `one ${noun} breaks it` : `${broken} ${noun}s break it`;
  const which = nameTransaction(history, firstTxn);
  const place =
    firstOp < 0
      ? `${which} (${locateTransaction(history, firstTxn)})`
      : `${showOperation(history, firstOp)} in ${which} (${locateOperation(history, firstOp)})`;
  const hint = firstOp >= 0 && shape === 'unique-values' ? initialTransactionHint(history, firstOp) : '';
  return `${needed}; ${how}${broken === 1 ? '' : ', first'}: ${place}${hint}`;
}

/** Files that hold their initial transaction among the others look like files that write initial values again. */
function initialTransactionHint(history: History, read: number): string {
  const t = findInitialTransaction(history);
  if (t === null || valueRead(history, read) !== history.keyInitial[history.opKey[read]]) return '';
  return `; if ${nameTransaction(history, t)} is the initial transaction of the file, pass --initial-transaction first`;
}
