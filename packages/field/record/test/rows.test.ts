import { describe, expect, test } from 'vitest';
import { NO_REDACTION, hashing } from '../src/recorded/redaction.ts';
import { type FoundRow, foundRow } from '../src/recorded/rows-of-result.ts';
import type { Column, Table } from '../src/sql/catalog.ts';
import { parseRowText } from '../src/sql/row-text.ts';
import { numbersFrom } from './wire/random.ts';

describe('the text of a row', () => {
  test.each([
    ['()', [null]],
    ['(1,,"a ""b""",t)', ['1', null, 'a "b"', 't']],
    ['("",,)', ['', null, null]],
    [String.raw`("a\\b","\"","c,d)")`, [String.raw`a\b`, '"', 'c,d)']],
    ['(" é",2026-01-01)', [' é', '2026-01-01']],
  ])('%s', (text, fields) => {
    expect(parseRowText(text)).toEqual(fields);
  });

  test('the text of a row is read as it was written', () => {
    const { below } = numbersFrom(7);
    const characters = ['a', '"', '\\', ',', ')', '(', ' ', '\n', 'é', '1'];
    for (let i = 0; i < 2_000; i++) {
      const fields = Array.from({ length: 1 + below(4) }, () =>
        below(4) === 0 ? null : Array.from({ length: below(5) }, () => characters[below(10)]!).join(''),
      );
      expect(parseRowText(rowText(fields))).toEqual(fields);
    }
  });
});

/** Text of a row as PostgreSQL writes it. */
function rowText(fields: readonly (string | null)[]): string {
  const written = fields.map((field) => {
    if (field === null) return '';
    return field === '' || /["\\,()\s]/.test(field) ? `"${field.replaceAll(/["\\]/g, '$&$&')}"` : field;
  });
  return `(${written.join()})`;
}

const COLUMNS: readonly Column[] = [
  { name: 'z', type: 'text' },
  { name: 'id', type: 'bigint' },
  { name: 'is', type: 'boolean' },
  { name: 'y', type: 'left out' },
  { name: 'Big', type: 'bigint' },
];

const table = (more: Partial<Table>): Table => ({
  name: 'some"thing',
  schema: 'public',
  table: 'something',
  columns: COLUMNS,
  key: ['id'],
  unique: [],
  definition: '',
  storage: '',
  problem: null,
  sideEffect: null,
  returnsStaleOld: false,
  notInLog: null,
  isWhole: true,
  ...more,
});

describe('a row of a result', () => {
  const text = '("a ""b""",7,t,x,123456789012345678)';

  test('a row of a result has its columns in the order of their names', () => {
    expect(foundRow({ table: table({}), at: 1 }, ['other', '42', text], NO_REDACTION)).toEqual({
      place: String.raw`"some\"thing",7`,
      version: String.raw`{"Big":9007199254740991,"id":7,"is":true,"xmin":42,"z":"a \"b\""}`,
      xmin: 42,
    });
  });

  test('a row of a result has no columns that hold nothing', () => {
    const found = foundRow({ table: table({}), at: 0 }, ['42', '(,7,,,)'], NO_REDACTION);
    expect(found).toMatchObject({ version: '{"id":7,"xmin":42}' });
  });

  test('a row of a result has its key alone where its table is large', () => {
    const large = table({ isWhole: false, key: ['z', 'id'] });
    expect(foundRow({ table: large, at: 0 }, ['42', 'a"', '7', 'other'], NO_REDACTION)).toEqual({
      place: String.raw`"some\"thing","[\"a\\\"\",\"7\"]"`,
      version: '{"xmin":42}',
      xmin: 42,
    });
  });

  test.each([
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '"9007199254740993"'],
    ['-3', '-3'],
  ])('a row of a result has the key %s as JSON has it', (id, spelled) => {
    expect(foundRow({ table: table({}), at: 0 }, ['1', `(,${id},,,)`], NO_REDACTION)).toMatchObject({
      place: String.raw`"some\"thing",${spelled}`,
    });
  });

  test('a row of a result has hashes instead of values where they are redacted', () => {
    const { place, version } = foundRow(
      { table: table({}), at: 0 },
      ['42', text],
      hashing(Buffer.from('x')),
    ) as FoundRow;
    const row = JSON.parse(version) as Record<string, unknown>;
    expect(Object.keys(row)).toEqual(['Big', 'id', 'is', 'xmin', 'z']);
    expect(row['xmin']).toBe(42);
    expect(place).toBe(`${String.raw`"some\"thing",`}${JSON.stringify(row['id'])}`);
    expect(version).not.toMatch(/true|a \\|:7/);
  });

  test('a row of a result is none where an outer join found none', () => {
    expect(foundRow({ table: table({}), at: 0 }, [null, null], NO_REDACTION)).toBe(null);
  });

  test.each(['(,7,,)', '(,7,,,,)'])('the row %s is unreadable where its table has five columns', (row) => {
    expect(foundRow({ table: table({}), at: 0 }, ['42', row], NO_REDACTION)).toBe('unreadable');
  });
});
