/** A store with PostgreSQL's READ COMMITTED and REPEATABLE READ, whose schedule and versions are known. */

export type Columns = Readonly<Record<string, number>>;

export interface Write {
  readonly by: Client;
  readonly columns: Columns | null;
}

/** All committed versions of a row in order; before the first one, the row does not exist. */
export type Row = Write[];

type Line = Record<string, unknown>;

/** A version that a statement saw: the number of committed versions of the row at that time. */
export interface Seen {
  readonly row: string;
  readonly versions: number;
  /** Whether the statement returned the row, or else passed over it. */
  readonly isFound: boolean;
  /** Whether the row was read to write it. */
  readonly isReplaced: boolean;
  readonly step: number;
}

export interface Scanned {
  readonly column: string;
  readonly value: number;
  /** Number of committed versions of each row; rows that did not exist yet are absent. */
  readonly view: ReadonlyMap<string, number>;
}

export type Level = 'read committed' | 'repeatable read';

export class Store {
  readonly rows = new Map<string, Row>();
  readonly locks = new Map<string, Client>();
  readonly clients: Client[] = [];
  readonly lines: string[] = [];
  readonly initial = new Map<string, Columns>();
  /** Whether statements return the versions that they replace, as PostgreSQL 18 does. */
  readonly returnsOld: boolean;
  #shapes = new Map<string, number>();
  clock = 0;

  constructor(returnsOld: boolean) {
    this.returnsOld = returnsOld;
  }

  make(row: string, columns: Columns): void {
    this.initial.set(row, { ...columns, xmin: 1 });
    this.rows.set(row, []);
  }

  shape(sql: string): { readonly number: number; readonly isNew: boolean } {
    const known = this.#shapes.get(sql);
    if (known !== undefined) return { number: known, isNew: false };
    this.#shapes.set(sql, this.#shapes.size);
    return { number: this.#shapes.size - 1, isNew: true };
  }

  columnsAt(row: string, versions: number): Columns | null {
    return versions === 0 ? (this.initial.get(row) ?? null) : this.rows.get(row)![versions - 1]!.columns;
  }

  get file(): string {
    const rows = [...this.initial].map(([row, columns]) => [...placeOf(row), columns]);
    return `{"isolab":"history","version":2,"times":"nanoseconds","hidden":["xmin"],"tables":["t"]}\n${JSON.stringify({ rows })}\n${this.lines.join('\n')}\n`;
  }
}

const placeOf = (row: string): [string, number] => ['t', Number(row)];

/** A transaction of the store. */
export class Client {
  readonly number: number;
  readonly level: Level;
  readonly seen: Seen[] = [];
  readonly scans: Scanned[] = [];
  readonly written = new Map<
    string,
    { readonly columns: Columns | null; readonly step: number; readonly computes: boolean }
  >();
  /** For each row, the number of committed versions at its first write. */
  readonly found = new Map<string, number>();
  isCommitted = false;
  isOver = false;
  begin = 0;
  commitPlace = -1;
  readonly #store: Store;
  readonly #ops: unknown[][] = [];
  readonly #steps: [string, number][] = [];
  #snapshot: ReadonlyMap<string, number> | null = null;

  constructor(store: Store, level: Level) {
    this.#store = store;
    this.level = level;
    this.number = 100 + store.clients.length;
    store.clients.push(this);
  }

  #view(): ReadonlyMap<string, number> {
    const now = new Map([...this.#store.rows].map(([row, versions]) => [row, versions.length]));
    if (this.begin === 0) this.begin = ++this.#store.clock;
    if (this.level === 'read committed') return now;
    return (this.#snapshot ??= now);
  }

  #at(row: string, view: ReadonlyMap<string, number>): Columns | null {
    return this.written.has(row) ? this.written.get(row)!.columns : this.#store.columnsAt(row, view.get(row) ?? 0);
  }

  #see(row: string, versions: number, isFound: boolean, isReplaced = false): void {
    const step = this.#steps.length;
    if (!this.written.has(row)) this.seen.push({ row, versions, isFound, isReplaced, step });
  }

