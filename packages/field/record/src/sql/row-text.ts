import type { Scalar } from '@isolab/history';
import type { ColumnType } from './catalog.ts';

/** Parses a row that PostgreSQL printed as one text: `(1,"a ""b""",,t)`; an empty field is null. */
export function parseRowText(text: string): (string | null)[] {
  const fields: (string | null)[] = [];
  let at = 1; // after the parenthesis
  while (at < text.length) {
    let end = text.charCodeAt(at) === QUOTE ? endOfQuoted(text, at) : at;
    // Most fields have no quotes, or are one quoted text.
    while (end < text.length && !ENDS.has(text.charCodeAt(end))) end++;
    fields.push(end === at ? null : fieldOf(text, at, end));
    at = end + 1;
  }
  return fields;
}

/** Position after the closing quote; quotes inside are doubled or preceded by a backslash. */
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

/** A table cannot have a column of this name: PostgreSQL reserves it. */
export const WRITER_COLUMN = 'xmin';

export function scalarOf(type: ColumnType, text: string): Scalar {
  switch (type) {
    case 'integer':
      return Number(text);
    case 'bigint':
      // Larger integers exceed every constant that conditions are modelled with.
      return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
    case 'boolean':
      return text === 't' || text === 'true';
    default:
      return text;
  }
}

/** PostgreSQL writes a boolean as `t` within a row, and as `true` in a cast and in the log. */
const plainText = (type: ColumnType, text: string | null): string | null =>
  type === 'boolean' && text !== null ? String(scalarOf(type, text)) : text;

/** Formats a column's value as JSON; `redacted` replaces the value. */
export function jsonOf(type: ColumnType, text: string, redacted: ((value: Scalar & {}) => string) | null): string {
  const value = scalarOf(type, text)!;
  if (redacted !== null) return JSON.stringify(redacted(value));
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}

/** Returns the key of a row: an integer if the primary key is a single integer, otherwise a text. */
export function keyOf(types: readonly ColumnType[], fields: readonly (string | null)[]): number | string {
  if (fields.length > 1) return JSON.stringify(fields.map((field, i) => plainText(types[i]!, field)));
  const field = plainText(types[0]!, fields[0]!);
  const number = types[0] === 'integer' || types[0] === 'bigint' ? Number(field) : NaN;
  // Integers that JSON would round are written as texts.
  return Number.isSafeInteger(number) ? number : field!;
}
