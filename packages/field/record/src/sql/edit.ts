import { isDeepStrictEqual } from 'node:util';
import type { Added } from '../wire/statement.ts';
import type { Parser, Token } from './parser.ts';
import { type Node, list, the } from './tree.ts';

/**
 * Returns the insertion that adds columns after the columns of a SELECT or a RETURNING clause; null if that is not
 * safe.
 */
export function insertionOf(parser: Parser, sql: string, statement: Node, added: readonly string[]): Added | null {
  const insertion = placed(parser, sql, statement, added);
  if (!insertion) return null;
  const again = parser.parse(inserted(sql, insertion));
  // The parser decides: for any text, only the columns may differ.
  return again && isSameBut(statement, again.statement, added.length) ? insertion : null;
}

export const inserted = (sql: string, { at, text }: Added): string => `${sql.slice(0, at)}${text}${sql.slice(at)}`;

function placed(parser: Parser, sql: string, statement: Node, added: readonly string[]): Added | null {
  const tokens = parser.tokens(sql);
  const last = tokens.findLast(({ text }) => text !== ';');
  if (!last) return null;
  const columns = added.join(', ');
  if (the('SelectStmt', statement)) {
    const end = endOfColumns(tokens);
    if (end) return { at: charactersIn(sql, end.start), text: `, ${columns} ` };
    return { at: charactersIn(sql, last.end), text: `, ${columns}` };
  }
  const hasReturning = Object.values(statement).some((body) => (body as Node)['returningClause'] !== undefined);
  return { at: charactersIn(sql, last.end), text: `${hasReturning ? ', ' : ' RETURNING '}${columns}` };
}

// The scanner counts bytes.
const charactersIn = (sql: string, bytes: number): number => Buffer.from(sql).subarray(0, bytes).toString().length;

/**
 * Finds the FROM of the outermost SELECT, or the token that takes its place; the FROM of `IS DISTINCT FROM` does not
 * count.
 */
function endOfColumns(tokens: readonly Token[]): Token | null {
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.text === '(' || token.text === '[') depth++;
    else if (token.text === ')' || token.text === ']') depth--;
    else if (depth === 0 && isWord(token, 'from') && !(i > 0 && isWord(tokens[i - 1]!, 'distinct'))) return token;
    else if (depth === 0 && BEHIND_COLUMNS.some((word) => isWord(token, word))) return token;
  }
  return null;
}

/** Words that may follow the columns of a SELECT without tables. */
const BEHIND_COLUMNS = ['where', 'order', 'limit', 'offset', 'fetch', 'for'];

const isWord = ({ text }: Token, word: string): boolean => text.toLowerCase() === word;

function isSameBut(statement: Node, edited: Node, added: number): boolean {
  const [kind] = Object.keys(statement);
  const body = statement[kind!] as Node;
  const other = edited[kind!] as Node | undefined;
  if (!other) return false;
  const { list: columns, rest } = columnsOf(body);
  const { list: more, rest: otherRest } = columnsOf(other);
  const length = columns.length;
  return (
    more.length === length + added &&
    isDeepStrictEqual(bare(more.slice(0, length)), bare(columns)) &&
    isDeepStrictEqual(bare(otherRest), bare(rest))
  );
}

function columnsOf(body: Node): { readonly list: readonly Node[]; readonly rest: Node } {
  const isSelect = 'op' in body;
  const { returningClause, ...rest } = body;
  if (!isSelect) return { list: list((returningClause as Node | undefined)?.['exprs']), rest };
  const { targetList, ...others } = body;
  return { list: list(targetList), rest: others };
}

/** Removes the positions in the text. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !PLACES.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, bare(inner)]));
}

const PLACES = new Set([
  'location',
  'stmt_location',
  'stmt_len',
  'rexpr_list_start',
  'rexpr_list_end',
  'list_start',
  'list_end',
]);
