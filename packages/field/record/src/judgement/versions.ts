import type { Predicate, Row as Columns } from '@isolab/history';
import { type TransactionLine, type Versioned, isTransaction, linesOf } from '../recorded/lines.ts';
import type { Level } from '../sql/planned.ts';

/** A transaction of the recording that was committed, or may have been. */
export interface Ran {
  readonly line: number;
  readonly session: string;
  /** Null for transactions that bypassed the proxy. */
  readonly level: Level | null;
  status: 'committed' | 'aborted' | 'unknown';
  readonly begin: number;
  /** Time after which the transaction may be committed, in the order of commits of all writers of one row. */
  readonly committing: number;
  end: number;
  readonly commitTs: number | null;
  /** For each statement, the number of its shape. */
  readonly steps: readonly number[];
  readonly reads: Access[];
  readonly scans: Scanned[];
  readonly writes: Map<Row, Access>;
}

/** A statement's access to a version of a row. */
export interface Access {
  readonly row: Row;
  readonly step: number;
  version: Version;
  /** Whether the statement that read the version also replaced it. */
  readonly isReplaced: boolean;
}

export interface Scanned {
  readonly table: Table;
  readonly where: Predicate;
  readonly step: number;
  readonly found: ReadonlySet<Row>;
}

export interface Table {
  readonly name: string;
  readonly rows: Map<string, Row>;
}

export interface Row {
  readonly table: Table;
  readonly key: string;
  readonly versions: Map<string, Version>;
  /** All versions in order, the first one of them initial; empty if the order is unknown. */
  chain: Version[];
}

export interface Version {
  readonly row: Row;
  /** Null for the initial version. */
  writer: Ran | null;
  /** Null if the row does not exist in this version. */
  columns: Columns | null;
  place: number;
}

export interface Versions {
  /** Committed transactions, in the order of their lines. */
  readonly transactions: readonly Ran[];
  /** All transactions, with the aborted ones. */
  readonly all: readonly Ran[];
  readonly tables: readonly Table[];
  readonly shapes: ReadonlyMap<number, string>;
}

/** Reads the versions of all rows of a recording, in the order in which they were written. */
export async function versionsIn(path: string): Promise<Versions> {
  const reading = new Reading();
  for await (const [number, text] of linesOf(path)) reading.line(number, text);
  return reading.finish();
}

class Reading {
  readonly #tables = new Map<string, Table>();
  readonly #shapes = new Map<number, string>();
  readonly #transactions: Ran[] = [];
  readonly #last = new Map<string, Ran>();

  line(number: number, text: string): void {
    if (isTransaction(text)) this.#transaction(number, JSON.parse(text) as TransactionLine);
    else if (text.startsWith('{"rows":'))
      for (const [table, key, columns] of (JSON.parse(text) as { rows: [string, unknown, Columns][] }).rows)
        this.#version(this.#row(table, key), columns);
    else if (text.startsWith('{"outcome":')) {
      const { outcome, session, end } = JSON.parse(text) as { outcome: Ran['status']; session: string; end?: number };
      const ran = this.#last.get(session);
      if (ran) Object.assign(ran, { status: outcome, end: end ?? ran.end });
    }
  }

