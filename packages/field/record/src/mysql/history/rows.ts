import type { Change, Entry, LoggedStatement, RowImage } from '../binlog/events.ts';
import { type Table, nameOf } from '../binlog/table.ts';
import type { Redaction } from '../../recorded/redaction.ts';
import { type Definition, definitionOf } from '../binlog/definitions.ts';

/** A transaction of the log. */
export interface Writer {
  /** Its place among all transactions of the log, from 1. */
  readonly number: number;
  /** Its place in the order of commits. */
  readonly place: number;
  readonly serverId: number;
  readonly statements: readonly (Omit<LoggedStatement, 'changes'> & { readonly writes: readonly Version[] })[];
  /** The earliest and the latest possible time of the commit. */
  earliest: bigint;
  latest: bigint;
}

/** A version of a row; its values are null if the row is deleted. */
export interface Version {
  readonly row: RowHistory;
  readonly table: Table;
  readonly values: RowImage | null;
  /** Null for a version that is older than the recording. */
  readonly writer: Writer | null;
  /** The number that distinguishes versions; versions of equal values may share one. */
  mark: number;
  /** Number of times that the row had been inserted again, in place of a deleted row. */
  readonly incarnation: number;
  /** Whether other transactions can see the version. */
  isLast: boolean;
  /** Whether the version replaced a version of another transaction. */
  replaces: Version | null;
}

export interface RowHistory {
  readonly state: TableState;
  readonly key: readonly string[];
  /** The versions in the order of the log. */
  readonly versions: Version[];
}

/** The rows of a table during the recording. */
export interface TableState {
  readonly name: string;
  table: Table | null;
  /** Whether all rows of the table are known. */
  isWhole: boolean;
  readonly rows: Map<string, RowHistory>;
  /** Number of its rows that exist. */
  live: number;
  /** Columns of integers that a number of JavaScript cannot hold, so that they are recorded as texts. */
  readonly large: Set<string>;
}

export const keyTextOf = (key: readonly string[]): string => key.join('\0');

/** All versions of all rows, according to the initial rows and the binary log. */
export class Rows {
  readonly tables = new Map<string, TableState>();
  /** Tables that are not followed, with the reasons. */
  readonly leftOut: Map<string, string>;
  readonly writers: Writer[] = [];

  constructor(leftOut: Map<string, string>) {
    this.leftOut = leftOut;
  }

  /** Adds a table that existed when the recording began. */
  initial(table: Table, rows: readonly RowImage[] | null): void {
    const state: TableState = {
      name: nameOf(table),
      table,
      isWhole: rows !== null,
      rows: new Map(),
      live: 0,
      large: new Set(),
    };
    this.tables.set(state.name, state);
    for (const values of rows ?? []) this.#add(this.#row(state, keyOf(table, values)), table, values, null);
    if (rows === null) state.live = Infinity;
  }

