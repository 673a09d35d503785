/**
 * Escapes text from outside: keys, values, names, paths, and messages of databases, plug-ins and operating systems.
 * Such text must not steer a terminal, reorder or hide the text beside it, begin a line that looks like isolab's
 * output, or issue a command to a CI system.
 * Unsafe characters become `\n`, `\t` or `\u202e`. Inside a JSON string, these escapes mean the original characters, so
 * JSON can be escaped as well without changing its meaning.
 */

/** Makes a text safe for one line: nothing in it breaks the line, and all of it is visible. */
export const visibleLine = (text: string): string =>
  withoutCommands(UNSEEN.test(text) ? text.replaceAll(EACH_UNSEEN, escaped) : text);

/**
 * Makes a text of several lines safe, such as a program's output: like {@link visibleLine}, but keeps line breaks and
 * tabs.
 */
export const visibleText = (text: string): string =>
  withoutCommands(
    UNSEEN.test(text) ? text.replaceAll(EACH_UNSEEN, (c) => (c === '\n' || c === '\t' ? c : escaped(c))) : text,
  );

/**
 * Removes commands to CI systems: `::error::` (GitHub), `##[error]` and `##vso[…]` (GitHub and Azure), and
 * `##teamcity[…]`.
 */
const withoutCommands = (text: string): string =>
  text.includes('::') || text.includes('##')
    ? text
        .replaceAll(/^([^\S\n]*):(?=:)/gm, String.raw`$1\u003a`)
        .replaceAll(/#(?=#(?:\[|vso\[|teamcity\[))/gi, String.raw`\u0023`)
    : text;

/** Cleans the output of another program: receives it in pieces, returns whole lines, and removes colours. */
export class PrintableLines {
  #rest = '';

  /** Returns the lines that are now complete, each with its line break. */
  push(piece: string): string {
    const text = this.#rest + piece;
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    return printed(text.slice(0, end));
  }

  /** Returns the remaining text, as a line. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? '' : `${printed(rest)}\n`;
  }
}

// oxlint-disable-next-line no-control-regex -- colours begin with one
const printed = (text: string): string => visibleText(text.replaceAll(/\u001B\[[\d;]*m|\r(?=\n)/g, ''));

/** Longest line in characters; longer output without a line break is printed immediately. */
const LONGEST_LINE = 1 << 16;

function escaped(character: string): string {
  if (character === '\n') return String.raw`\n`;
  if (character === '\r') return String.raw`\r`;
  if (character === '\t') return String.raw`\t`;
  // A character beyond U+FFFF becomes two escapes, as in JSON.
  return Array.from({ length: character.length }, (_, i) => `\\u${hex(character.charCodeAt(i))}`).join('');
}

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/**
 * Control and formatting characters, line separators, lone surrogates, noncharacters, and invisible characters; except
 * variation selectors, which only choose between two looks of a character.
 */
export const UNSEEN_CLASS = String.raw`(?![\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]`;
export const UNSEEN = new RegExp(UNSEEN_CLASS, 'u');
const EACH_UNSEEN = new RegExp(UNSEEN_CLASS, 'gu');