  #transaction(line: number, told: TransactionLine): void {
    for (const [shape, sql] of told.shapes ?? []) this.#shapes.set(shape, sql);
    const { session, status = 'committed', level = null, begin = 0, committing, end, commitTs, ops, steps } = told;
    const ran: Ran = {
      line,
      session,
      level,
      status: status as Ran['status'],
      begin,
      committing: committing ?? end ?? Infinity,
      end: end ?? Infinity,
      commitTs: commitTs ?? null,
      steps: (steps ?? []).map(([shape]) => shape),
      reads: [],
      scans: [],
      writes: new Map(),
    };
    this.#transactions.push(ran);
    this.#last.set(session, ran);
    let first = 0;
    for (const [step, [, count]] of (steps ?? [[0, ops.length]]).entries())
      this.#operations(ran, step, ops.slice(first, (first += count)));
  }

  #operations(ran: Ran, step: number, operations: TransactionLine['ops']): void {
    for (const [i, [kind, table, key, value]] of (operations as [string, string, unknown, unknown][]).entries()) {
      if (kind === 'scan') {
        const found = new Set<Row>();
        for (const [foundKey, columns] of value as [unknown, Columns][]) {
          const row = this.#row(table, foundKey);
          found.add(row);
          ran.reads.push({ row, step, version: this.#version(row, columns), isReplaced: false });
        }
        ran.scans.push({ table: this.#table(table), where: key as Predicate, step, found });
      } else if (kind === 'get' || kind === 'put') {
        const row = this.#row(table, key);
        const next = operations[i + 1];
        const isReplaced = next?.[0] === 'put' && next[1] === table && next[2] === key;
        const version = this.#version(row, value as Columns | null, kind === 'put' ? ran : undefined);
        if (kind === 'get') ran.reads.push({ row, step, version, isReplaced });
        else ran.writes.set(row, { row, step: ran.writes.get(row)?.step ?? step, version, isReplaced: false });
      }
    }
  }

  #table(name: string): Table {
    const known = this.#tables.get(name);
    if (known) return known;
    const table = { name, rows: new Map<string, Row>() };
    this.#tables.set(name, table);
    return table;
  }

  #row(name: string, key: unknown): Row {
    const table = this.#table(name);
    const known = table.rows.get(String(key));
    if (known) return known;
    const row: Row = { table, key: String(key), versions: new Map(), chain: [] };
    table.rows.set(row.key, row);
    return row;
  }

  #version(row: Row, columns: Columns | null, writer?: Ran): Version {
    const name = columns
      ? String((columns as unknown as Versioned).xmin)
      : writer
        ? `deleted at ${writer.line}`
        : 'absent';
    const known = row.versions.get(name);
    if (known && writer === undefined) return known;
    const version = known ?? { row, writer: null, columns, place: -1 };
    if (writer) Object.assign(version, { writer, columns });
    row.versions.set(name, version);
    return version;
  }

  finish(): Versions {
    const transactions = this.#transactions.filter((ran) => ran.status !== 'aborted');
    // A transaction of unknown outcome was committed if another transaction read its write.
    const seen = new Set<Ran | null>();
    for (const ran of transactions)
      for (const { version } of ran.reads) if (version.writer !== ran) seen.add(version.writer);
    for (const ran of transactions)
      if (ran.status === 'unknown' && (seen.has(ran) || ran.commitTs !== null)) ran.status = 'committed';
    const committed = transactions.filter(({ status }) => status === 'committed');
    for (const { rows } of this.#tables.values()) for (const row of rows.values()) order(row);
    resolveAbsent(committed);
    return {
      transactions: committed,
      all: this.#transactions,
      tables: [...this.#tables.values()],
      shapes: this.#shapes,
    };
  }
}

/**
 * Orders the versions of a row. Writers of one row wait for each other, so they ask to commit in the order of their
 * versions.
 */
function order(row: Row): void {
  const all = [...row.versions.values()].filter(({ writer }) => writer === null || writer.status === 'committed');
  // A version from outside the recording has no time. It came first if it is the only one.
  const isFirst = ({ writer }: Version): boolean =>
    writer === null || (writer.committing === Infinity && writer.commitTs === null);
  const initial = all.filter(isFirst);
  const written = all.filter((version) => !isFirst(version));
  const present = initial.filter(({ columns }) => columns !== null);
  if (present.length > 1) return;
  const isInLog = written.every(({ writer }) => writer!.commitTs !== null);
  const at = ({ writer }: Version): number => (isInLog ? writer!.commitTs! : writer!.committing);
  const first = present[0] ?? initial[0] ?? { row, writer: null, columns: null, place: 0 };
  row.chain = [first, ...written.toSorted((a, b) => at(a) - at(b))];
  for (const [place, version] of row.chain.entries()) version.place = place;
}

/** A statement that found no row saw the state before its first version, or after a deletion. */
function resolveAbsent(transactions: readonly Ran[]): void {
  for (const ran of transactions)
    for (const access of ran.reads) {
      const { row, version } = access;
      if (version.columns !== null || version.writer !== null || row.chain.length === 0) continue;
      const gone = row.chain.filter((each) => each.columns === null);
      const last = gone.findLast(({ writer }) => writer === null || writer.committing < ran.end);
      access.version = gone.length === 1 ? gone[0]! : (last ?? version);
    }
}
