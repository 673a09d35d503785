/**
 * Form of a case: tables, the statements of a few sessions in sending order, and the condition that shows the anomaly.
 */
import type { LevelName } from '@isolab/contract';

export interface Case {
  readonly name: string;
  readonly title: string;
  readonly group: Group;
  /** Actions of the sessions, and the wrong result. */
  readonly what: string;
  /** Weakest levels of isolab that forbid the anomaly. */
  readonly forbiddenBy: readonly LevelName[];
  /** Statements that create and fill the tables, whose names begin with `isolab_`. */
  readonly tables: readonly string[];
  readonly steps: readonly CaseStep[];
  /** Final reads in another session, with the names `final`, `final 2` and so on. */
  readonly final?: readonly string[];
  /** Condition on the reads that shows the anomaly, provided that all transactions ended as in the steps. */
  readonly shown: Condition;
}

export type Group = 'hermitage' | 'applications';

export interface CaseStep {
  readonly session: string;
  readonly kind: 'begin' | 'commit' | 'rollback' | 'statement';
  /** SQL of the statement; empty for BEGIN, which databases spell differently. */
  readonly sql: string;
  /** Name of the returned rows in conditions. */
  readonly read?: string;
}

export type Row = readonly (string | number | null)[];

export type Condition =
  /** The read returned exactly these rows, in any order. */
  | { readonly kind: 'saw'; readonly read: string; readonly rows: readonly Row[] }
  /** The read returned this row, among others. */
  | { readonly kind: 'has'; readonly read: string; readonly row: Row }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  /** The outcome matches none of these, the only outcomes of serial executions. */
  | { readonly kind: 'not-serial'; readonly outcomes: readonly Condition[] }
  /** Reads of one session see a row in a later state and then, or in the same read, a row in an earlier state. */
  | { readonly kind: 'goes-back'; readonly reads: readonly string[]; readonly states: States };

/** Values of the second column in successive states, by the first column of a row. */
export type States = Readonly<Record<string, readonly number[]>>;

export const saw = (read: string, ...rows: readonly Row[]): Condition => ({ kind: 'saw', read, rows });
export const has = (read: string, row: Row): Condition => ({ kind: 'has', read, row });
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of });
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of });
export const notSerial = (...outcomes: readonly Condition[]): Condition => ({ kind: 'not-serial', outcomes });
export const goesBack = (reads: readonly string[], states: States): Condition => ({ kind: 'goes-back', reads, states });

/**
 * Parses steps, one per line: `T1: SELECT n FROM t => name`. A session has one transaction, from BEGIN to COMMIT or
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

/** Returns the names of the tables that the statements create. */
export const tableNames = (tables: readonly string[]): readonly string[] =>
  tables.flatMap((sql) => /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)/i.exec(sql)?.[1] ?? []);

/** Returns the sessions of the steps in order of their numbers. */
export const sessionsOf = (of: readonly CaseStep[]): readonly string[] =>
  [...new Set(of.map(({ session }) => session))].toSorted();
