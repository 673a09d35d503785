import { Bytes } from '../wire/bytes.ts';
import { Type } from '../wire/values.ts';
import { rowValue } from './row-values.ts';
import { type Table, type TableColumn, nameOf, isCharacters, isNumeric, kindOf } from './table.ts';

/** The values of a row by the positions of its columns; undefined where a value is left out. */
export type RowImage = readonly (string | null | undefined)[];

/** A change of one row: without `before`, it was inserted; without `after`, it was deleted. */
export interface Change {
  readonly table: Table;
  readonly before: RowImage | null;
  readonly after: RowImage | null;
}

/** The changes of one statement. */
export interface LoggedStatement {
  /** The text; null if the server does not log it. */
  readonly text: string | null;
  /** Number of changed rows, including the rows of tables that cannot be followed. */
  readonly rows: number;
  readonly changes: Change[];
}

/** A transaction of the log, or a statement that defines something. */
export type Entry =
  | { readonly kind: 'transaction'; readonly serverId: number; readonly statements: readonly LoggedStatement[] }
  | { readonly kind: 'definition'; readonly serverId: number; readonly schema: string; readonly text: string }
  /** A statement that is logged as text, so that the rows that it changed are unknown. */
  | { readonly kind: 'unknown'; readonly schema: string; readonly text: string };

const Event = {
  query: 2,
  rotate: 4,
  format: 15,
  xid: 16,
  tableMap: 19,
  writeRows: [23, 30],
  updateRows: [24, 31],
  deleteRows: [25, 32],
  xaPrepare: 38,
  annotate: 160,
  gtid: 162,
  compressed: [165, 166, 167, 168, 169, 170, 171],
} as const;

const END_OF_STATEMENT = 1;
const STANDALONE = 1;

/** Reads the events of a binary log in row format, with full images and metadata. */
export class EventReader {
  readonly #tables = new Map<number, Table | string>();
  #statements: LoggedStatement[] = [];
  #changes: Change[] = [];
  /** Number of changed rows of the present statement; infinite if some are in tables that cannot be followed. */
  #changedRows = 0;
  #text: string | null = null;
  #isStandalone = false;
  #isOpen = false;
  /** Whether the open transaction began with CREATE TABLE … SELECT. */
  #defines = false;
  /** Tables that cannot be followed, with the reasons. */
  readonly leftOut = new Map<string, string>();

  /** Reads an event without its checksum; returns an entry once it is complete. */
  read(event: Buffer): Entry | null {
    const type = event[4]!;
    const serverId = event.readUInt32LE(5);
    const body = new Bytes(event, 19);
    if (type === Event.query) return this.#query(body, serverId);
    if (type === Event.xid) return this.#commits(serverId);
    if (type === Event.xaPrepare) return this.#prepares();
    if (type === Event.gtid) {
      body.take(12);
      this.#isStandalone = (body.number(1) & STANDALONE) !== 0;
      this.#isOpen = !this.#isStandalone;
      this.#defines = false;
      this.#forgets();
    } else if (type === Event.annotate) this.#text = body.rest().toString();
    else if (type === Event.tableMap) this.#tables.set(body.number(6), this.#table(body));
    else if (Event.writeRows.includes(type as 23)) this.#rows(body, type, 'write');
    else if (Event.updateRows.includes(type as 24)) this.#rows(body, type, 'update');
    else if (Event.deleteRows.includes(type as 25)) this.#rows(body, type, 'delete');
    else if (Event.compressed.includes(type as 165)) throw new RangeError('the log is compressed');
    return null;
  }

