import { FormatError, type IsolabReader } from '@isolab/formats';

/** Fields of a header that say something of the file, which the lines that are watched are not in any more. */
const OF_THE_FILE = ['sessions', 'source', 'collected', 'recorded'];

/** The header under which single lines of a stream are read. */
export interface StreamHeader {
  /** For the first transactions: with the initial state that the header declares. */
  readonly text: string;
  /** Whether the first transaction is the initial one. */
  readonly hasInitialTransaction: boolean;
  /** Whether a mark says when the stream is complete. */
  readonly promisesEnd: boolean;
}

export function streamHeader(line: string): StreamHeader {
  const fields = parseExactly(line) as Record<string, unknown>;
  const hasInitialTransaction = fields['initialTransaction'] === 'first';
  const promisesEnd = 'collected' in fields || 'recorded' in fields;
  for (const name of [...OF_THE_FILE, 'initialTransaction']) delete fields[name];
  return { text: printExactly(fields), hasInitialTransaction, promisesEnd };
}

/** The header of a stream whose first transaction is the initial one: with what it writes as the initial state of its keys. */
export function withInitialTransaction(
  header: string,
  transaction: string,
  reader: IsolabReader,
  { name, line }: { readonly name: string; readonly line: number },
): string {
  const fields = parseExactly(header) as Record<string, unknown>;
  reader.beginFile({ name, share: () => 0 });
  const text = Buffer.from(`${printExactly({ ...fields, initialTransaction: 'first' })}\n${transaction.trim()}\n`);
  reader.readLines(text, 0, text.length);
  reader.endFile();
  reader.finish(); // refuses what is no initial transaction
  const { ops } = parseExactly(transaction) as { readonly ops: readonly (readonly unknown[])[] };
  const other = ops.find(([kind]) => kind !== 'w');
  if (other !== undefined)
    throw new FormatError(
      name,
      `line ${line}`,
      `found ${JSON.stringify(other[0])} in the initial transaction, expected only "w"`,
    );
  const before = (fields['initialOf'] ?? []) as readonly unknown[];
  return printExactly({ ...fields, initialOf: [...before, ...ops.map(([, key, value]) => [key, value])] });
}

/** Parses JSON; integers that are longer than JavaScript knows come back as they were from {@link printExactly}. */
export const parseExactly = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(TEXT_OR_LONG_INTEGER, (found) => (found.startsWith('"') ? found : `"${MARK}${found}"`)),
  ) as unknown;

const printExactly = (value: unknown): string => JSON.stringify(value).replaceAll(MARKED, '$1');

const TEXT_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?\d{16,}(?![\w.])/g;
const MARK = '__integer:';
const MARKED = /"__integer:(-?\d+)"/g;
