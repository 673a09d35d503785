/**
 * Form of a case: tables, statements of a few sessions in the order in which they are sent, and the condition that
 * shows the anomaly.
 */
import type { LevelName } from '@isolab/contract';

export interface Case {
  readonly name: string;
  readonly title: string;
  readonly group: Group;
  /** Actions of the sessions, and the wrong result. */
  readonly what: string;
  /** The weakest of isolab's levels that forbid it. */
  readonly forbiddenBy: readonly LevelName[];
  /** Makes the tables, each called `isolab_…`, and fills them. */
  readonly tables: readonly string[];
  readonly steps: readonly CaseStep[];
  /** Reads of another session when all are done: the read `final`, then `final 2` … */
  readonly final?: readonly string[];
  /** Results of reads that show the anomaly, where all transactions have ended as in the steps. */
  readonly shown: Condition;
}

export type Group = 'hermitage' | 'applications';

export interface CaseStep {
  readonly session: string;
  readonly kind: 'begin' | 'commit' | 'rollback' | 'statement';
  /** The statement; empty for BEGIN, which databases spell in their own ways. */
  readonly sql: string;
  /** Name of the returned rows in conditions. */
  readonly read?: string;
}

export type Row = readonly (string | number | null)[];

export type Condition =
  /** The rows are these, in any order. */
  | { readonly kind: 'saw'; readonly read: string; readonly rows: readonly Row[] }
  /** This row is among them. */
  | { readonly kind: 'has'; readonly read: string; readonly row: Row }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  /** The outcome is none of these, the only ones of serial executions. */
  | { readonly kind: 'not-serial'; readonly outcomes: readonly Condition[] }
  /** Reads of one session see a row of a later state, then, or beside it, a row of an earlier one. */
  | { readonly kind: 'goes-back'; readonly reads: readonly string[]; readonly states: States };

/** Values of the second column in one state after the other, by the first column of a row. */
export type States = Readonly<Record<string, readonly number[]>>;

export const saw = (read: string, ...rows: readonly Row[]): Condition => ({ kind: 'saw', read, rows });
export const has = (read: string, row: Row): Condition => ({ kind: 'has', read, row });
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of });
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of });
export const notSerial = (...outcomes: readonly Condition[]): Condition => ({ kind: 'not-serial', outcomes });
export const goesBack = (reads: readonly string[], states: States): Condition => ({ kind: 'goes-back', reads, states });

/**
 * Steps, a line each: `T1: SELECT n FROM t => name`. A session has one transaction, from its BEGIN to its COMMIT or
 * ROLLBACK.
 */
export function steps(text: string): readonly CaseStep[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const read = lines.map((line) => stepOf(line));
  for (const session of sessionsOf(read)) {
    const kinds = read.filter((step) => step.session === session).map(({ kind }) => kind);
    const isEnd = (kind: string): boolean => kind === 'commit' || kind === 'rollback';
    const isWhole =
      kinds.indexOf('begin') === 0 && kinds.lastIndexOf('begin') === 0 && kinds.findIndex(isEnd) === kinds.length - 1;
    if (!isWhole) throw new Error(`${session} must begin with BEGIN and end with COMMIT or ROLLBACK, once each.`);
  }
  return read;
}

function stepOf(line: string): CaseStep {
  const [, session, sql, read] = /^(T\d): (.+?)(?: => (\w+))?$/.exec(line) ?? [];
  if (session === undefined || sql === undefined)
    throw new Error(`A step is ${JSON.stringify(line)}, expected “T1: SQL” or “T1: SQL => name”.`);
  const named = read === undefined ? {} : { read };
  if (sql === 'BEGIN') return { session, kind: 'begin', sql: '' };
  const kind = ({ COMMIT: 'commit', ROLLBACK: 'rollback' } as const)[sql] ?? 'statement';
  return { session, kind, sql, ...named };
}

/** The tables that statements make. */
export const tableNames = (tables: readonly string[]): readonly string[] =>
  tables.flatMap((sql) => /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)/i.exec(sql)?.[1] ?? []);

/** In the order of their numbers. */
export const sessionsOf = (of: readonly CaseStep[]): readonly string[] =>
  [...new Set(of.map(({ session }) => session))].toSorted();
