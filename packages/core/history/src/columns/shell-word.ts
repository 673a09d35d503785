import { encodeText } from './atoms.ts';
import { UNSEEN, UNSEEN_CLASS } from './foreign-text.ts';

/**
 * Word of a POSIX shell that stands for exactly this text and can be printed. Line breaks at the end stay, because
 * `$(…)` would drop them.
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

/** Quotes a path in the same way, for no command to treat it as an option. `-`, the standard input, stays as it is. */
export const shellPath = (path: string): string => shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const octal = (character: string): string =>
  Array.from(encodeText(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** Invisible characters, `#` (CI commands), `!` (interactive shells), and a dash at the beginning (options). */
const NOT_IN_FORMAT = new RegExp(`${UNSEEN_CLASS}|[#!]|^-`, 'gu');
