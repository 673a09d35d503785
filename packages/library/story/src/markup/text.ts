/** Escapes foreign text for other languages. Any key, value or message remains text, and all characters are visible. */

import { visibleLine, visibleText } from '@isolab/history';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for content and quoted attributes of HTML, SVG and XML, and removes characters that XML excludes. */
export const escapeXml = (text: string): string =>
  visibleText(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Encodes data for a script element, where `</script>` and `<!--` would end or change the element. */
export const jsonForScript = (data: unknown): string =>
  JSON.stringify(data)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

/** Escapes a text for Markdown prose, headings and cells, without line breaks or automatic links. */
export const escapeMarkdown = (text: string): string =>
  visibleLine(text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')).replaceAll(
    /[\\`*_[\]<>|~#&$]|:(?=\/\/)|(?<=\bwww)\.|^[-+=](?=\s|[-=]*$)|(?<=^\d+)[.)](?=\s|$)/gi,
    String.raw`\$&`,
  );

export const markdownRow = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;

/** Writes a code span around a text that may contain backticks. */
export function codeMarkdown(text: string): string {
  const line = visibleLine(text.replaceAll(/[\r\n]+/g, ' ')).replaceAll('|', '\u2502');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Writes a fenced block around a text that may contain fences. */
export function fencedMarkdown(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visibleText(text).replace(/\n$/, '')}\n${fence}`;
}

/** Writes a field of CSV (RFC 4180). Texts that a spreadsheet would treat as formulas are neutralised. */
export function csvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const line = visibleLine(value);
  const text = /^[=+\-@\\]/.test(line) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text if it has at most `length` characters, and otherwise its beginning and its end. */
export function elided(text: string, length: number): string {
  const characters = [...text.replaceAll(/\s+/g, ' ')];
  if (characters.length <= length) return characters.join('');
  const tail = Math.floor((length - 1) / 3);
  return `${characters.slice(0, length - 1 - tail).join('')}…${characters.slice(characters.length - tail).join('')}`;
}
