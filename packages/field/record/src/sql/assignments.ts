import { WRITER_COLUMN } from './row-text.ts';

const COMMENTS = /^\s*((--[^\n]*(\n|$)|\/\*.*?\*\/)\s*)*/s;

export const beforeWhere = (sql: string): string => sql.replace(COMMENTS, '').split(/\bwhere\b/i)[0]!;

/** For each column that an UPDATE assigns, whether it computes the new value from the column's old value. */
export function assignmentsOf(sql: string): ReadonlyMap<string, boolean> {
  const [, list = ''] = /^update\b.*?\bset\b(.*?)(?:\bfrom\b|\breturning\b|$)/is.exec(beforeWhere(sql)) ?? [];
  const assigned = new Map<string, boolean>();
  for (const [, , column, value] of `${list},`.matchAll(ASSIGNMENT))
    assigned.set(column!, new RegExp(`(?<![\\w$])${column!}(?![\\w$])`, 'i').test(value!));
  return assigned;
}

/** A column and its value, which ends at a comma outside of parentheses. */
const ASSIGNMENT = /(["`]?)([\w$]+)\1\s*=\s*((?:[^,()]|\((?:[^()]|\([^()]*\))*\))*),/g;

/** Returns whether an UPDATE computes a column from its old value. */
export const computes = (sql: string): boolean => [...assignmentsOf(sql).values()].includes(true);

/**
 * Returns whether an UPDATE overwrites a change without regard to it: it assigns a changed column a value that it does
 * not compute from the old value. A DELETE, and an UPDATE of an unknown change, do so unless the UPDATE computes.
 */
export function overwrites(sql: string, before: unknown, after: unknown): boolean {
  const assigned = assignmentsOf(sql);
  if (assigned.size === 0) return true;
  const changed = changedColumns(before, after);
  if (changed.length === 0) return ![...assigned.values()].includes(true);
  return changed.some((column) => assigned.get(column) === false);
}

/** The columns in which two versions of a row differ, without the recorder's own columns. */
export function changedColumns(before: unknown, after: unknown): string[] {
  const [a, b] = [(before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>];
  return Object.keys({ ...a, ...b }).filter((column) => column !== WRITER_COLUMN && a[column] !== b[column]);
}