  read(row: string): Columns | null {
    const view = this.#view();
    const columns = this.#at(row, view);
    this.#see(row, view.get(row) ?? 0, columns !== null);
    this.#ops.push(['get', ...placeOf(row), columns]);
    this.#steps.push(['select * from t where id = $1', 1]);
    return columns;
  }

  /** Returns null if the row is locked by another transaction, false if this transaction cannot continue. */
  lock(row: string): Columns | null | false {
    const taken = this.#take(row);
    if (taken !== true) return taken;
    const versions = this.#store.rows.get(row)!.length;
    const columns = this.written.get(row)?.columns ?? this.#store.columnsAt(row, versions)!;
    this.#see(row, versions, true);
    this.#ops.push(['get', ...placeOf(row), columns]);
    this.#steps.push(['select * from t where id = $1 for update', 1]);
    return columns;
  }

  #take(row: string): true | null | false {
    const view = this.#view();
    const holder = this.#store.locks.get(row);
    if (holder && holder !== this) return null;
    if (
      this.level === 'repeatable read' &&
      (view.get(row) ?? 0) < this.#store.rows.get(row)!.length &&
      !this.written.has(row)
    )
      return false;
    this.#store.locks.set(row, this);
    return true;
  }

  scan(column: string, value: number): string[] {
    const view = this.#view();
    const found: string[] = [];
    for (const row of this.#store.rows.keys()) {
      const columns = this.#at(row, view);
      const isFound = columns !== null && columns[column] === value;
      if (!isFound) continue;
      found.push(row);
      this.#see(row, view.get(row) ?? 0, true);
    }
    this.scans.push({ column, value, view });
    this.#ops.push(['scan', 't', ['=', column, value], found.map((row) => [Number(row), this.#at(row, view)])]);
    this.#steps.push([`select * from t where ${column} = $1`, 1]);
    return found;
  }

  /** Returns whether the row was written; null if it is locked, false if this transaction cannot continue. */
  write(row: string, change: (columns: Columns) => Columns, sql: string): true | null | false {
    const taken = this.#take(row);
    if (taken !== true) return taken;
    const versions = this.#store.rows.get(row)!.length;
    const old = this.written.get(row)?.columns ?? this.#store.columnsAt(row, versions)!;
    const columns = { ...change(old), xmin: this.number };
    const computes = / n = n /.test(sql);
    this.#see(row, versions, true, true);
    if (!this.found.has(row)) this.found.set(row, versions);
    this.written.set(row, { columns, step: this.#steps.length, computes });
    if (this.#store.returnsOld) this.#ops.push(['get', ...placeOf(row), old]);
    this.#ops.push(['put', ...placeOf(row), columns]);
    this.#steps.push([sql, this.#store.returnsOld ? 2 : 1]);
    return true;
  }

  insert(columns: Columns): true {
    this.#view();
    const row = String(1000 + this.number);
    this.#store.rows.set(row, []);
    this.#store.locks.set(row, this);
    this.found.set(row, 0);
    this.written.set(row, { columns: { ...columns, xmin: this.number }, step: this.#steps.length, computes: false });
    this.#ops.push(['put', ...placeOf(row), { ...columns, xmin: this.number }]);
    this.#steps.push(['insert into t values ($1)', 1]);
    return true;
  }

  end(isCommitted: boolean): void {
    const store = this.#store;
    this.isCommitted = isCommitted;
    this.isOver = true;
    const committing = ++store.clock;
    if (isCommitted) for (const [row, { columns }] of this.written) store.rows.get(row)!.push({ by: this, columns });
    for (const [row, holder] of store.locks) if (holder === this) store.locks.delete(row);
    if (this.#steps.length === 0) return;
    const added: [number, string][] = [];
    const steps = this.#steps.map(([sql, operations]) => {
      const { number, isNew } = store.shape(sql);
      if (isNew) added.push([number, sql]);
      return [number, operations];
    });
    const line: Line = { session: String(this.number) };
    if (!isCommitted) line['status'] = 'aborted';
    Object.assign(line, {
      begin: this.begin,
      committing,
      end: ++store.clock,
      ops: this.#ops,
      level: this.level,
      steps,
    });
    if (added.length > 0) line['shapes'] = added;
    store.lines.push(JSON.stringify(line));
  }
}