  #forgets(): void {
    this.#statements = [];
    this.#changes = [];
    this.#changedRows = 0;
    this.#text = null;
  }

  #commits(serverId: number): Entry {
    this.#endsStatement();
    const entry: Entry = { kind: 'transaction', serverId: this.#defines ? 0 : serverId, statements: this.#statements };
    this.#forgets();
    this.#isOpen = false;
    return entry;
  }

  /** Leaves out a transaction that any session may commit or roll back later. */
  #prepares(): null {
    this.#endsStatement();
    for (const { changes } of this.#statements)
      for (const { table } of changes) this.leftOut.set(nameOf(table), 'a transaction of XA changed it');
    this.#forgets();
    this.#isOpen = false;
    return null;
  }

  #endsStatement(): void {
    if (this.#changedRows > 0)
      this.#statements.push({ text: this.#text, rows: this.#changedRows, changes: this.#changes });
    this.#changes = [];
    this.#changedRows = 0;
    this.#text = null;
  }

  #query(body: Bytes, serverId: number): Entry | null {
    body.take(8);
    const size = body.number(1);
    body.take(2);
    body.take(body.number(2));
    const schema = body.take(size).toString();
    body.take(1);
    const text = body.rest().toString();
    if (/^(BEGIN|SAVEPOINT|RELEASE|ROLLBACK TO|XA START|XA END)\b/i.test(text)) {
      if (text === 'BEGIN') this.#isOpen = true;
      return null;
    }
    if (/^(COMMIT|XA COMMIT)\b/i.test(text)) return this.#commits(serverId);
    if (/^(ROLLBACK|XA ROLLBACK)\b/i.test(text)) {
      this.#forgets();
      this.#isOpen = false;
      return null;
    }
    const isChange = /^\s*(INSERT|UPDATE|DELETE|REPLACE|LOAD|CALL|WITH)\b/i.test(text);
    if (isChange || (this.#isOpen && !/^\s*(\/\*[^]*?\*\/\s*)*(CREATE|DROP|ALTER)\b/i.test(text)))
      return { kind: 'unknown', schema, text };
    this.#defines = true;
    return { kind: 'definition', serverId, schema, text };
  }

  #rows(body: Bytes, type: number, kind: 'write' | 'update' | 'delete'): void {
    const table = this.#tables.get(body.number(6));
    const flags = body.number(2);
    if (type >= 30) body.take(body.number(2) - 2);
    const count = body.length() ?? 0;
    const bitmap = (): Buffer => body.take((count + 7) >> 3);
    const present = bitmap();
    const presentAfter = kind === 'update' ? bitmap() : present;
    if (typeof table !== 'object') this.#changedRows = Infinity;
    else
      while (body.left > 0) {
        const first = imageOf(body, table, present);
        const second = kind === 'update' ? imageOf(body, table, presentAfter) : null;
        const [before, after] = kind === 'write' ? [null, first] : kind === 'delete' ? [first, null] : [first, second];
        this.#changes.push({ table, before, after });
        this.#changedRows++;
      }
    if (flags & END_OF_STATEMENT) this.#endsStatement();
  }

  /** Reads the description of a table; its name if the table cannot be followed. */
  #table(body: Bytes): Table | string {
    body.take(2);
    const schema = body.take(body.number(1)).toString();
    body.take(1);
    const name = body.take(body.number(1)).toString();
    body.take(1);
    const full = `${schema}.${name}`;
    const refuse = (reason: string): string => {
      this.leftOut.set(full, reason);
      return full;
    };
    const count = body.length() ?? 0;
    const types = [...body.take(count)];
    const metadata = metadataOf(new Bytes(body.take(body.length() ?? 0)), types);
    body.take((count + 7) >> 3);
    const fields = new Map<number, Buffer>();
    while (body.left > 0) fields.set(body.number(1), body.take(body.length() ?? 0));
    const names = textsOf(fields.get(4));
    if (names.length !== count) return refuse('the log does not name its columns (binlog_row_metadata)');
    if (types.some((type) => type === 140 || type === 141)) return refuse('it has compressed columns');
    const numeric = types.map((type, i) => (isNumeric(type) ? i : -1)).filter((i) => i >= 0);
    const signs = fields.get(1);
    const isUnsigned = (i: number): boolean => {
      const place = numeric.indexOf(i);
      return place >= 0 && signs !== undefined && ((signs[place >> 3] ?? 0) & (0x80 >> (place & 7))) !== 0;
    };
    const collations = collationsOf(types, fields.get(2), fields.get(3));
    const enums = listsOf(fields.get(6));
    const columns = types.map((type, i): TableColumn => {
      const values = type === Type.enum ? (enums.shift() ?? []) : [];
      const kind = kindOf(type, collations[i] ?? 0);
      return { name: names[i]!, type, metadata: metadata[i]!, isUnsigned: isUnsigned(i), kind, values };
    });
    const key = fields.has(8) ? numbersOf(fields.get(8)!) : [];
    if (key.length === 0) return refuse(fields.has(9) ? 'its key has prefixes of columns' : 'it has no primary key');
    if (key.some((i) => columns[i]!.kind === 'left out')) return refuse('the type of its key is not supported');
    return { schema, table: name, columns, key };
  }
}

