import { encodeText } from './atoms.ts';
import { UNSEEN, UNSEEN_CLASS } from './foreign-text.ts';

/**
 * Quotes a text as a word of a POSIX shell that can be printed safely. Keeps line breaks at the end, which `$(…)` would
 * drop.
 */
export function shellWord(text: string): string {
  if (/^[\w/.:@%+,-][\w/.:@%+,=-]*$/.test(text)) return text;
  const body = text.replace(/\n+$/, '');
  const breaks = text.slice(body.length);
  const end = breaks === '' ? '' : quoted(breaks);
  if (!UNSEEN.test(body) && !body.includes('##')) return quoted(body) + end;
  const format = body
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('%', '%%')
    .replaceAll(NOT_IN_FORMAT, octal);
  return `"$(printf ${quoted(format)})"${end}`;
}

/** Quotes a path, and prevents commands from treating it as an option. `-`, the standard input, remains unchanged. */
export const shellPath = (path: string): string => shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const octal = (character: string): string =>
  Array.from(encodeText(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** Invisible characters, `#` (CI commands), `!` (interactive shells), and a dash at the beginning (options). */
const NOT_IN_FORMAT = new RegExp(`${UNSEEN_CLASS}|[#!]|^-`, 'gu');
