import {
  type Aggregate,
  type HistoryBuilder,
  NIL,
  OpKind,
  type Row,
  type Scalar,
  UNKNOWN_VALUE,
  comparisonsOf,
  mayMatch,
  rowName,
  rowProblem,
  textOfRow,
} from '@isolab/history';
import { parsePredicate } from './predicates.ts';
import { Words } from './words.ts';

/**
 * Operations on rows of tables:
 *
 *     get(doctors/1, {name: 'alice', on_call: true})   put(doctors/1, nil)
 *     scan(doctors, on_call = true, {1: {name: 'alice', on_call: true}, 2: ?})
 *     count(doctors, on_call = true, 2)   max(doctors, true, age, 61)
 *
 * An absent row is `nil`, and `?` is an unknown version.
 */
export class RowParser {
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  /**
   * Reads an operation at this position of a line and returns its end, after any spaces; −1 if no operation begins
   * here.
   */
  operation(line: string, at: number): number {
    BEGIN.lastIndex = at;
    const begin = BEGIN.exec(line);
    if (begin === null) return -1;
    const words = new Words(line, at + begin[0].length);
    const name = begin[1]!;
    if (name === 'get' || name === 'put') this.#point(words, name);
    else this.#scan(words, name);
    if (/^\s*,\s*(?:…|not\b)/.test(line.slice(words.at))) words.fail('a complete scan, not an abbreviated scan');
    words.expect(')', 'a closing parenthesis');
    words.take('');
    return words.at;
  }

  /** Reads an initial row, such as `doctors/1={on_call: true}`. */
  initialRow(words: Words): readonly [key: number, value: number] {
    const { table, key } = this.#rowOf(words);
    words.expect('=', 'an equals sign and the row');
    return [key, this.#versionOf(words, table, 'a row such as {on_call: true}').value];
  }

  #point(words: Words, name: 'get' | 'put'): void {
    const { table, key } = this.#rowOf(words);
    words.expect(',', 'a comma and the row, or nil');
    const value = words.takeWord('nil')
      ? NIL
      : this.#versionOf(words, table, 'a row such as {on_call: true}, or nil').value;
    this.#builder.op(name === 'get' ? OpKind.Read : OpKind.Write, key, value);
  }

  #scan(words: Words, name: string): void {
    const builder = this.#builder;
    const table = this.#tableOf(words);
    words.expect(',', 'a comma and a condition, such as on_call = true, or true');
    const where = parsePredicate(words);
    for (const [column, constants] of comparisonsOf(where))
      for (const constant of constants) this.#noteType(words, table, column, constant);
    words.expect(',', name === 'scan' ? 'and, or, or a comma and the rows' : 'and, or, or a comma and the result');
    if (name !== 'scan') {
      builder.scan(table.number, where, this.#aggregate(words, table, name as Aggregate['kind']));
      return;
    }
    builder.scan(table.number, where);
    const seen = new Set<number>();
    words.expect('{', 'the rows that it returned, such as {1: {on_call: true}, 2: ?}, or {}');
    if (words.take('}')) return;
    do {
      const from = words.at;
      const key = this.#keyOf(words, table);
      if (seen.has(key)) words.fail('each row once', from, 'a row for the second time');
      seen.add(key);
      words.expect(':', 'a colon and the row, or ?');
      if (words.take('?')) {
        builder.scanned(key, UNKNOWN_VALUE);
        continue;
      }
      const { value, row } = this.#versionOf(words, table, 'a row such as {on_call: true}, or ?');
      if (!mayMatch(where, row)) words.fail('a row that the condition matches', from);
      builder.scanned(key, value);
    } while (words.take(','));
    words.expect('}', 'a comma and another row, or a closing brace');
  }

  #aggregate(words: Words, table: Table, kind: Aggregate['kind']): Aggregate {
    if (kind === 'count') {
      const result = words.integer();
      if (result === null || result < 0n || result > BigInt(Number.MAX_SAFE_INTEGER)) words.fail('a number of rows');
      return { kind, result: Number(result) };
    }
    const column = words.name('a column');
    words.expect(',', 'a comma and the result');
    const from = words.at;
    const result = words.scalar('a value, or null');
    if (kind === 'sum' && result !== null && typeof result !== 'number') words.fail('a number, or null', from);
    this.#noteType(words, table, column, kind === 'sum' ? 0 : result);
    return { kind, column, result };
  }

  #tableOf(words: Words): Table {
    const from = words.at;
    const name = words.name('a table');
    if (name.includes('/')) words.fail('a table without "/" in its name', from);
    return { name, number: this.#builder.scans.table(name) };
  }

  #rowOf(words: Words): { table: Table; key: number } {
    const table = this.#tableOf(words);
    words.expect('/', 'a row such as doctors/1');
    return { table, key: this.#keyOf(words, table) };
  }

  #keyOf(words: Words, { name }: Table): number {
    const key = words.integer() ?? words.quotedText('a key: an integer, or a text in double quotes');
    return this.#builder.keys.string(rowName(name, key));
  }

  #versionOf(words: Words, table: Table, expected: string): { value: number; row: Row } {
    words.expect('{', expected);
    const row = Object.create(null) as Record<string, Scalar>;
    if (!words.take('}')) {
      do {
        const from = words.at;
        const column = words.name('a column');
        if (column in row) words.fail('each column once', from);
        words.expect(':', 'a colon and the value of the column');
        row[column] = words.scalar("a number, a text such as 'alice', true, false or null");
        this.#noteType(words, table, column, row[column]);
      } while (words.take(','));
      words.expect('}', 'a comma and another column, or a closing brace');
    }
    const problem = rowProblem(row);
    if (problem !== null) words.fail(problem.expected, null, problem.found);
    return { value: this.#builder.values.string(textOfRow(row)), row };
  }

  #noteType(words: Words, table: Table, column: string, value: Scalar): void {
    if (value === null) return;
    const other = this.#builder.scans.conflictingType(table.number, column, value);
    if (other !== null)
      words.fail(
        `a ${other}, as before`,
        null,
        `the ${typeof value} ${JSON.stringify(value)} for column "${column}" of table "${table.name}"`,
      );
  }
}

interface Table {
  readonly name: string;
  readonly number: number;
}

const BEGIN = /(get|put|scan|count|sum|min|max)\(/y;
