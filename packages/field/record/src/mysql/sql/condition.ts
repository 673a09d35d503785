import type { Parameter } from '../wire/values.ts';
import type { Token } from './tokens.ts';

/** A constant of a statement: a value, or the index of a parameter. */
export type Constant = { readonly value: string | number } | { readonly parameter: number };

/** The value of a constant; undefined if it is not known. */
export const valueOf = (constant: Constant, parameters: readonly Parameter[] | null): Parameter =>
  'value' in constant ? constant.value : parameters?.[constant.parameter];

export interface ColumnName {
  /** The alias or name of the table; null if the column has no qualifier. */
  readonly table: string | null;
  readonly column: string;
}

/** Part of a WHERE clause that compares columns with constants; other parts are unknown. */
export type Condition =
  | readonly ['and' | 'or', ...Condition[]]
  | readonly ['not', Condition]
  | readonly ['=' | '<>' | '<' | '<=' | '>' | '>=', ColumnName, Constant]
  | readonly ['in', ColumnName, readonly Constant[]]
  | readonly ['between', ColumnName, Constant, Constant]
  | readonly ['null', ColumnName]
  | readonly ['unknown'];

const COMPARISONS: Readonly<Record<string, '=' | '<>' | '<' | '<=' | '>' | '>='>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** Position in a list of tokens. */
export class Cursor {
  readonly tokens: readonly Token[];
  at: number;

  constructor(tokens: readonly Token[], at = 0) {
    this.tokens = tokens;
    this.at = at;
  }

  get token(): Token | undefined {
    return this.tokens[this.at];
  }

  is(...texts: readonly string[]): boolean {
    return texts.every((text, i) => {
      const token = this.tokens[this.at + i];
      return token !== undefined && (token.kind === 'word' || token.kind === 'sign') && token.text === text;
    });
  }

  takes(...texts: readonly string[]): boolean {
    const isHere = this.is(...texts);
    if (isHere) this.at += texts.length;
    return isHere;
  }

  /** Takes a name, quoted or not; null if there is none. */
  name(): string | null {
    const { token } = this;
    if (token?.kind !== 'name' && token?.kind !== 'word') return null;
    this.at++;
    return token.written;
  }
}

export function constantAt(cursor: Cursor): Constant | null {
  const start = cursor.at;
  const sign = cursor.takes('-') ? '-' : '';
  const { token } = cursor;
  cursor.at++;
  if (token?.kind === 'number' && /^\d+$/.test(token.text)) return { value: numeric(sign + token.text) };
  if (sign === '' && token?.kind === 'string') return { value: token.text };
  if (sign === '' && token?.kind === 'parameter') return { parameter: Number(token.written) };
  if (sign === '' && token?.kind === 'word' && (token.text === 'TRUE' || token.text === 'FALSE'))
    return { value: token.text === 'TRUE' ? 1 : 0 };
  cursor.at = start;
  return null;
}

const numeric = (text: string): number | string => (Number.isSafeInteger(Number(text)) ? Number(text) : text);

/** Reads a condition up to the end of the tokens. */
export function conditionOf(tokens: readonly Token[]): Condition {
  const cursor = new Cursor(tokens);
  const condition = either(cursor);
  return cursor.at === tokens.length ? condition : ['unknown'];
}

function either(cursor: Cursor): Condition {
  const parts = [both(cursor)];
  while (cursor.takes('OR')) parts.push(both(cursor));
  return parts.length === 1 ? parts[0]! : ['or', ...parts];
}

function both(cursor: Cursor): Condition {
  const parts = [negation(cursor)];
  while (cursor.takes('AND') || cursor.takes('&&')) parts.push(negation(cursor));
  return parts.length === 1 ? parts[0]! : ['and', ...parts];
}

function negation(cursor: Cursor): Condition {
  return cursor.takes('NOT') ? ['not', negation(cursor)] : primary(cursor);
}

/** Words and signs that end a part of a condition. */
const ENDS: ReadonlySet<string> = new Set(['AND', 'OR', '&&', 'XOR', '||', ')']);

const isEnd = ({ token }: Cursor): boolean => token === undefined || (token.kind !== 'string' && ENDS.has(token.text));

function primary(cursor: Cursor): Condition {
  const start = cursor.at;
  if (cursor.takes('(')) {
    const inner = either(cursor);
    if (cursor.takes(')') && isEnd(cursor)) return inner;
    cursor.at = start;
  }
  const known = comparison(cursor);
  if (known && isEnd(cursor)) return known;
  cursor.at = start;
  return skipped(cursor);
}

/** Skips a part that is not understood; the AND of a BETWEEN makes the rest of the condition unknown. */
function skipped(cursor: Cursor): Condition {
  for (let depth = 0; cursor.token !== undefined; cursor.at++) {
    if (cursor.is('(')) depth++;
    if (depth === 0 && cursor.is('BETWEEN')) cursor.at = cursor.tokens.length;
    else if (depth === 0 && isEnd(cursor)) break;
    if (cursor.is(')')) depth--;
  }
  return ['unknown'];
}

function comparison(cursor: Cursor): Condition | null {
  const constant = constantAt(cursor);
  if (constant) {
    const operator = operatorAt(cursor);
    const column = columnAt(cursor);
    return operator && column && [MIRRORED[operator], column, constant];
  }
  const column = columnAt(cursor);
  if (!column) return null;
  if (cursor.takes('IS', 'NULL')) return ['null', column];
  if (cursor.takes('IS', 'NOT', 'NULL')) return ['not', ['null', column]];
  if (cursor.takes('NOT')) {
    const inner = range(cursor, column);
    return inner && ['not', inner];
  }
  const operator = operatorAt(cursor);
  if (!operator) return range(cursor, column);
  const other = constantAt(cursor);
  return other && [operator, column, other];
}

function range(cursor: Cursor, column: ColumnName): Condition | null {
  if (cursor.takes('BETWEEN')) {
    const low = constantAt(cursor);
    if (!low || !cursor.takes('AND')) return null;
    const high = constantAt(cursor);
    return high && ['between', column, low, high];
  }
  if (!cursor.takes('IN', '(')) return null;
  const constants: Constant[] = [];
  do {
    const constant = constantAt(cursor);
    if (!constant) return null;
    constants.push(constant);
  } while (cursor.takes(','));
  return cursor.takes(')') ? ['in', column, constants] : null;
}

function operatorAt(cursor: Cursor) {
  const operator = cursor.token?.kind === 'sign' ? COMPARISONS[cursor.token.text] : undefined;
  if (operator) cursor.at++;
  return operator ?? null;
}

function columnAt(cursor: Cursor): ColumnName | null {
  const parts: string[] = [];
  do {
    const name = cursor.name();
    if (name === null) return null;
    parts.push(name);
  } while (cursor.takes('.'));
  if (cursor.is('(')) return null;
  return { table: parts.at(-2) ?? null, column: parts.at(-1)! };
}
