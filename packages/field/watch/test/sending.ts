/** Deviations of senders from sending each line once. */
export interface Sending {
  /** Whether the initial state is written by an initial transaction. */
  readonly hasInitialTransaction: boolean;
  /**
   * Whether transactions are numbered; then some lines come again: this many lines after their own, or not at all if 0.
   */
  readonly isNumbered: boolean;
  readonly again: readonly number[];
  /** Isolation level that a recorder states for each transaction; an empty one states none. */
  readonly levels: readonly string[];
  /** Lines behind which the header comes again. */
  readonly headers: readonly number[];
}

/** The lines of a stream as they are sent, the header first, and how many come again. */
export function sentLines(
  header: string,
  coming: readonly string[],
  { hasInitialTransaction, isNumbered, again, levels, headers }: Sending,
): { readonly lines: string[]; readonly duplicates: number } {
  const told = coming.map((text, i) => withLevel(text, levels[i % levels.length]!));
  const single = isNumbered ? numbered(told) : told;
  const late = new Map<number, string[]>(); // lines that come again, by the line after which they do
  let duplicates = 0;
  if (isNumbered)
    for (const [i, text] of single.entries()) {
      const lag = again[i % again.length]!;
      if (lag === 0) continue;
      const at = Math.min(i + lag - 1, single.length - 1);
      late.set(at, [...(late.get(at) ?? []), text]);
      duplicates++;
    }
  const first = hasInitialTransaction ? beginning(header, coming) : [header];
  const lines = [...first];
  for (const [i, text] of single.entries()) {
    lines.push(text, ...(late.get(i) ?? []));
    if (headers.includes(i)) lines.push(first[0]!);
  }
  return { lines, duplicates };
}

type Fields = Record<string, unknown>;

const withLevel = (text: string, level: string): string => {
  const { session, ...fields } = JSON.parse(text) as Fields;
  return level === '' || 'outcome' in fields ? text : JSON.stringify({ session, level, ...fields });
};

function numbered(lines: readonly string[]): string[] {
  const latest = new Map<string, number>();
  return lines.map((text) => {
    const fields = JSON.parse(text) as Fields;
    const session = JSON.stringify(fields['session']);
    const number = (latest.get(session) ?? 0) + ('outcome' in fields ? 0 : 1);
    latest.set(session, number);
    return JSON.stringify({ ...fields, number });
  });
}

/** A header that says less, and a transaction that writes the initial state of all keys. */
function beginning(header: string, lines: readonly string[]): string[] {
  const {
    initial = null,
    initialOf = [],
    ...fields
  } = JSON.parse(header) as Fields & {
    readonly initialOf?: readonly [unknown, unknown][];
  };
  const known = new Map(initialOf.map(([key, value]) => [JSON.stringify(key), value]));
  const keys = new Set<string>(known.keys());
  for (const text of lines)
    for (const [, key] of ((JSON.parse(text) as Fields)['ops'] ?? []) as [string, unknown][])
      keys.add(JSON.stringify(key));
  const ops = Array.from(keys, (key) => ['w', JSON.parse(key) as unknown, known.has(key) ? known.get(key) : initial]);
  if (ops.length === 0) return [header];
  return [
    JSON.stringify({ ...fields, initialTransaction: 'first' }),
    JSON.stringify({ session: 'the beginning', ops }),
  ];
}
