/**
 * The gate for text that comes from outside: keys, values, names, paths, and messages of databases, plug-ins and
 * systems. On the way to a person it must neither steer a terminal, nor reorder or hide text beside it, nor
 * begin a line of its own that looks like one of ours, nor a command to a system of continuous integration.
 *
 * Text that is not shown as it is becomes `\n`, `\t` or `\u202e`. Inside a string of JSON that means the same as the
 * character, so JSON may pass the gate, too, and stays as it was.
 */

/** Text for one line: nothing in it breaks the line, and everything in it can be seen. */
export const visibleLine = (text: string): string =>
  withoutCommands(UNSEEN.test(text) ? text.replaceAll(EACH_UNSEEN, escaped) : text);

/** Text of several lines, such as a whole output: as {@link visibleLine}, but with its line breaks and tabs. */
export const visibleText = (text: string): string =>
  withoutCommands(
    UNSEEN.test(text) ? text.replaceAll(EACH_UNSEEN, (c) => (c === '\n' || c === '\t' ? c : escaped(c))) : text,
  );

/**
 * Removes commands to CI jobs: `::error::` of GitHub, `##[error]` and `##vso[…]` of GitHub and Azure, and
 * `##teamcity[…]`.
 */
const withoutCommands = (text: string): string =>
  text.includes('::') || text.includes('##')
    ? text
        .replaceAll(/^([^\S\n]*):(?=:)/gm, String.raw`$1\u003a`)
        .replaceAll(/#(?=#(?:\[|vso\[|teamcity\[))/gi, String.raw`\u0023`)
    : text;

/** Cleans the output of another program: piece by piece in, whole lines out, without its colours. */
export class PrintableLines {
  #rest = '';

  /** The lines that are whole by now, each with its line break. */
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

/** Longest line: longer output without a line break is printed at once. */
const LONGEST_LINE = 1 << 16;

function escaped(character: string): string {
  if (character === '\n') return String.raw`\n`;
  if (character === '\r') return String.raw`\r`;
  if (character === '\t') return String.raw`\t`;
  // A character beyond the first 65,536 becomes two escapes, as in JSON.
  return Array.from({ length: character.length }, (_, i) => `\\u${hex(character.charCodeAt(i))}`).join('');
}

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/**
 * Control and formatting characters, line separators, halves of pairs, noncharacters, and invisible characters; but not
 * the variation selectors, which only choose between two looks of a character.
 */
export const UNSEEN_CLASS = String.raw`(?![\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]`;
export const UNSEEN = new RegExp(UNSEEN_CLASS, 'u');
const EACH_UNSEEN = new RegExp(UNSEEN_CLASS, 'gu');
