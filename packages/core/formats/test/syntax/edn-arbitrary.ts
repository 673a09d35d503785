import fc from 'fast-check';
import type { EdnValue } from '../../src/syntax/edn.ts';
import { EDGE_INTEGERS } from './helpers.ts';

const CHARACTER_NAMES = new Map([
  ['\n', 'newline'],
  ['\t', 'tab'],
  [' ', 'space'],
  ['\u2028', 'u2028'],
]);

const name = fc
  .tuple(
    fc.constantFrom('a', 'r', 'x', 'append', 'not-', '*', 'π'),
    fc.constantFrom('', '1', '#', "'", '/b', '.c', '!', 'é'),
  )
  .map((parts) => parts.join(''));

const scalar: fc.Arbitrary<EdnValue> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.constantFrom(...EDGE_INTEGERS, 7n).map((n) => (n > -(2n ** 53n) && n < 2n ** 53n ? Number(n) : n)),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc
    .constantFrom('1.5', '-0.0', '+1e9', '2.', '3M', '1.5E-3M', '22/7', '-1/3')
    .map((text) => ({ kind: 'number', text }) as const),
  name.map((text) => ({ kind: 'keyword', name: text }) as const),
  name.map((text) => ({ kind: 'symbol', name: text }) as const),
  fc
    .constantFrom('a', '(', ';', '"', '\\', '#', ',', 'é', '😀', ...CHARACTER_NAMES.keys())
    .map((text) => ({ kind: 'character', name: text }) as const),
  fc
    .constantFrom('#inst "2025-06-13"', '#a/b ; c"\n [1 #_ ] 2 #c {}]', '#x #y z')
    .map(
      (text) => ({ kind: 'tagged', tag: text.slice(1, text.indexOf(' ')), text: text.replace('] 2', 'd 2') }) as const,
    ),
);

/** Any form, nested a little. */
export const ednValue: fc.Arbitrary<EdnValue> = fc.letrec<{ value: EdnValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.record({ kind: fc.constantFrom('vector', 'list', 'set'), items: fc.array(tie('value'), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('map'), entries: fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }) }),
  ),
})).value;

/** Separators between two forms; it begins with a blank, because `a#_` is a symbol. */
export const gap: fc.Arbitrary<string> = fc.constantFrom(
  ' ',
  ',',
  ' \t\r\n',
  '\n\n',
  ' ; "a [comment \\ \n',
  ' #_ discarded ',
  ' #_#_{:a "]"} \\] ',
  ' #_[1 2] ; b\n',
  ' #_ #inst "x" ',
);

/** The text of a form; `gaps` go where white space may be, over and over. */
export function print(value: EdnValue, gaps: readonly string[] = [' ']): string {
  let next = 0;
  const blank = (): string => gaps[next++ % gaps.length] ?? ' ';
  const sequence = (items: readonly EdnValue[]): string => items.map((item) => form(item) + blank()).join('');
  function form(it: EdnValue): string {
    if (it === null) return 'nil';
    if (typeof it === 'string')
      return `"${it.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\t', '\\t')}"`;
    if (typeof it !== 'object') return String(it);
    switch (it.kind) {
      case 'keyword':
        return `:${it.name}`;
      case 'symbol':
        return it.name;
      case 'character':
        return `\\${CHARACTER_NAMES.get(it.name) ?? it.name}`;
      case 'number':
      case 'tagged':
        return it.text;
      case 'vector':
        return `[${blank()}${sequence(it.items)}]`;
      case 'list':
        return `(${blank()}${sequence(it.items)})`;
      case 'set':
        return `#{${blank()}${sequence(it.items)}}`;
      case 'map':
        return `{${blank()}${sequence(it.entries.flat())}}`;
    }
  }
  return form(value);
}
