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
  // Longer integers than JavaScript knows stay as they are.
  const fields = JSON.parse(line.replaceAll(LONG_INTEGER, `$1"${MARK}$2"`)) as Record<string, unknown>;
  const hasInitialTransaction = fields['initialTransaction'] === 'first';
  const promisesEnd = 'collected' in fields || 'recorded' in fields;
  for (const name of [...OF_THE_FILE, 'initialTransaction']) delete fields[name];
  return { text: JSON.stringify(fields).replaceAll(MARKED, '$1'), hasInitialTransaction, promisesEnd };
}

const LONG_INTEGER = /([[:,]\s*)(-?\d{16,})(?=\s*[\],}])/g;
const MARK = '__integer:';
const MARKED = /"__integer:(-?\d+)"/g;
