/** Reads that a repair may let lock their rows, by program and statement or, without statements, by kind of keys. */
import { type History, countKeys } from '@isolab/history';
import type { Setting } from './execution.ts';
import { NO_SOURCE } from './model.ts';
import { type Statement, type Statements, kindOf } from './programs.ts';

export interface Lockable {
  readonly program: string;
  /** Statement of the read, or its operation. */
  readonly read: string;
  /** Operations of the model. */
  readonly operations: readonly number[];
}

export function lockableReads(
  { model, flow, scanned }: Pick<Setting, 'model' | 'flow' | 'scanned'>,
  whole: History,
  statements: Statements,
  programs: readonly string[],
): Lockable[] {
  const { txnOf, txn, operation, source, key, isWrite } = model;
  const found = new Map<string, { program: string; read: string; operations: number[] }>();
  const rows = countKeys(whole);
  for (let op = 0; op < operation.length; op++) {
    const isRead = isWrite[op] === 0 && source[op] !== NO_SOURCE && key[op] < rows;
    if (!isRead || flow.isUpdate(operation[op]) || scanned.aggregateOf(op) !== undefined) continue;
    const sql = statements.get(whole.txnPosition[txnOf[txn[op]]]);
    const read = sql === undefined ? `r(${kindOf(whole, key[op])})` : statementOf(sql, flow.placeOf(operation[op]));
    if (read === null) continue;
    const program = programs[txn[op]]!;
    const name = JSON.stringify([program, read]);
    const known = found.get(name) ?? { program, read, operations: [] };
    found.set(name, known);
    known.operations.push(op);
  }
  return [...found.values()];
}

/** Returns the statement of an operation by its place in the transaction; null if SQL does not let it lock rows. */
function statementOf(statements: readonly Statement[], place: number): string | null {
  let end = 0;
  const found = statements.find(({ operations }) => (end += operations) > place);
  return found === undefined || UNLOCKABLE.test(found.sql) ? null : found.sql;
}

/** Statements without FOR UPDATE in SQL: those with groups, sets or aggregates. */
const UNLOCKABLE = /\b(group\s+by|distinct|having|union|intersect|except|over)\b|\b(count|sum|avg|min|max)\s*\(/i;
