/** Finds the texts that a person reads: comments, strings of prose, titles of tests, and paragraphs of Markdown. */
import { type CallExpression, type Expression, type TemplateLiteral, Visitor, parseSync } from 'oxc-parser';

export type Kind = 'comment' | 'string' | 'title' | 'paragraph';

export interface Text {
  readonly kind: Kind;
  readonly body: string; // in one line, with … for each inserted value
  readonly line: number;
  readonly code?: string; // for a comment: the code that it describes
}

/** Texts of a TypeScript file: comments and titles of a test, comments and strings of any other file. */
export function textsIn(file: string, text: string, isTest = file.includes('/test/')): Text[] {
  const { comments, program } = parseSync(file, text);
  const found: (Text & { start: number; end: number; isLine?: boolean })[] = [];
  for (const { type, start, end, value } of comments) {
    const last = found.at(-1);
    const isLine = type === 'Line';
    const follows = last?.isLine && isLine && /^\r?\n[ \t]*$/.test(text.slice(last.end, start));
    if (follows && isAlone(text, last.start)) Object.assign(last, { end, body: `${last.body} ${value.trim()}` });
    else found.push({ kind: 'comment', body: commentOf(value), line: 0, start, end, isLine });
  }
  const texts = found.map(({ start, end, ...rest }) => ({ ...rest, start, code: text.slice(end).trimStart() }));
  const add = (kind: Kind, body: string, start: number) =>
    texts.push({ kind, body: oneLine(body), line: 0, start, code: '' });
  const visitor = isTest
    ? {
        CallExpression({ callee, arguments: [title] }: CallExpression) {
          const words = title === undefined ? undefined : wordsOf(title as Expression);
          if (words !== undefined && TESTS.has(nameOf(callee))) add('title', words, title!.start);
        },
      }
    : {
        Literal({ value, start }: { value: unknown; start: number }) {
          if (typeof value === 'string' && isProse(value)) add('string', value, start);
        },
        TemplateLiteral(literal: TemplateLiteral) {
          const words = wordsOf(literal)!;
          if (isProse(words)) add('string', words, literal.start);
        },
      };
  new Visitor(visitor).visit(program);
  return texts
    .filter(({ body }) => !DIRECTIVE.test(body))
    .map(({ kind, body, start, code }) => ({ kind, body, code, line: text.slice(0, start).split('\n').length }));
}

const TESTS = new Set(['test', 'it', 'describe']);

/** Name of the function in a call, such as `test` in `test.each(rows)(…)`. */
function nameOf(callee: Expression): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return nameOf(callee.object as Expression);
  if (callee.type === 'CallExpression') return nameOf(callee.callee);
  return callee.type === 'TaggedTemplateExpression' ? nameOf(callee.tag) : '';
}

function wordsOf(node: Expression): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked).join('…') : undefined;
}

/** Comments for programs. */
const DIRECTIVE = /^(@|eslint|oxlint|knip|#__)/;

/** Strings of other languages: SQL, scripts, markup. */
const CODE = /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN|SET|DROP|ALTER|WITH|LOCK)\b|[{;]\n|=>|<\/|\$\$|^\s*import /;

/** Returns whether a string is prose: three words or more, mostly of letters. */
const isProse = (text: string): boolean =>
  /\p{L}+\S* \S*\p{L}+\S* \S*\p{L}/u.test(text) &&
  !CODE.test(text) &&
  text.replaceAll(/[^\p{L}\s]/gu, '').length > 0.75 * text.length;

const isAlone = (text: string, at: number): boolean => /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at) + 1, at));

const commentOf = (value: string): string => oneLine(value.replace(/^\*+/, '').replaceAll(/\n[ \t]*\*? ?/g, ' '));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Lines of prose of a Markdown file, without code, quotations and generated blocks. */
export function paragraphsIn(text: string): Text[] {
  const blank = (block: string) => block.replaceAll(/[^\n]/g, '');
  return text
    .replaceAll(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2/gm, blank)
    .replaceAll(/<!-- generated:[\s\S]*?<!-- \/generated -->/g, blank)
    .split('\n')
    .map((body, index): Text => ({ kind: 'paragraph', body: body.replaceAll(/\]\([^)]*\)/g, ']'), line: index + 1 }))
    .filter(({ body }) => /^(?! {0,3}>)(?! {4}).*\S/.test(body));
}
