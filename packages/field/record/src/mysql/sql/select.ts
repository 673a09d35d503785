import { type Constant, Cursor, conditionOf, constantAt } from './condition.ts';
import { type Meaning, type Named, plain } from './doing.ts';
import type { Token } from './tokens.ts';

const AGGREGATES =
  /^(COUNT|SUM|AVG|MIN|MAX|STD|STDDEV\w*|VAR_\w+|VARIANCE|BIT_(AND|OR|XOR)|GROUP_CONCAT|JSON_(ARRAY|OBJECT)AGG)$/;
const REFUSED: Readonly<Record<string, string>> = {
  UNION: 'UNION',
  EXCEPT: 'EXCEPT',
  INTERSECT: 'INTERSECT',
  MINUS: 'MINUS',
  GROUP: 'GROUP BY',
  HAVING: 'HAVING',
  INTO: 'SELECT INTO',
  WINDOW: 'WINDOW',
  PROCEDURE: 'PROCEDURE',
  SELECT: 'a sub-query',
  OVER: 'a window function',
  SYSTEM_TIME: 'SYSTEM_TIME',
  PARTITION: 'PARTITION',
  NATURAL: 'NATURAL JOIN',
  XOR: 'XOR',
};

const other = (opaque: string): Meaning => [{ kind: 'other' }, opaque];

/** Reads the expression of a SELECT or a DO, if it is a call for a lock. */
export function locking(tokens: readonly Token[]): Meaning | null {
  const cursor = new Cursor(tokens);
  const takes = cursor.takes('GET_LOCK', '(');
  const isCall = takes || cursor.takes('RELEASE_LOCK', '(');
  const name = isCall ? constantAt(cursor) : null;
  if (!isCall && !cursor.takes('RELEASE_ALL_LOCKS', '(')) return null;
  if (isCall && name === null) return null;
  if (takes && !(cursor.takes(',') && constantAt(cursor) !== null)) return null;
  if (!cursor.takes(')')) return null;
  if (cursor.takes('AS') || cursor.token) cursor.name();
  return cursor.token ? null : plain({ kind: 'lock', takes, name });
}

