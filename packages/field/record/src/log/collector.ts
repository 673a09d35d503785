import type { Definitions } from '../recorded/definitions.ts';
import type { Redaction } from '../recorded/redaction.ts';
import { type FoundRow, namedRow } from '../recorded/rows-of-result.ts';
import type { Catalog, Column, Table } from '../sql/catalog.ts';
import { type Change, type Fields, UNCHANGED } from './changes.ts';
import type { Entries } from '../recorded/entries.ts';

export interface CollectorOptions {
  readonly entries: Entries;
  readonly definitions: Definitions;
  readonly redaction: Redaction;
  /** Whether a transaction was committed before the initial rows were read. */
  readonly hasSeen: (xid: number) => boolean;
  /** Reads the definitions of tables again, because the log names an unknown table. */
  readonly readCatalog: () => Promise<Catalog>;
  /** Whether entries include the replaced versions. */
  readonly tellsReplaced: boolean;
}

const MOST_PUTS = 50_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Turns the changes in the log into entries, in commit order. */
export class Collector {
  /** Tables that the log covers only partly, with the reasons. */
  readonly leftOut = new Map<string, string>();
  /** Rows whose keys were inserted again after a deletion. */
  readonly takenAgain = new Set<string>();
  readonly #options: CollectorOptions;
  /** The last version of each row. */
  readonly #current = new Map<string, string>();
  /** Tables for which `#current` may lack rows. */
  readonly #isVague = new Set<string>();
  readonly #ignored = new Set<string>();
  #puts: string[] = [];
  #written = new Map<string, string>();
  #tables = new Set<string>();
  #size = 0;
  #isLarge = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  initialRow(place: string, version: string): void {
    this.#current.set(place, version);
  }

  readonly skips = (name: string): boolean => {
    const table = this.#options.definitions.tableOf(name);
    return this.#ignored.has(name) || (table !== undefined && isLeftOut(table));
  };

  tell(change: Change, xid: number, lsn: string): Promise<void> | void {
    switch (change.kind) {
      case 'begin':
        return this.#begins();
      case 'commit':
        return this.#commits(xid, lsn);
      case 'truncate':
        return this.#truncates(change.tables, xid);
      default: {
        if (this.#options.hasSeen(xid)) return;
        const table = this.#options.definitions.tableOf(change.table);
        if (table) return this.#changes(table, change, xid);
        return this.#looksFor(change.table).then((found) => {
          if (found) this.#changes(found, change, xid);
        });
      }
    }
  }

  async #looksFor(name: string): Promise<Table | null> {
    const { definitions, readCatalog } = this.#options;
    definitions.update(await readCatalog());
    const table = definitions.tableOf(name) ?? null;
    // The name is a partition, or the table has already been dropped.
    if (table === null) this.#ignored.add(name);
    return table;
  }

  /** The rows also disappear for transactions with an older snapshot. */
  #truncates(names: readonly string[], xid: number): void {
    if (this.#options.hasSeen(xid)) return;
    for (const name of names) {
      const table = this.#options.definitions.tableOf(name);
      if (table) this.#forgets(table.name, 'it was truncated');
    }
  }

  #begins(): void {
    this.#puts = [];
    this.#written = new Map();
    this.#tables = new Set();
    this.#size = 0;
    this.#isLarge = false;
  }

  #changes(table: Table, change: Extract<Change, { readonly row: Fields }>, xid: number): void {
    if (isLeftOut(table)) return;
    const { kind, row, old } = change;
    const isMoved = kind === 'update' && table.key.some((name) => old.has(name) && old.get(name) !== row.get(name));
    const gone = kind === 'delete' || isMoved ? this.#rowOf({ ...table, isWhole: false }, old, xid) : null;
    const found = kind === 'delete' ? null : this.#rowOf(table, row, xid);
    const version = found && this.#filledIn(table, found.version, this.#versionOf((gone ?? found).place), row, xid);
    if (gone) this.#put(table, gone.place, 'null');
    if (found) this.#put(table, found.place, version!);
  }

  #versionOf(place: string): string | undefined {
    return this.#written.get(place) ?? this.#current.get(place);
  }

  /** Null if the columns differ from the table's columns. */
  #rowOf(table: Table, fields: Fields, xid: number): FoundRow | null {
    let known = 0;
    let isComplete = table.key.every((name) => typeof fields.get(name) === 'string');
    for (const { name, type } of table.columns)
      if (fields.has(name)) known++;
      else if (table.isWhole && type !== 'left out') isComplete = false;
    if (!isComplete || known < fields.size) {
      this.leftOut.set(table.name, 'it was redefined or rewritten');
      return null;
    }
    const column = (name: string): string | null => {
      const value = fields.get(name);
      return typeof value === 'string' ? value : null;
    };
    return namedRow(table, column, xid, this.#options.redaction);
  }

  /** Takes the large values that the log does not repeat from the previous version. */
  #filledIn(table: Table, version: string, before: string | undefined, fields: Fields, xid: number): string {
    const isMissing = ({ name, type }: Column): boolean => type !== 'left out' && fields.get(name) === UNCHANGED;
    const missing = table.isWhole ? table.columns.filter(isMissing) : [];
    if (missing.length === 0) return version;
    if (before === undefined || before === 'null') {
      this.leftOut.set(table.name, 'the log does not repeat large values that stay the same');
      return version;
    }
    const old = JSON.parse(before) as Record<string, unknown>;
    const row = JSON.parse(version) as Record<string, unknown>;
    for (const { name } of missing) if (old[name] !== undefined) row[name] = old[name];
    const names = Object.keys(row).toSorted((a, b) => (a < b ? -1 : 1));
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, name === 'xmin' ? xid : row[name]])));
  }

  #put(table: Table, place: string, version: string): void {
    this.#tables.add(table.name);
    this.#size += place.length + version.length;
    this.#isLarge ||= this.#puts.length >= MOST_PUTS || this.#size > MOST_CHARACTERS;
    if (this.#isLarge) {
      this.#puts.length = 0;
      this.#written.clear();
    } else {
      this.#puts.push(`[${place},${version}${this.#replaced(table, place)}]`);
      const isTakenAgain = version !== 'null' && !this.#written.has(place) && this.#current.get(place) === 'null';
      if (isTakenAgain) this.takenAgain.add(place);
      this.#written.set(place, version);
    }
  }

  #replaced(table: Table, place: string): string {
    if (this.#written.has(place)) return '';
    const known = this.#current.get(place);
    const isAbsent = known === undefined && table.isWhole && !this.#isVague.has(table.name);
    const before = isAbsent ? 'null' : known;
    if (before === undefined) return '';
    const writer = /"xmin":(\d+)/.exec(before)?.[1] ?? 'null';
    return this.#options.tellsReplaced ? `,${writer},${before}` : `,${writer}`;
  }

  #commits(xid: number, lsn: string): void {
    if (this.#tables.size === 0) return;
    const isLarge = this.#isLarge;
    if (isLarge) for (const table of this.#tables) this.#forgets(table, 'a transaction wrote too many of its rows');
    for (const [place, version] of this.#written) this.#current.set(place, version);
    const text = `{"xid":${xid},"lsn":${numberOf(lsn)},"puts":[${this.#puts.join()}]${isLarge ? ',"isLarge":true' : ''}}`;
    this.#options.entries.add(xid, text);
  }

  #forgets(table: string, why: string): void {
    this.leftOut.set(table, why);
    this.#isVague.add(table);
    const prefix = `${JSON.stringify(table)},`;
    for (const place of this.#current.keys()) if (place.startsWith(prefix)) this.#current.delete(place);
  }
}

const isLeftOut = ({ problem, notInLog }: Table): boolean => problem !== null || notInLog !== null;

/** `16/B374D848` */
function numberOf(lsn: string): number {
  const [high, low] = lsn.split('/').map((part) => Number.parseInt(part, 16));
  return high! * 2 ** 32 + low!;
}
