/**
 * Templates of recorded programs, for the criterion of robust allocations. Rows become variables. A read reads all
 * columns of its row, and a write writes the columns that it changed, or all columns if the older version is unknown.
 */
import { type History, atomOf, countKeys, rowOfText } from '@isolab/history';
import type { Setting } from './execution.ts';
import { type Model, NO_SOURCE } from './model.ts';
import { kindOf } from './programs.ts';
import type { Template, TemplateOperation } from './robust.ts';

/** Returns the distinct templates of the programs; null if one of them reads by a condition, or if there are too many. */
export function templatesOf(
  { model, flow, scanned, leftOut }: Pick<Setting, 'model' | 'flow' | 'scanned' | 'leftOut'>,
  whole: History,
  programs: readonly string[],
): Template[] | null {
  if (leftOut.length > 0) return null;
  const rows = countKeys(whole);
  const found = new Map<string, Template>();
  for (const [t, program] of programs.entries()) {
    const operations: TemplateOperation[] = [];
    const versions = new Map<number, string>();
    for (let op = model.start[t]; op < model.start[t + 1]; op++) {
      const key = model.key[op];
      if (key >= rows || scanned.aggregateOf(op) !== undefined) return null;
      const text = textOf(model, op);
      const own = versions.get(key);
      versions.set(key, text);
      const last = operations.at(-1);
      const variable = String([...versions.keys()].indexOf(key));
      const table = whole.scans.keyTable[key];
      const relation = table >= 0 ? whole.scans.tables[table]! : kindOf(whole, key);
      if (model.isWrite[op] === 0) {
        if (model.source[op] !== NO_SOURCE) operations.push({ relation, variable, reads: columnsOf(text), writes: [] });
        continue;
      }
      const writes = changed(own, text);
      const isUpdate = last?.variable === variable && last.writes.length === 0 && isOne(model, flow, op);
      if (isUpdate) operations[operations.length - 1] = { ...last, writes };
      else operations.push({ relation, variable, reads: [], writes });
    }
    found.set(JSON.stringify([program, operations]), { program, operations });
    if (found.size > MOST_TEMPLATES || operations.length > MOST_OPERATIONS) return null;
  }
  return [...found.values()];
}

const MOST_TEMPLATES = 60;
const MOST_OPERATIONS = 60;

/** Returns whether a write and the operation before it are one operation, or of one statement that writes. */
const isOne = ({ operation, txn }: Model, flow: Setting['flow'], op: number): boolean =>
  txn[op - 1] === txn[op] &&
  (flow.areOne(operation[op - 1], operation[op]) ||
    (flow.isUpdate(operation[op - 1]) && !flow.isLocking(operation[op - 1])));

const textOf = ({ history, value }: Model, op: number): string => {
  const atom = atomOf(history.values, value[op]);
  return typeof atom === 'string' ? atom : String(atom);
};

/** Column for the existence of a row, and for values that are not rows. */
const ROW = '*';

const columnsOf = (text: string): string[] => [ROW, ...Object.keys(rowIn(text))];

function changed(before: string | undefined, after: string): string[] {
  const row = rowIn(after);
  const old = before === undefined ? {} : rowIn(before);
  const names = [...new Set([...Object.keys(row), ...Object.keys(old)])];
  const isUpdate = Object.keys(row).length > 0 && Object.keys(old).length > 0;
  const differing = names.filter((name) => String(row[name]) !== String(old[name]));
  return isUpdate ? differing : [ROW, ...names];
}

function rowIn(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  try {
    return rowOfText(text);
  } catch {
    return {};
  }
}
