import { TRACES } from './traces.ts';

/** A query string without its numbers and texts: strings that differ only in their literals are planned once. */
export interface Literals {
  readonly key: string;
  /** The start of each literal in the string, in order. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const [QUOTE, DOUBLE_QUOTE, DASH, SLASH, STAR, DOLLAR, DOT, BACKSLASH] = Array.from('\'"-/*$.\\', (c) =>
  c.charCodeAt(0),
);

/** Null if the string has rare syntax that is not supported here: `E'\n'`, `$$…$$`, letters beyond ASCII. */
export function literalsOf(sql: string): Literals | null {
  const starts: number[] = [];
  const ends: number[] = [];
  let key = '';
  let kept = 0; // start of the part that is not yet in the key
  for (let at = 0; at < sql.length;) {
    const code = sql.charCodeAt(at);
    if (code > 127 || code === BACKSLASH) return null;
    if (code === QUOTE || isDigit(code)) {
      const end = code === QUOTE ? endOfText(sql, at) : endOfNumber(sql, at);
      if (end < 0) return null;
      key += `${sql.slice(kept, at)}${code === QUOTE ? "''" : '0'}`;
      starts.push(at);
      ends.push(end);
      at = kept = end;
    } else if (code === DOUBLE_QUOTE) {
      const end = sql.indexOf('"', at + 1);
      if (end < 0) return null;
      at = end + 1;
    } else if (isLetter(code)) {
      at = endOfWord(sql, at);
      // A letter directly before a quote: `E'…'`, `X'…'`.
      if (sql.charCodeAt(at) === QUOTE) return null;
    } else if (code === DOLLAR) {
      at = endOfWord(sql, at + 1);
      if (sql.charCodeAt(at) === DOLLAR) return null;
    } else if (code === DASH && sql.charCodeAt(at + 1) === DASH) {
      const end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length : end;
    } else if (code === SLASH && sql.charCodeAt(at + 1) === STAR) {
      const end = sql.indexOf('*/', at);
      if (end < 0 || sql.slice(at + 2, end).includes('/*')) return null;
      for (const { index, 0: trace } of sql.slice(at, end).matchAll(TRACES)) {
        const start = at + index + trace.indexOf('=') + 1;
        key += sql.slice(kept, start);
        starts.push(start);
        ends.push((kept = at + index + trace.length));
      }
      at = end + 2;
    } else at++;
  }
  return { key: key + sql.slice(kept), starts, ends };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;

function endOfWord(sql: string, start: number): number {
  let at = start;
  while (at < sql.length && (isLetter(sql.charCodeAt(at)) || isDigit(sql.charCodeAt(at)))) at++;
  return at;
}

/** Finds the end of digits with at most one decimal point; adjacent letters are rare and not supported. */
function endOfNumber(sql: string, start: number): number {
  let at = start;
  let points = 0;
  while (at < sql.length && (isDigit(sql.charCodeAt(at)) || (sql.charCodeAt(at) === DOT && points++ === 0))) at++;
  return at < sql.length && (isLetter(sql.charCodeAt(at)) || sql.charCodeAt(at) === DOT) ? -1 : at;
}

function endOfText(sql: string, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = sql.indexOf("'", at);
    if (at < 0) return -1;
    if (sql.charCodeAt(at + 1) !== QUOTE) return sql.includes('\\', start) || !isPlain(sql, start, at) ? -1 : at + 1;
  }
}

function isPlain(sql: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (sql.charCodeAt(at) > 127) return false;
  return true;
}

/** Returns a literal's value: a number unchanged, a text without its quotes. */
export const valueOfLiteral = (sql: string, start: number, end: number): string =>
  sql.charCodeAt(start) === QUOTE ? sql.slice(start + 1, end - 1).replaceAll("''", "'") : sql.slice(start, end);
