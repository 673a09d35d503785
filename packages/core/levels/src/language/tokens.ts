import type { Position } from './ast.ts';
import { LevelError } from './error.ts';

export interface Token {
  /** A word, a text in quotes (here without them), an operator or bracket, or the end of the file. */
  readonly kind: 'word' | 'text' | 'symbol' | 'end';
  readonly text: string;
  readonly position: Position;
}

/** In characters. A level takes a few hundred. */
const LONGEST_FILE = 100_000;

const BLANK = /(?:[ \t\r\n\uFEFF]|#[^\n]*)*/y;
const WORD =
  /[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*|\[(?:initial|writer|predicate|begin|commit|(?:level|reader) [a-z][a-z0-9]*(?:[-.][a-z0-9]+)*)\]/y;
const TEXT = /"((?:[^"\\\n]|\\["\\])*)"/y;
const SYMBOL = /\^-1|[+*?;&\\|(),=]/y;

/** Splits a file into words, texts and symbols, without blanks and comments. The last token is the end of the file. */
export function tokensOf(source: string, file: string): Token[] {
  if (source.length > LONGEST_FILE)
    throw new LevelError(
      { file, line: 1, column: 1 },
      `Found ${source.length} characters, expected a level of at most ${LONGEST_FILE}.`,
    );
  const tokens: Token[] = [];
  const positionOf = positionsIn(source, file);
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match === null) return null;
    at += match[0].length;
    return match[1] ?? match[0];
  };
  for (;;) {
    take(BLANK);
    const position = positionOf(at);
    if (at === source.length) {
      tokens.push({ kind: 'end', text: '', position });
      return tokens;
    }
    const isText = source[at] === '"';
    const text = isText ? take(TEXT) : null;
    if (isText && text === null)
      throw new LevelError(position, 'Found a text that does not end on its line, expected a closing ".');
    const word = text === null ? take(WORD) : null;
    const symbol = text === null && word === null ? take(SYMBOL) : null;
    if (text !== null) tokens.push({ kind: 'text', text: text.replaceAll(/\\(.)/g, '$1'), position });
    else if (word !== null) tokens.push({ kind: 'word', text: word, position });
    else if (symbol !== null) tokens.push({ kind: 'symbol', text: symbol, position });
    else throw new LevelError(position, `Found ${strange(source, at)}, expected a word, an operator or a text in ".`);
  }
}

function strange(source: string, at: number): string {
  const character = String.fromCodePoint(source.codePointAt(at)!);
  if (character === '^') return `${character} without -1 after it`;
  const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
  return isVisible
    ? character
    : `the character U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Makes a function that finds positions, which must be requested in ascending order. */
function positionsIn(source: string, file: string): (at: number) => Position {
  let line = 1;
  let lineStart = 0;
  let scanned = 0;
  return (at) => {
    for (; scanned < at; scanned++) {
      if (source[scanned] !== '\n') continue;
      line++;
      lineStart = scanned + 1;
    }
    return { file, line, column: at - lineStart + 1 };
  };
}
