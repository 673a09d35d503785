/** Value of a column in a row. */
export type Scalar = string | number | boolean | null;

/** A row of a table: its columns by name. A missing column is null. */
export type Row = Readonly<Record<string, Scalar>>;

/** Returns the text that identifies a row's content: its non-null columns in the order of their names. */
export const textOfRow = (row: Row): string =>
  `{${Object.keys(row)
    .filter((column) => row[column] !== null)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((column) => `${JSON.stringify(column)}:${JSON.stringify(row[column])}`)
    .join()}}`;

/** Objects without a prototype are slow dictionaries; those with an empty prototype are not. */
const Columns = function Columns() {} as unknown as new () => Record<string, Scalar>;
Columns.prototype = Object.create(null) as object;

/** Parses such a text. The row inherits nothing, so that a missing column named `constructor` is undefined, too. */
export const rowOfText = (text: string): Row => Object.assign(new Columns(), JSON.parse(text) as Row);

/** Describes a problem with a purported row; null if there is none. */
export function rowProblem(data: unknown): { found: string; expected: string } | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return { found: JSON.stringify(data) ?? 'nothing', expected: 'a row such as {"column":1}' };
  for (const [column, value] of Object.entries(data)) {
    const expected = 'a text, a number, a boolean or null in every column';
    if (column === '') return { found: 'a column without a name', expected: 'a name' };
    if (typeof value === 'object' ? value !== null : !SCALARS.has(typeof value))
      return { found: `${JSON.stringify(value)} in column ${JSON.stringify(column)}`, expected };
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      return {
        found: `${value} in column ${JSON.stringify(column)}`,
        expected: 'an integer of at most 53 bits; write longer ones as text',
      };
  }
  return null;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);
