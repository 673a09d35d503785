import {
  AGGREGATES,
  type Aggregate,
  type Constant,
  type HistoryBuilder,
  NIL,
  OpKind,
  type Predicate,
  type Row,
  type Scalar,
  UNKNOWN_VALUE,
  comparisonsOf,
  mayMatch,
  predicateProblem,
  rowName,
  rowProblem,
  textOfRow,
} from '@isolab/history';
import type { JsonReader, JsonValue } from '../syntax/json.ts';
import type { FieldReader } from './isolab-fields.ts';

/** The operations on rows of tables: `["get","t",1,ROW]`, `["put","t",1,ROW]`, `["scan","t",WHERE,[[1,ROW],…]]`, … */
export const ROW_OPERATIONS: readonly string[] = ['get', 'put', 'scan', ...AGGREGATES];

export class RowReader {
  readonly #json: JsonReader;
  readonly #fields: FieldReader;
  // Caches of the last values read, because values repeat: by table, versions by their text and keys by themselves.
  #builder: HistoryBuilder | null = null;
  #versions: Map<string, Version>[] = [];
  #keys: Map<bigint | string, number>[] = [];

  constructor(json: JsonReader, fields: FieldReader) {
    this.#json = json;
    this.#fields = fields;
  }

  /** Reads the rest of an operation after its kind. */
  readOperation(builder: HistoryBuilder, kind: string): void {
    this.#begin(builder);
    const table = this.#readTable(builder);
    if (kind === 'get' || kind === 'put') {
      const key = this.#readKey(builder, table);
      this.#json.expectElement('the row, or null');
      const value = this.#readVersion(builder, table)?.value ?? NIL;
      builder.op(kind === 'get' ? OpKind.Read : OpKind.Write, key, value);
      return;
    }
    this.#json.expectElement('the predicate');
    const where = this.#readPredicate(builder, table);
    if (kind === 'scan') this.#readScan(builder, table, where);
    else builder.scan(table.number, where, this.#readAggregate(builder, table, kind as Aggregate['kind']));
  }

  /** Reads an initial row, `["t",1,ROW]`, and returns its key and version. */
  readInitialRow(builder: HistoryBuilder): readonly [key: number, value: number] {
    this.#begin(builder);
    this.#json.beginSequence();
    const table = this.#readTable(builder);
    const key = this.#readKey(builder, table);
    this.#json.expectElement('the row');
    const value = this.#readVersion(builder, table)?.value ?? NIL;
    this.#json.endSequence();
    return [key, value];
  }

  /** Clears the caches, because their ids belong to one history. */
  #begin(builder: HistoryBuilder): void {
    if (this.#builder === builder) return;
    this.#builder = builder;
    this.#versions = [];
    this.#keys = [];
  }

  #readTable(builder: HistoryBuilder): Table {
    this.#json.expectElement('the table');
    const name = this.#fields.readTable();
    return { name, number: builder.scans.table(name) };
  }

  #readKey(builder: HistoryBuilder, { name, number }: Table): number {
    this.#json.expectElement('the key of the row');
    const key = this.#fields.readAtom();
    if (typeof key !== 'bigint' && typeof key !== 'string')
      throw this.#fields.problem('another value', 'an integer or a text');
    const known = (this.#keys[number] ??= new Map());
    return known.get(key) ?? remember(known, key, builder.keys.string(rowName(name, key)));
  }

  #readScan(builder: HistoryBuilder, table: Table, where: Predicate): void {
    this.#json.expectElement('the rows');
    builder.scan(table.number, where);
    const keys = new Set<number>();
    this.#json.beginSequence();
    while (this.#json.nextElement()) {
      this.#json.beginSequence();
      const key = this.#readKey(builder, table);
      if (keys.has(key)) throw this.#fields.problem('a row for the second time', 'each row once');
      keys.add(key);
      this.#json.expectElement('the row, or null if it is not known');
      const version = this.#readVersion(builder, table);
      if (version !== null && !mayMatch(where, version.row))
        throw this.#fields.problem(textOfRow(version.row), 'a row that the predicate matches');
      builder.scanned(key, version?.value ?? UNKNOWN_VALUE);
      this.#json.endSequence();
    }
  }

  #readAggregate(builder: HistoryBuilder, table: Table, kind: Aggregate['kind']): Aggregate {
    if (kind === 'count') {
      this.#json.expectElement('the number of rows');
      const result = this.#json.readSafeInteger();
      if (result < 0) throw this.#fields.problem(String(result), 'a number of rows');
      return { kind, result };
    }
    this.#json.expectElement('the column');
    const column = this.#json.readString();
    this.#json.expectElement('the result');
    const result = this.#readPlain();
    const expected = kind === 'sum' ? 'a number or null' : 'a value or null';
    if (typeof result === 'object' ? result !== null : kind === 'sum' && typeof result !== 'number')
      throw this.#fields.problem(JSON.stringify(result), expected);
    this.#noteType(builder, table, column, kind === 'sum' ? 0 : (result as Scalar));
    return { kind, column, result: result as Scalar };
  }

  #readPredicate(builder: HistoryBuilder, table: Table): Predicate {
    const data = this.#readPlain();
    const problem = predicateProblem(data);
    if (problem !== null) throw this.#fields.problem(problem.found, problem.expected);
    const predicate = data as Predicate;
    for (const [column, constants] of comparisonsOf(predicate))
      for (const constant of constants) this.#noteType(builder, table, column, constant);
    return predicate;
  }

  /** Reads a version of a row; null where the row is absent or its version unknown. */
  #readVersion(builder: HistoryBuilder, table: Table): Version | null {
    if (this.#json.peek() === 'null') {
      this.#json.readNull();
      return null;
    }
    const text = this.#json.flatObjectAhead();
    if (text === undefined) return this.#readNewVersion(builder, table);
    const known = (this.#versions[table.number] ??= new Map());
    const version = known.get(text);
    if (version === undefined) return remember(known, text, this.#readNewVersion(builder, table));
    this.#json.skipFlatObject(text);
    return version;
  }

  #readNewVersion(builder: HistoryBuilder, table: Table): Version {
    const data = this.#readPlain();
    const problem = rowProblem(data);
    if (problem !== null) throw this.#fields.problem(problem.found, problem.expected);
    const row = data as Row;
    for (const column in row) this.#noteType(builder, table, column, row[column]!);
    return { value: builder.values.string(textOfRow(row)), row };
  }

  #noteType(builder: HistoryBuilder, table: Table, column: string, value: Scalar): void {
    if (value === null) return;
    const other = builder.scans.conflictingType(table.number, column, value as Constant);
    if (other !== null)
      throw this.#fields.problem(
        `the ${typeof value} ${JSON.stringify(value)} for column ${JSON.stringify(column)} of table ${JSON.stringify(table.name)}`,
        `a ${other}, as before`,
      );
  }

  #readPlain(): unknown {
    return plain(this.#json.readValue());
  }
}

interface Version {
  readonly value: number;
  readonly row: Row;
}

/** Small enough for the memory; most reads see recent writes. */
const MOST_REMEMBERED = 1 << 16;

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  if (known.size === MOST_REMEMBERED) known.clear();
  known.set(key, value);
  return value;
}

interface Table {
  readonly name: string;
  readonly number: number;
}

/** Converts JSON to a JavaScript value. Objects have no prototype, so a column may have any name. */
function plain(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    const object = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of value) object[name] = plain(member);
    return object;
  }
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'object' && value !== null ? Number(value.text) : value;
}