function imageOf(body: Bytes, { columns }: Table, present: Buffer): RowImage {
  const has = columns.map((_, i) => ((present[i >> 3]! >> (i & 7)) & 1) === 1);
  const count = has.filter(Boolean).length;
  const nulls = body.take((count + 7) >> 3);
  let place = 0;
  return columns.map((column, i) => {
    if (!has[i]) return undefined;
    const isNull = ((nulls[place >> 3]! >> (place & 7)) & 1) === 1;
    place++;
    return isNull ? (column.kind === 'left out' ? undefined : null) : rowValue(body, column);
  });
}

/** Reads the metadata of columns; an ENUM or SET gets its own type in place of the type CHAR. */
function metadataOf(bytes: Bytes, types: number[]): number[] {
  return types.map((type, i) => {
    switch (type) {
      case Type.float:
      case Type.double:
      case Type.blob:
      case Type.geometry:
      case Type.json:
      case Type.timestamp2:
      case Type.datetime2:
      case Type.time2:
      case 140:
        return bytes.number(1);
      case Type.varchar:
      case Type.bit:
      case Type.newdecimal:
      case 141:
        return bytes.number(2);
      case Type.string:
      case Type.varString:
      case Type.enum:
      case Type.set: {
        const [high, low] = [bytes.number(1), bytes.number(1)];
        if (high === Type.enum || high === Type.set) {
          types[i] = high;
          return low;
        }
        // The size of a long CHAR is partly in the type.
        return (high & 0x30) === 0x30 ? low : low | (((high & 0x30) ^ 0x30) << 4);
      }
      default:
        return 0;
    }
  });
}

function textsOf(field: Buffer | undefined): string[] {
  const texts: string[] = [];
  if (field) for (const bytes = new Bytes(field); bytes.left > 0;) texts.push(bytes.text());
  return texts;
}

function numbersOf(field: Buffer): number[] {
  const numbers: number[] = [];
  for (const bytes = new Bytes(field); bytes.left > 0;) numbers.push(bytes.length() ?? 0);
  return numbers;
}

function listsOf(field: Buffer | undefined): string[][] {
  const lists: string[][] = [];
  if (field)
    for (const bytes = new Bytes(field); bytes.left > 0;)
      lists.push(Array.from({ length: bytes.length() ?? 0 }, () => bytes.text()));
  return lists;
}

/** Returns the collation of each column of characters: a default with exceptions, or a list. */
function collationsOf(types: readonly number[], byDefault: Buffer | undefined, each: Buffer | undefined): number[] {
  const characters = types.map((type, i) => (isCharacters(type) ? i : -1)).filter((i) => i >= 0);
  const collations: number[] = [];
  if (each) for (const [place, collation] of numbersOf(each).entries()) collations[characters[place]!] = collation;
  if (byDefault) {
    const [first = 0, ...exceptions] = numbersOf(byDefault);
    for (const i of characters) collations[i] = first;
    for (let i = 0; i + 1 < exceptions.length; i += 2) collations[characters[exceptions[i]!]!] = exceptions[i + 1]!;
  }
  return collations;
}
