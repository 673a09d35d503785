/**
 * Programs in the statements of a log, and their dangers. Rows are unknown: rows of one table are the same if the
 * statements of a transaction compare columns with the same values. Each program runs on one row and on another one, so
 * a danger shows only that the programs could conflict.
 */
import { rowName } from '@isolab/history';
import { type Danger, dangersOf } from '../judgement/dangers.ts';
import type { Program, ProgramStep, Run } from '../judgement/programs.ts';
import type { Level } from '../sql/planned.ts';
import { type Parser, loadParser } from '../sql/parser.ts';
import { oneLine } from '../sql/origin.ts';
import { type Node, everyNode, list, nameParts, text, the } from '../sql/tree.ts';
import type { LoggedStatement } from './logs.ts';

export interface LoggedDangers {
  readonly programs: readonly Program[];
  readonly dangers: readonly Danger[];
  /** Number of statements that the parser cannot read, with the line of the first one. */
  readonly unread: { readonly count: number; readonly firstLine: number | null };
}

export async function dangersInLog(statements: readonly LoggedStatement[], level: Level): Promise<LoggedDangers> {
  const parser = await loadParser();
  const transactions = new Transactions(parser);
  for (const statement of statements) transactions.add(statement);
  const { programs, unread } = transactions.result(level);
  return { programs, dangers: dangersOf(programs, new Map()), unread };
}

interface Step {
  readonly shape: string;
  readonly statement: Node;
  readonly parameters: readonly string[];
}

/** Most programs are found early; a log has many transactions of each. */
const MOST_PROGRAMS = 500;

class Transactions {
  readonly #parser: Parser;
  /** Steps of the open transaction of each session. */
  readonly #open = new Map<string, Step[]>();
  /** Sessions without autocommit: their statements begin a transaction. */
  readonly #isManual = new Set<string>();
  readonly #found = new Map<string, { readonly steps: readonly Step[]; count: number }>();
  #unread = 0;
  #firstLine: number | null = null;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** Adds a text, which may have several statements. */
  add(logged: LoggedStatement): void {
    const { sql } = logged;
    const parts = this.#parser.split(sql) ?? this.#parser.split(inStandardSyntax(sql)) ?? [sql];
    for (const each of parts) this.#add({ ...logged, sql: each });
  }

  #add({ session, sql, parameters, line }: LoggedStatement): void {
    const statement = this.#parser.parse(sql)?.statement;
    const control = the('TransactionStmt', statement);
    const autocommit = AUTOCOMMIT.exec(sql)?.[1]!.toLowerCase();
    if (autocommit !== undefined) this.#setAutocommit(session, !OFF.includes(autocommit));
    else if (control !== null) this.#control(session, text(control['kind']), 'chain' in control);
    else if (statement === undefined) {
      if (HARMLESS.test(sql)) return;
      this.#unread++;
      this.#firstLine ??= line;
    } else if (KINDS.some((kind) => kind in statement)) {
      const shape = oneLine(this.#parser.normalize(sql)).replace(/;$/, '');
      const step = { shape, statement, parameters };
      const open = this.#open.get(session);
      if (open !== undefined) open.push(step);
      else if (this.#isManual.has(session)) this.#open.set(session, [step]);
      else this.#end([step]);
    }
  }

  #setAutocommit(session: string, isOn: boolean): void {
    if (!isOn) this.#isManual.add(session);
    else if (this.#isManual.delete(session)) this.#control(session, 'TRANS_STMT_COMMIT', false);
  }

  #control(session: string, kind: string, isChained: boolean): void {
    if (kind === 'TRANS_STMT_BEGIN' || kind === 'TRANS_STMT_START') this.#open.set(session, []);
    if (kind !== 'TRANS_STMT_COMMIT' && kind !== 'TRANS_STMT_ROLLBACK') return;
    if (kind === 'TRANS_STMT_COMMIT') this.#end(this.#open.get(session) ?? []);
    this.#open.delete(session);
    if (isChained) this.#open.set(session, []);
  }

  #end(steps: readonly Step[]): void {
    if (steps.length === 0) return;
    const key = JSON.stringify(steps.map(({ shape }) => shape));
    const known = this.#found.get(key);
    if (known !== undefined) known.count++;
    else if (this.#found.size < MOST_PROGRAMS) this.#found.set(key, { steps, count: 1 });
  }

