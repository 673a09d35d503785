import type { Scalar } from '@isolab/history';
import type { ColumnType } from './catalog.ts';

/** The columns of a row as PostgreSQL prints it as one text: `(1,"a ""b""",,t)`; nothing between commas is null. */
export function parseRowText(text: string): (string | null)[] {
  const fields: (string | null)[] = [];
  let at = 1; // behind the parenthesis
  while (at < text.length) {
    let end = text.charCodeAt(at) === QUOTE ? endOfQuoted(text, at) : at;
    // Most have no quotes, or are one quoted text.
    while (end < text.length && !ENDS.has(text.charCodeAt(end))) end++;
    fields.push(end === at ? null : fieldOf(text, at, end));
    at = end + 1;
  }
  return fields;
}

/** Position behind the closing quote; quotes within are doubled, or have a backslash before them. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) {
      if (text.charCodeAt(at + 1) !== QUOTE) return at + 1;
      at++;
    }
  }
  return text.length;
}

function fieldOf(text: string, start: number, end: number): string {
  if (text.charCodeAt(start) !== QUOTE) return text.slice(start, end);
  const inner = text.slice(start + 1, end - 1);
  return ESCAPE.test(inner) ? inner.replaceAll(ESCAPES, '$1') : inner;
}

const ESCAPE = /["\\]/;
const ESCAPES = /["\\]([^])/g;
const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const ENDS: ReadonlySet<number> = new Set([',', ')'].map((character) => character.charCodeAt(0)));

/** No table has a column of this name: PostgreSQL reserves it. */
export const WRITER_COLUMN = 'xmin';

export function scalarOf(type: ColumnType, text: string): Scalar {
  switch (type) {
    case 'integer':
      return Number(text);
    case 'bigint':
      // Larger ones lie beyond every constant that conditions are modelled with.
      return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
    case 'boolean':
      return text === 't' || text === 'true';
    default:
      return text;
  }
}

/** A column as JSON; `redacted` replaces its value. */
export function jsonOf(type: ColumnType, text: string, redacted: ((value: Scalar & {}) => string) | null): string {
  const value = scalarOf(type, text)!;
  if (redacted !== null) return JSON.stringify(redacted(value));
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}

/** The key of a row: an integer where the primary key is one, else a text. */
export function keyOf(types: readonly ColumnType[], fields: readonly (string | null)[]): number | string {
  if (fields.length > 1) return JSON.stringify(fields);
  const [field] = fields;
  const number = types[0] === 'integer' || types[0] === 'bigint' ? Number(field) : NaN;
  // Integers that JSON would round are spelled as texts.
  return Number.isSafeInteger(number) ? number : field!;
}
