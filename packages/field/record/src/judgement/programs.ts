import { type Predicate, type Row, rowName } from '@isolab/history';
import { type TransactionLine, transactionsIn } from '../recorded/lines.ts';
import type { Lock, LockMode } from '../sql/locks.ts';
import type { Level } from '../sql/planned.ts';

/** A kind of transaction: the same statements at the same level. */
export interface Program {
  /** The program's name; `P1` is the most frequent program. */
  readonly name: string;
  readonly level: Level;
  /** The program's statements in order; immediate repetitions are listed once. */
  readonly statements: readonly string[];
  readonly count: number;
  /** A selection of the program's transactions. */
  readonly runs: readonly Run[];
}

export interface Run {
  readonly line: number;
  readonly session: string;
  readonly level: Level;
  readonly steps: readonly ProgramStep[];
}

/** The effects of one statement. Rows have names such as `accounts/1`. */
export interface ProgramStep {
  readonly statement: string;
  /** Advisory locks and locks on tables that the transaction holds from the statement on. */
  readonly taken: readonly Lock[];
  /** For each row that was read, whether it existed. */
  readonly reads: ReadonlyMap<string, boolean>;
  /** The values of the rows that were written; null if the row was deleted. */
  readonly writes: ReadonlyMap<string, Row | null>;
  readonly scans: readonly { readonly table: string; readonly where: Predicate }[];
}

export interface Programs {
  readonly programs: readonly Program[];
  /** Number of transactions of programs that were left out because there were too many. */
  readonly leftOut: number;
}

const MOST_PROGRAMS = 500;
const RUNS_OF_EACH = 50;

/** Finds the programs of an application in a recording, ignoring transactions that were rolled back. */
export async function programsIn(path: string): Promise<Programs> {
  const shapes = new Map<number, string>();
  const found = new Map<string, { count: number; readonly runs: { line: TransactionLine; number: number }[] }>();
  let leftOut = 0;
  for await (const [number, line] of transactionsIn(path)) {
    for (const [shape, sql] of line.shapes ?? []) shapes.set(shape, sql);
    if (line.status === 'aborted' || !line.steps?.length) continue;
    const key = JSON.stringify([line.level, inARow(line.steps.map(([shape]) => shape))]);
    const known = found.get(key) ?? { count: 0, runs: [] };
    if (!found.has(key) && found.size === MOST_PROGRAMS) leftOut++;
    else found.set(key, known);
    known.count++;
    if (known.runs.length < RUNS_OF_EACH) known.runs.push({ line, number });
  }
  const frequentFirst = [...found.values()].toSorted((a, b) => b.count - a.count);
  const programs = frequentFirst.map(({ count, runs }, i) => {
    const ran = runs.map(({ line, number }) => runOf(line, number, shapes));
    const statements = inARow(ran[0]!.steps.map(({ statement }) => statement));
    return { name: `P${i + 1}`, level: ran[0]!.level, statements, count, runs: ran };
  });
  return { programs, leftOut };
}

const inARow = <T>(all: readonly T[]): T[] => all.filter((each, i) => each !== all[i - 1]);

function runOf(
  { session, level = 'read committed', ops, steps = [] }: TransactionLine,
  line: number,
  shapes: ReadonlyMap<number, string>,
): Run {
  let at = 0;
  const done = steps.map(([shape, operations, , taken = []]) => {
    const statement = shapes.get(shape) ?? '';
    const step = { ...stepOf(statement, ops.slice(at, at + operations)), taken };
    at += operations;
    return step;
  });
  return { line, session, level, steps: done };
}

function stepOf(statement: string, operations: readonly (readonly unknown[])[]): Omit<ProgramStep, 'taken'> {
  const reads = new Map<string, boolean>();
  const writes = new Map<string, Row | null>();
  const scans: { table: string; where: Predicate }[] = [];
  for (const [kind, table, key, value] of operations as [string, string, unknown, unknown][]) {
    if (kind === 'scan') {
      scans.push({ table, where: key as Predicate });
      for (const [foundKey] of value as [unknown][]) reads.set(nameOf(table, foundKey), true);
    } else if (kind === 'put') writes.set(nameOf(table, key), value as Row | null);
    else reads.set(nameOf(table, key), value !== null);
  }
  return { statement, reads, writes, scans };
}

const nameOf = (table: string, key: unknown): string => rowName(table, typeof key === 'string' ? key : String(key));

const CLAUSE =
  /\b(?:for|lock\s+in)\s+(no\s+key\s+update|update|key\s+share|share)\b(?:\s+of\s+((?:[\w".]+\s*,\s*)*[\w".]+))?/gi;
const MODES: Readonly<Record<string, LockMode>> = { 'key share': 1, share: 2, 'no key update': 3, update: 4 };

/** Returns whether a SELECT locks the rows that it returns. */
export const isLocking = (sql: string): boolean => sql.search(CLAUSE) >= 0;

/** Returns the strongest lock that a SELECT takes on its rows of a table; null if it takes none. */
export function lockIn(sql: string, table: string): LockMode | null {
  let strongest: LockMode | null = null;
  for (const [, words, of] of sql.matchAll(CLAUSE)) {
    const mode = MODES[words!.toLowerCase().replaceAll(/\s+/g, ' ')]!;
    if ((strongest ?? 0) < mode && (of === undefined || namesTable(of, sql, table))) strongest = mode;
  }
  return strongest;
}

const escaped = (name: string): string => name.replaceAll(/\W/g, String.raw`\$&`);

/** Returns whether the names behind OF include a table, or its alias. */
function namesTable(of: string, sql: string, table: string): boolean {
  const plain = table.split('.').at(-1)!;
  return of.split(',').some((given) => {
    const name = given.trim().replaceAll('"', '');
    return name === plain || new RegExp(`\\b${escaped(plain)}"?\\s+(as\\s+)?"?${escaped(name)}\\b`, 'i').test(sql);
  });
}
