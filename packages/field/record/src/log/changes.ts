/** Reads the lines of PostgreSQL's output plug-in test_decoding. */

export type Change =
  | { readonly kind: 'begin' | 'commit' }
  | {
      readonly kind: 'insert' | 'update' | 'delete';
      readonly table: string;
      readonly row: Fields;
      readonly old: Fields;
    }
  | { readonly kind: 'truncate'; readonly tables: readonly string[] };

/**
 * Columns by name. Null is SQL's NULL; UNCHANGED is a large value that the log does not repeat. Empty if the log has no
 * row.
 */
export type Fields = ReadonlyMap<string, string | null | typeof UNCHANGED>;

export const UNCHANGED = Symbol('unchanged');

const NO_FIELDS: Fields = new Map();

/**
 * Parses a line; null if the line has no rows, or if they are rows of a table that `skips`. Tables are named
 * `schema.table`, without quotes.
 */
export function readChange(line: string, skips: (table: string) => boolean): Change | null {
  if (line.startsWith('BEGIN')) return { kind: 'begin' };
  if (line.startsWith('COMMIT')) return { kind: 'commit' };
  if (!line.startsWith('table ')) return null;
  const { names, end } = readNames(line, 'table '.length);
  const colon = line.indexOf(': ', end + 1);
  const verb = line.slice(end + 2, colon);
  const rest = colon + 2;
  if (verb !== 'TRUNCATE' && skips(names[0]!)) return null;
  switch (verb) {
    case 'INSERT':
      return { kind: 'insert', table: names[0]!, row: readFields(line, rest).fields, old: NO_FIELDS };
    case 'DELETE':
      return { kind: 'delete', table: names[0]!, row: NO_FIELDS, old: readFields(line, rest).fields };
    case 'UPDATE': {
      if (!line.startsWith(OLD_KEY, rest))
        return { kind: 'update', table: names[0]!, row: readFields(line, rest).fields, old: NO_FIELDS };
      const old = readFields(line, rest + OLD_KEY.length);
      const row = readFields(line, old.end + NEW_TUPLE.length).fields;
      return { kind: 'update', table: names[0]!, row, old: old.fields };
    }
    case 'TRUNCATE':
      return { kind: 'truncate', tables: names };
    default:
      return null;
  }
}

const OLD_KEY = 'old-key: ';
const NEW_TUPLE = 'new-tuple: ';

/** Reads `public.t, public."U 2"`, up to the colon after the names. */
function readNames(line: string, start: number): { readonly names: readonly string[]; readonly end: number } {
  const names: string[] = [];
  let name = '';
  let at = start;
  for (;;) {
    const part = readIdentifier(line, at);
    name += part.name;
    at = part.end;
    if (line[at] === '.') {
      name += '.';
      at++;
      continue;
    }
    names.push(name);
    name = '';
    if (line[at] !== ',') return { names, end: at };
    at += 2;
  }
}

function readIdentifier(line: string, start: number): { readonly name: string; readonly end: number } {
  if (line[start] !== '"') {
    let end = start;
    while (end < line.length && isPartOfName(line, end)) end++;
    // Skips an unexpected character.
    return end > start ? { name: line.slice(start, end), end } : { name: '', end: start + 1 };
  }
  const end = endOfQuoted(line, start, '"');
  return { name: line.slice(start + 1, end - 1).replaceAll('""', '"'), end };
}

function isPartOfName(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code < 128 ? IS_PART_OF_NAME[code] === 1 : /[\p{L}\p{N}]/u.test(line[at]!);
}

const IS_PART_OF_NAME = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Position after the closing quote; quotes inside are doubled. */
function endOfQuoted(line: string, start: number, quote: string): number {
  for (let at = start + 1; ; at += 2) {
    at = line.indexOf(quote, at);
    if (at < 0) return line.length;
    if (line[at + 1] !== quote) return at + 1;
  }
}

/** Reads `id[integer]:1 name[text]:'it''s'`, up to the end or to the first text that is not a column. */
function readFields(line: string, start: number): { readonly fields: Fields; readonly end: number } {
  const fields = new Map<string, string | null | typeof UNCHANGED>();
  let at = start;
  while (at < line.length && line[at] !== '(' && !line.startsWith(NEW_TUPLE, at)) {
    const { name, end } = readIdentifier(line, at);
    if (line[end] !== '[') break;
    const value = readValue(line, endOfType(line, end) + 1);
    fields.set(name, value.value);
    at = value.end + 1; // after the space
  }
  return { fields, end: at };
}

/** Position of the colon after a type: `[integer]:`, `[public."a ] b"[]]:`. */
function endOfType(line: string, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    if (line[at] === '"') at = endOfQuoted(line, at, '"') - 1;
    else if (line[at] === '[') depth++;
    else if (line[at] === ']' && --depth === 0) return at + 1;
  }
  return line.length;
}

function readValue(
  line: string,
  start: number,
): { readonly value: string | null | typeof UNCHANGED; readonly end: number } {
  // Bit strings: B'101'.
  const quote = line[start] === 'B' && line[start + 1] === "'" ? start + 1 : start;
  if (line[quote] === "'") {
    const end = endOfQuoted(line, quote, "'");
    return { value: line.slice(quote + 1, end - 1).replaceAll("''", "'"), end };
  }
  const space = line.indexOf(' ', start);
  const end = space < 0 ? line.length : space;
  const text = line.slice(start, end);
  if (text === 'null') return { value: null, end };
  return { value: text === 'unchanged-toast-datum' ? UNCHANGED : text, end };
}