  result(level: Level): Pick<LoggedDangers, 'programs' | 'unread'> {
    const frequentFirst = [...this.#found.values()].toSorted((a, b) => b.count - a.count);
    const programs = frequentFirst.map(({ steps, count }, i): Program => {
      const shapes = steps.map(({ shape }) => shape);
      const statements = shapes.filter((shape, at) => shape !== shapes[at - 1]);
      return { name: `P${i + 1}`, level, statements, count, runs: [0, 1].map((first) => runOf(steps, level, first)) };
    });
    return { programs, unread: { count: this.#unread, firstLine: this.#firstLine } };
  }
}

const AUTOCOMMIT = /^\s*set\b.*\bautocommit\s*:?=\s*'?(\w+)/is;
const OFF: readonly string[] = ['0', 'off', 'false'];
/** Statements that access no rows, in the words of MySQL. */
const HARMLESS = /^\s*(?:set|show|use)\b|^\s*select\s+@@[\w.]+(?:\s+limit\s+1)?\s*;?\s*$/i;

const KINDS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

/** Replaces the quotes of names and texts and the placeholders of MySQL by those of the standard. */
function inStandardSyntax(sql: string): string {
  let parameters = 0;
  return sql.replaceAll(/'(?:[^'\\]|''|\\.)*'|`([^`]*)`|\?/gs, (part, name: string | undefined) => {
    if (name !== undefined) return `"${name}"`;
    return part === '?' ? `$${++parameters}` : part.replaceAll(/\\(.)/gs, (_, each) => (each === "'" ? "''" : each));
  });
}

/** Returns a run in which the first rows of all tables have a number. */
function runOf(steps: readonly Step[], level: Level, first: number): Run {
  const numbers = new Map<string, string[]>();
  const rowOf = (table: string, values: string): string => {
    const known = numbers.get(table) ?? [];
    numbers.set(table, known);
    if (!known.includes(values)) known.push(values);
    return rowName(table, String((known.indexOf(values) + first) % Math.max(2, known.length)));
  };
  return { line: 0, session: '', level, steps: steps.map((step, at) => stepOf(step, rowOf, `${first} ${at}`)) };
}

function stepOf(
  { shape, statement, parameters }: Step,
  rowOf: (table: string, values: string) => string,
  number: string,
): ProgramStep {
  const [insert, update, remove] = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'].map((kind) => the(kind, statement));
  const target = (insert ?? update ?? remove)?.['relation'] as Node | undefined;
  const table = tableOf(target);
  const reads = new Map<string, boolean>();
  const writes = new Map<string, Readonly<Record<string, never>> | null>();
  if (insert && insert['onConflictClause'] === undefined) writes.set(rowName(table, `new ${number}`), {});
  else if (target !== undefined) {
    const row = rowOf(table, equalitiesIn(update ?? remove ?? {}, parameters));
    reads.set(row, true);
    writes.set(row, remove ? null : {});
  }
  const others = [...new Set(Array.from(everyNode(statement, 'RangeVar'), tableOf))];
  const values = equalitiesIn(the('SelectStmt', statement) ?? {}, parameters);
  const isOfRow = others.length === 1 && values !== '' && 'SelectStmt' in statement;
  if (isOfRow) reads.set(rowOf(others[0]!, values), true);
  const scans = isOfRow ? [] : others.map((each) => ({ table: each, where: true as const }));
  return { statement: shape, reads, writes, scans, taken: [] };
}

const tableOf = (range: Node | undefined): string =>
  [text(range?.['schemaname']), text(range?.['relname'])].filter((part) => part !== '').join('.');

/** Returns the comparisons of columns with values in a condition, as a text. */
function equalitiesIn({ whereClause }: Node, parameters: readonly string[]): string {
  const found: string[] = [];
  for (const comparison of everyNode({ whereClause }, 'A_Expr')) {
    const sides = [comparison['lexpr'], comparison['rexpr']];
    const column = sides.map((side) => the('ColumnRef', side)).find((each) => each !== null);
    const given = sides.map((side) => the('ParamRef', side)).find((each) => each !== null);
    const constant = sides.map((side) => the('A_Const', side)).find((each) => each !== null);
    if (nameParts(comparison['name']).join() !== '=' || !column || !(given ?? constant)) continue;
    const number = Number(given?.['number'] ?? 0);
    const value = given ? (parameters[number - 1] ?? `$${number}`) : JSON.stringify({ ...constant, location: 0 });
    found.push(`${nameParts(list(column['fields'])).at(-1)} ${value.replaceAll(/^'|'$/g, '')}`);
  }
  return found.toSorted().join();
}
