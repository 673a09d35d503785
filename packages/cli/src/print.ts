import process from 'node:process';

/** Where a command prints: results to standard output, everything else to standard error. */
export interface Printer {
  out(text: string): void;
  note(text: string): void;
  readonly style: Style;
}

export type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

const styleOf = (coloured: boolean): Style =>
  Object.fromEntries(
    Object.entries(CODES).map(([name, [on, off]]) => [
      name,
      (text: string) => (coloured ? `\u001B[${on}m${text}\u001B[${off}m` : text),
    ]),
  ) as Style;

/** Colours only where a person looks, and never against NO_COLOR (https://no-color.org). */
export function terminalPrinter(): Printer {
  const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    style: styleOf(coloured),
  };
}

/** JSON on one line; an integer that JavaScript's numbers cannot hold becomes its digits, as a string. */
export const toJson = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  });

/** Columns as wide as their widest cell; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[], indent = '  '): string {
  const width = (column: number): number => Math.max(...rows.map((row) => String(row[column] ?? '').length));
  const widths = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, column) => width(column));
  const line = (row: readonly (string | number)[]): string =>
    row
      .map((cell, column) =>
        typeof cell === 'number' ? String(cell).padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ');
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** `1 read`, `2 reads`. */
export const count = (n: number, noun: string, plural = `${noun}s`): string => `${n} ${n === 1 ? noun : plural}`;