  /** Returns a table that is followed. */
  followed(name: string): TableState | null {
    const state = this.tables.get(name);
    return state?.table && !this.leftOut.has(name) ? state : null;
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case 'transaction':
        this.#transaction(entry.serverId, entry.statements);
        return;
      case 'definition':
        for (const each of definitionOf(entry.text, entry.schema)) this.#define(each);
        return;
      case 'unknown':
        for (const name of this.tables.keys())
          if (new RegExp(`\\b${escaped(name.split('.')[1]!)}\\b`, 'i').test(entry.text))
            this.leftOut.set(name, 'the log has the text of a statement in place of its rows');
    }
  }

  #transaction(serverId: number, logged: readonly LoggedStatement[]): void {
    const statements: (Omit<LoggedStatement, 'changes'> & { readonly writes: Version[] })[] = [];
    const writer: Writer = { ...this.#nextPlace(), serverId, statements, earliest: 0n, latest: NEVER };
    this.writers.push(writer);
    for (const { text, rows, changes } of logged) {
      const writes: Version[] = [];
      for (const change of changes) writes.push(...this.#change(change, writer));
      statements.push({ text, rows, writes });
    }
  }

  #nextPlace(): Pick<Writer, 'number' | 'place'> {
    const number = this.writers.length + 1;
    return { number, place: number * BETWEEN };
  }

  #change({ table, before, after }: Change, writer: Writer): Version[] {
    const state = this.#stateOf(table);
    const from = before && this.#row(state, keyOf(table, before));
    const to = after && this.#row(state, keyOf(table, after));
    if (from && !this.#isLast(from, table, before)) this.leftOut.set(state.name, 'it has changes that the log lacks');
    if (from && to !== from) {
      const deleted = this.#add(from, table, null, writer);
      return to ? [deleted, this.#add(to, table, after, writer)] : [deleted];
    }
    return to ? [this.#add(to, table, after, writer)] : [];
  }

  /** Returns whether the row had these values; the first version of a row that was not read initially is unknown. */
  #isLast(row: RowHistory, table: Table, values: RowImage): boolean {
    const last = row.versions.at(-1);
    if (last === undefined) {
      if (row.state.isWhole) return false;
      this.#add(row, table, values, null);
      return true;
    }
    return (
      last.values !== null &&
      values.every((value, i) => value === undefined || last.values![i] === undefined || value === last.values![i])
    );
  }

  #stateOf(table: Table): TableState {
    const name = nameOf(table);
    const known = this.tables.get(name);
    const state = known ?? { name, table, isWhole: false, rows: new Map(), live: Infinity, large: new Set() };
    if (!known) this.tables.set(name, state);
    if (state.table === null) state.table = table;
    else if (state.table !== table && !isSameForm(state.table, table)) this.leftOut.set(name, 'it was redefined');
    return state;
  }

  #row(state: TableState, key: readonly string[]): RowHistory {
    const text = keyTextOf(key);
    const known = state.rows.get(text);
    if (known) return known;
    const row = { state, key, versions: [] };
    state.rows.set(text, row);
    return row;
  }

  #add(row: RowHistory, table: Table, values: RowImage | null, writer: Writer | null): Version {
    const { versions, state } = row;
    const last = versions.at(-1);
    const isOwn = last !== undefined && last.writer === writer;
    if (isOwn) last.isLast = false;
    const isAgain = last?.values === null && values !== null && !isOwn;
    const incarnation = (last?.incarnation ?? 0) + (isAgain ? 1 : 0);
    const replaces = isOwn ? null : (last?.values ?? null) === null ? null : last!;
    const mark = writer?.number ?? 0;
    const version: Version = { row, table, values, writer, mark, incarnation, isLast: true, replaces };
    versions.push(version);
    for (const [i, { name, kind }] of table.columns.entries())
      if (kind === 'integer' && !isSafe(values?.[i])) state.large.add(name);
    state.live += Number(values !== null) - Number((last?.values ?? null) !== null);
    return version;
  }

  #define(definition: Definition): void {
    const name = `${definition.schema}.${definition.table}`;
    const state = this.tables.get(name);
    if (definition.isForeign !== null) this.leftOut.set(name, definition.isForeign);
    if (definition.kind === 'create') {
      if (state?.table && definition.isOptional) return;
      if (state) this.#empties(state);
      const created = state ?? { name, table: null, isWhole: true, rows: new Map(), live: 0, large: new Set() };
      Object.assign(created, { table: null, isWhole: true });
      this.tables.set(name, created);
    } else if (definition.kind === 'empty') {
      if (state) this.#empties(state);
    } else if (definition.kind === 'drop') {
      for (const each of definition.table === '*' ? this.tables.values() : state ? [state] : [])
        if (each.name.startsWith(`${definition.schema}.`)) {
          this.#empties(each);
          each.table = null;
        }
    } else if (state) {
      if (state.live > 0) this.leftOut.set(name, 'it was redefined');
      else state.table = null;
    }
  }

  /** Deletes all rows of a table, as TRUNCATE and DROP do. */
  #empties(state: TableState): void {
    if (state.live === 0) return;
    if (!state.isWhole) {
      this.leftOut.set(state.name, 'it was truncated or dropped');
      return;
    }
    const writes: Version[] = [];
    const writer: Writer = {
      ...this.#nextPlace(),
      serverId: 0,
      statements: [{ text: null, rows: state.live, writes }],
      earliest: 0n,
      latest: NEVER,
    };
    this.writers.push(writer);
    for (const row of state.rows.values())
      if (row.versions.at(-1)?.values) writes.push(this.#add(row, row.versions.at(-1)!.table, null, writer));
  }
}

const isSafe = (text: string | null | undefined): boolean => Number.isSafeInteger(Number(text ?? 0));

/** Number of places between two transactions of the log. */
export const BETWEEN = 1_000_000;
export const NEVER = 2n ** 62n;

const escaped = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`);

const keyOf = ({ key }: Table, values: RowImage): readonly string[] => key.map((i) => values[i] ?? '');

const isSameForm = (a: Table, b: Table): boolean =>
  a.columns.length === b.columns.length &&
  a.columns.every(({ name, kind }, i) => name === b.columns[i]!.name && kind === b.columns[i]!.kind) &&
  a.key.join() === b.key.join();

/** Formats the name of a row and its values for the history. */
export function placeOf({ row, incarnation }: Version, nameOfTable: string, redaction: Redaction): string {
  return `${JSON.stringify(nameOfTable)},${keyJson(row.state, row.key, incarnation, redaction)}`;
}

export function keyJson(
  { table, large }: TableState,
  key: readonly string[],
  incarnation: number,
  { value }: Redaction,
): string {
  const [only] = key;
  const column = table?.columns[table.key[0]!];
  const isNumber = key.length === 1 && column?.kind === 'integer' && !large.has(column.name);
  const plain = key.length === 1 ? (isNumber ? Number(only) : only!) : key.map(encodeURIComponent).join(',');
  const name = value === null ? plain : value(plain);
  return JSON.stringify(incarnation === 0 ? name : `${name}#${incarnation + 1}`);
}

export function versionJson({ table, values, mark, row }: Version, { value }: Redaction): string {
  if (values === null) return 'null';
  const fields = row.state.isWhole
    ? table.columns.flatMap(({ name, kind }, i) => {
        const field = values[i];
        if (kind === 'left out' || field === null || field === undefined || name === WRITER) return [];
        const isNumber = kind === 'integer' && !row.state.large.has(name);
        const plain = isNumber ? Number(field) : field;
        return [[name, value === null ? plain : value(plain)] as const];
      })
    : [];
  return JSON.stringify(
    Object.fromEntries([...fields, [WRITER, mark] as const].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

export const WRITER = 'xmin';
