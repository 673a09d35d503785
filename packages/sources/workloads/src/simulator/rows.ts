import { type Predicate, aggregateOf, matches } from '@isolab/history';
import type { Answer } from '../workload/workload.ts';
import { idAsked } from '../tables/asking.ts';
import type { Table, TableRequest, TableRow } from '../workload/table.ts';
import { ABSENT, type Attempt } from './engine.ts';
import type { Recorder } from './recorder.ts';

/** Contents of rows. The database stores only numbers: a key for each row, and a number for each of its versions. */
export class Rows {
  readonly #recorder: Recorder;
  readonly #contents: TableRow[] = [];
  readonly #keys = new Map<string, Map<number, number>>(); // by table and id

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  keyOf({ name }: Table, id: number): number {
    let keys = this.#keys.get(name);
    if (keys === undefined) this.#keys.set(name, (keys = new Map()));
    let key = keys.get(id);
    if (key === undefined) keys.set(id, (key = this.#recorder.rowKey(name, id)));
    return key;
  }

  /** Returns the keys of all rows that a session has requested or written. */
  keysOf({ name }: Table): Iterable<number> {
    return this.#keys.get(name)?.values() ?? [];
  }

  countOf({ name }: Table): number {
    return this.#keys.get(name)?.size ?? 0;
  }

  numberOf(row: TableRow): number {
    return this.#contents.push(row);
  }

  /** Returns the row with a number; null where the row is absent. */
  at(number: number): TableRow | null {
    return number === ABSENT ? null : this.#contents[number - 1]!;
  }
}

/** Access of an attempt to a key. */
export interface Access {
  look(key: number): number;
  write(key: number, value: number): void;
}

interface Scan {
  readonly table: Table;
  readonly where: Predicate;
  /** Number of known rows of the table at the time of the request, which examined all of them. */
  readonly known: number;
}

/** Result of an insert whose id already exists. */
export const DUPLICATE = Symbol('duplicate');

export class RowAttempt {
  readonly #rows: Rows;
  readonly #recorder: Recorder;
  readonly #attempt: Attempt;
  readonly #access: Access;
  readonly #scans: Scan[] = [];

  constructor(rows: Rows, recorder: Recorder, attempt: Attempt, access: Access) {
    this.#rows = rows;
    this.#recorder = recorder;
    this.#attempt = attempt;
    this.#access = access;
  }

  ask(request: TableRequest): Answer | typeof DUPLICATE {
    const { table } = request;
    switch (request.kind) {
      case 'get':
        return this.#get(table, request.id);
      case 'select':
        return this.#select(table, request.where);
      case 'aggregate': {
        const { kind } = request.of;
        const column = request.of.kind === 'count' ? null : request.of.column;
        const found = this.#find(table, request.where).map(({ row }) => row);
        const result = aggregateOf(request.of, found);
        this.#recorder.aggregate(this.#session, table.name, request.where, kind, column, result);
        return result;
      }
      case 'join':
        return this.#select(table, request.where).map((row) => {
          const by = row[request.by];
          return { row, other: typeof by === 'number' ? this.#get(request.other, by) : null };
        });
      case 'insert-row': {
        const key = this.#rows.keyOf(table, request.row.id);
        if (this.#access.look(key) === ABSENT) return (this.#put(key, request.row), true);
        if (!request.ifAbsent) return DUPLICATE;
        this.#recorder.matched(this.#session, table.name, ['=', 'id', request.row.id], key);
        return false;
      }
      case 'update': {
        const found = this.#findToChange(table, request.where);
        return found.map(({ key, row: old }) => {
          const row = { ...old, ...request.set };
          this.#put(key, row);
          return { old, row };
        });
      }
      case 'delete-rows': {
        const found = this.#findToChange(table, request.where);
        return found.map(({ key, row: old }) => {
          this.#put(key, null);
          return { id: old.id, old };
        });
      }
    }
  }

  /**
   * Yields the keys of rows that now match a request of this attempt, and whether the request did not examine them: if
   * such a row has changed since its snapshot, the attempt may have missed it.
   */
  *matchingNow(newest: (key: number) => number): Generator<{ readonly key: number; readonly isNew: boolean }> {
    for (const { table, where, known } of this.#scans) {
      let place = 0; // rows are in the order in which they became known
      for (const key of this.#rows.keysOf(table)) {
        const row = this.#rows.at(newest(key));
        const isNew = place++ >= known;
        if (row !== null && matches(where, row)) yield { key, isNew };
      }
    }
  }

  get #session(): number {
    return this.#attempt.session;
  }

  #get(table: Table, id: number): TableRow | null {
    const key = this.#rows.keyOf(table, id);
    const row = this.#rows.at(this.#access.look(key));
    this.#recorder.rowRead(this.#session, key, row);
    return row;
  }

  #select(table: Table, where: Predicate): TableRow[] {
    return this.#findAndRecord(table, where).map(({ row }) => row);
  }

  /** Finds the rows to change: a change by id reads one row, and any other change scans. */
  #findToChange(table: Table, where: Predicate): FoundRow[] {
    const id = idAsked(where);
    if (id === null) return this.#findAndRecord(table, where);
    const row = this.#get(table, id);
    return row === null ? [] : [{ key: this.#rows.keyOf(table, id), row }];
  }

  #findAndRecord(table: Table, where: Predicate): FoundRow[] {
    const found = this.#find(table, where);
    this.#recorder.scan(this.#session, table.name, where, found);
    return found;
  }

  #find(table: Table, where: Predicate): FoundRow[] {
    this.#scans.push({ table, where, known: this.#rows.countOf(table) });
    const { readKeys } = this.#attempt;
    const found: FoundRow[] = [];
    for (const key of this.#rows.keysOf(table)) {
      const before = readKeys.length;
      const row = this.#rows.at(this.#access.look(key));
      if (row !== null && matches(where, row)) found.push({ key, row });
      else readKeys.length = before; // rows that match later are checked at the end
    }
    return found;
  }

  #put(key: number, row: TableRow | null): void {
    this.#access.write(key, row === null ? ABSENT : this.#rows.numberOf(row));
    this.#recorder.rowWrite(this.#session, key, row);
  }
}

interface FoundRow {
  readonly key: number;
  readonly row: TableRow;
}
