import { FormatError, type IsolabReader } from '@isolab/formats';
import { type NewReader, readerBehind, syntaxProblemOf } from '../engine/snapshot.ts';

/** Header fields about the original file, which do not apply to the lines being watched. */
const OF_THE_FILE = ['sessions', 'source', 'collected', 'recorded'];

/** The header under which single lines of a stream are read. */
export interface StreamHeader {
  /** The header for the first transactions, including its declared initial state. */
  readonly text: string;
  /** Whether the first transaction is the initial one. */
  readonly hasInitialTransaction: boolean;
  /** Whether the stream is to end with an end mark. */
  promisesEnd: boolean;
}

export const isHeader = (line: Uint8Array | string): boolean =>
  HEADER.test(typeof line === 'string' ? line : Buffer.from(line.subarray(0, HEADER_BEGINS)).toString());

/** Throws if the line is not a header, or is a header under which nothing can be read. */
export function firstHeader(
  line: string,
  { name, place }: { readonly name: string; readonly place: string },
  newReader: NewReader,
): StreamHeader {
  if (!isHeader(line))
    throw new FormatError(
      name,
      place,
      `found ${line.slice(0, 40).trim()}, expected a header such as {"isolab":"history","version":1}`,
    );
  try {
    readerBehind(newReader, Buffer.from(line), name);
  } catch (error) {
    const problem = syntaxProblemOf(error);
    if (problem === null) throw error;
    throw new FormatError(name, place, `found ${problem.found}, expected ${problem.expected}`);
  }
  return streamHeader(line);
}

/** Throws if another header contradicts the first header. */
export function insistOnSame(first: StreamHeader, other: StreamHeader, name: string, line: number): void {
  const [known, found] = [parseExactly(first.text), parseExactly(other.text)];
  if (first.hasInitialTransaction) known['initialTransaction'] = 'first';
  if (other.hasInitialTransaction) found['initialTransaction'] = 'first';
  const field = Object.keys({ ...known, ...found }).find((each) => printed(known[each]) !== printed(found[each]));
  if (field === undefined) return;
  throw new FormatError(
    name,
    `line ${line}`,
    `found a header with "${field}" ${printed(found[field])}, expected ${printed(known[field])}, as in the first header; a different header needs a stream of its own`,
  );
}

const printed = (value: unknown): string => (value === undefined ? 'absent' : printExactly(value));

export function markIn(text: string, name: string, line: number): { readonly isolab: string; readonly why?: string } {
  try {
    return JSON.parse(text) as { readonly isolab: string; readonly why?: string };
  } catch (error) {
    throw new FormatError(name, `line ${line}`, (error as Error).message);
  }
}

export function streamHeader(line: string): StreamHeader {
  const fields = parseExactly(line);
  const hasInitialTransaction = fields['initialTransaction'] === 'first';
  const promisesEnd = 'collected' in fields || 'recorded' in fields;
  for (const name of [...OF_THE_FILE, 'initialTransaction']) delete fields[name];
  return { text: printExactly(fields), hasInitialTransaction, promisesEnd };
}

/**
 * Converts the header of a stream whose first transaction is the initial one: its writes become the initial state of
 * their keys.
 */
export function withInitialTransaction(
  header: string,
  transaction: string,
  reader: IsolabReader,
  { name, line }: { readonly name: string; readonly line: number },
): string {
  const fields = parseExactly(header);
  reader.beginFile({ name, share: () => 0 });
  const text = Buffer.from(`${printExactly({ ...fields, initialTransaction: 'first' })}\n${transaction.trim()}\n`);
  reader.readLines(text, 0, text.length);
  reader.endFile();
  reader.finish(); // rejects a line that is not an initial transaction
  const ops = parseExactly(transaction)['ops'] as readonly (readonly unknown[])[];
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

/** Parses JSON; integers beyond JavaScript's safe range are restored exactly by {@link printExactly}. */
export function parseExactly(text: string): Record<string, unknown> {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Record<string, unknown>;
  let isText = false;
  const spelled = text.replaceAll(QUOTE_OR_LONG_INTEGER, (found) => {
    if (found === '"') isText = !isText;
    return isText || !/\d$/.test(found) ? found : `"${MARK}${found}"`;
  });
  return JSON.parse(spelled) as Record<string, unknown>;
}

const printExactly = (value: unknown): string => JSON.stringify(value).replaceAll(MARKED, '$1');

const HEADER = /^\s*\{\s*"isolab"\s*:\s*"history"/;
const HEADER_BEGINS = 64;
/** Also matches an escaped character. Texts are matched in small pieces, because they may have megabytes. */
const QUOTE_OR_LONG_INTEGER = /"|\\[\s\S]|(?<![\w.+-])-?\d{16,}(?![\w.])/g;
const MARK = '__integer:';
const MARKED = /"__integer:(-?\d+)"/g;