/** Words that end the list of tables or the condition of a SELECT. */
const CLAUSES: ReadonlySet<string> = new Set(['WHERE', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH', 'FOR', 'LOCK']);

/** Reads a SELECT after its first word. */
export function selection(cursor: Cursor): Meaning {
  const { tokens } = cursor;
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' || i === 0 || tokens[i - 1]!.text === '.') continue;
    const refused = Object.hasOwn(REFUSED, text) ? REFUSED[text] : undefined;
    if (refused !== undefined) return other(refused);
    if (AGGREGATES.test(text) && tokens[i + 1]?.text === '(') return other('an aggregate');
  }
  const depths = depthsOf(tokens);
  const from = tokens.findIndex(({ kind, text }, i) => depths[i] === 0 && kind === 'word' && text === 'FROM');
  if (from < 0) return locking(tokens.slice(cursor.at)) ?? plain({ kind: 'other' });
  cursor.at = from + 1;
  const tables = tablesAt(cursor, depths);
  if (tables === null) return other('a form of FROM');
  const clauseAt = (name: string): number =>
    tokens.findIndex(({ kind, text }, i) => i >= cursor.at && depths[i] === 0 && kind === 'word' && text === name);
  const [whereAt, limitAt] = [clauseAt('WHERE'), Math.max(clauseAt('LIMIT'), clauseAt('FETCH'))];
  const where = whereAt < 0 ? null : conditionOf(tokens.slice(whereAt + 1, endOfClause(tokens, depths, whereAt + 1)));
  const lockAt = Math.max(clauseAt('FOR'), clauseAt('LOCK'));
  const skips = tokens.some(({ text }, i) => lockAt >= 0 && i > lockAt && text === 'SKIP');
  const isPartial = limitAt >= 0 || skips;
  const mayMiss =
    skips || (limitAt >= 0 && !(tokens[limitAt]!.text === 'LIMIT' && isOneRow(tokens.slice(limitAt + 1))));
  return plain({ kind: 'select', tables, where, isPartial, mayMiss, locks: lockAt >= 0 });
}

/** Returns whether a LIMIT keeps the first row: `LIMIT 1`. */
const isOneRow = ([count, next]: readonly Token[]): boolean =>
  count?.kind === 'number' && Number(count.text) > 0 && next?.text !== ',' && next?.text !== 'OFFSET';

function depthsOf(tokens: readonly Token[]): number[] {
  let depth = 0;
  return tokens.map(({ kind, text }) => {
    if (kind !== 'sign') return depth;
    if (text === '(') return depth++;
    return text === ')' ? --depth : depth;
  });
}

function endOfClause(tokens: readonly Token[], depths: readonly number[], from: number): number {
  const end = tokens.findIndex(
    ({ kind, text }, i) =>
      i >= from && depths[i] === 0 && kind === 'word' && CLAUSES.has(text) && tokens[i - 1]?.text !== '.',
  );
  return end < 0 ? tokens.length : end;
}

const JOINS: ReadonlySet<string> = new Set(['JOIN', 'INNER', 'CROSS', 'LEFT', 'RIGHT', 'STRAIGHT_JOIN', 'OUTER']);

/** Reads the list of tables after FROM; null if it has another form. */
function tablesAt(cursor: Cursor, depths: readonly number[]): Named[] | null {
  const tables: Named[] = [];
  for (;;) {
    const table = namedAt(cursor);
    if (table === null) return null;
    tables.push(table);
    while (cursor.takes('USE') || cursor.takes('FORCE') || cursor.takes('IGNORE'))
      while (cursor.token && depths[cursor.at]! >= 0 && !cursor.takes(')')) cursor.at++;
    if (tables.length > 1 && (cursor.is('ON') || cursor.is('USING')))
      while (
        cursor.token &&
        !(depths[cursor.at] === 0 && (isWordOf(cursor, JOINS) || isWordOf(cursor, CLAUSES) || cursor.is(',')))
      )
        cursor.at++;
    if (cursor.token === undefined || isWordOf(cursor, CLAUSES)) return tables;
    if (cursor.takes(',')) continue;
    if (!isWordOf(cursor, JOINS)) return null;
    while (isWordOf(cursor, JOINS)) cursor.at++;
  }
}

const isWordOf = ({ token, tokens, at }: Cursor, words: ReadonlySet<string>): boolean =>
  token?.kind === 'word' && words.has(token.text) && tokens[at - 1]?.text !== '.';

const NO_ALIAS: ReadonlySet<string> = new Set([...CLAUSES, ...JOINS, 'ON', 'USING', 'USE', 'FORCE', 'IGNORE', 'SET']);

function namedAt(cursor: Cursor): Named | null {
  if (isWordOf(cursor, NO_ALIAS)) return null;
  const parts: (string | null)[] = [cursor.name()];
  while (cursor.takes('.')) parts.push(cursor.name());
  const [table, schema = null] = parts.toReversed();
  if (!table || parts.includes(null) || cursor.is('(')) return null;
  const isNamed = cursor.takes('AS');
  const alias =
    isNamed || (cursor.token && cursor.token.kind !== 'sign' && !isWordOf(cursor, NO_ALIAS)) ? cursor.name() : table;
  return alias === null ? null : { schema, table, alias };
}

/** Reads an UPDATE after its first word. */
export function updating(cursor: Cursor): Meaning {
  const { tokens } = cursor;
  while (cursor.takes('LOW_PRIORITY') || cursor.takes('IGNORE'));
  const table = namedAt(cursor);
  if (!table || !cursor.takes('SET')) return plain({ kind: 'write', mayKeep: true });
  const depths = depthsOf(tokens);
  const end = endOfClause(tokens, depths, cursor.at);
  const sets: (readonly [string, Constant])[] = [];
  const base = new Cursor(tokens);
  for (let at = cursor.at; at < end; at++) {
    const isStart = at === cursor.at || (depths[at - 1] === 0 && tokens[at - 1]!.text === ',');
    if (!isStart) continue;
    base.at = at;
    const parts = [base.name()];
    while (base.takes('.')) parts.push(base.name());
    const value = base.takes('=') ? constantAt(base) : null;
    const isWhole = base.at === end || (tokens[base.at]!.text === ',' && tokens[base.at]!.kind === 'sign');
    if (value && isWhole) sets.push([parts.at(-1) ?? '', value]);
  }
  const isWhere = tokens[end]?.text === 'WHERE';
  const where = isWhere ? conditionOf(tokens.slice(end + 1, endOfClause(tokens, depths, end + 1))) : null;
  return plain({ kind: 'update', table, where, sets });
}
