import { withoutVarying } from '../../sql/origin.ts';
import { Cursor } from './condition.ts';
import { type Doing, type InnodbLevel, type Meaning, plain } from './doing.ts';
import { locking, selection, updating } from './select.ts';
import { type Quoting, type Token, tokensOf } from './tokens.ts';

export interface Statement {
  /** The text, as the server logs it. */
  readonly text: string;
  /** The statement without its constants, as it is counted and displayed. */
  readonly shape: string;
  readonly does: Doing;
  /** Whether it may write rows although it is no write. */
  readonly mayWrite: boolean;
  /** The part that cannot be followed; null if there is no such part. */
  readonly opaque: string | null;
}

/** Splits a query string into statements; null if a quotation does not end. */
export function statementsOf(sql: string, quoting: Quoting): Statement[] | null {
  const tokens = tokensOf(sql, quoting);
  if (tokens === null) return null;
  const statements: Statement[] = [];
  for (let from = 0; from < tokens.length;) {
    const isCompound = isCompoundAt(tokens, from);
    let to = tokens.findIndex((token, i) => i >= from && !isCompound && token.kind === 'sign' && token.text === ';');
    if (to < 0) to = tokens.length;
    if (to > from) statements.push(statementOf(sql, tokens, from, to));
    from = to + 1;
  }
  const [only] = statements;
  if (statements.length !== 1) return statements;
  // Comments around a single statement may state its origin.
  return [{ ...only!, shape: withoutVarying(shapeOf(sql, tokens, { start: 0, end: sql.length }).trim()) }];
}

const BODIES: ReadonlySet<string> = new Set(['PROCEDURE', 'FUNCTION', 'TRIGGER', 'EVENT', 'PACKAGE']);
const BLOCKS: ReadonlySet<string> = new Set(['DECLARE', 'IF', 'WHILE', 'LOOP', 'FOR', 'CASE', 'REPEAT']);

/** Returns whether semicolons may be parts of the statement. */
function isCompoundAt(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at]!, tokens[at + 1]];
  if (first.text === 'BEGIN') return second?.text === 'NOT';
  if (BLOCKS.has(first.text)) return true;
  return /^(CREATE|ALTER)$/.test(first.text) && tokens.slice(at, at + 12).some(({ text }) => BODIES.has(text));
}

function statementOf(sql: string, all: readonly Token[], from: number, to: number): Statement {
  const tokens = all.slice(from, to);
  const text = sql.slice(tokens[0]!.start, tokens.at(-1)!.end);
  const [does, opaque] = meaningOf(tokens);
  const shape = shapeOf(sql, tokens);
  const mayWrite =
    does.kind === 'unknown' || (opaque !== null && does.kind === 'other') || (does.kind === 'select' && calls(tokens));
  return { text, shape, does, mayWrite, opaque };
}

function shapeOf(
  sql: string,
  tokens: readonly Token[],
  { start: from, end: to } = { start: tokens[0]!.start, end: tokens.at(-1)!.end },
): string {
  let shape = '';
  let at = from;
  for (const { kind, start, end } of tokens)
    if (kind === 'number' || kind === 'string') {
      shape += `${sql.slice(at, start)}?`;
      at = end;
    }
  return shape + sql.slice(at, to);
}

const calls = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ kind, text }, i) =>
      kind !== 'sign' && tokens[i + 1]?.text === '(' && !(kind === 'word' && WITH_PARENTHESES.has(text)),
  );

const WITH_PARENTHESES: ReadonlySet<string> = new Set(
  `IN AND OR NOT ON USING WHERE BY SELECT FROM JOIN VALUES AS INDEX KEY COUNT SUM MIN MAX AVG COALESCE CONCAT NOW IFNULL
  LOWER UPPER CAST LENGTH`.split(/\s+/),
);

const DEFINITIONS =
  /^(CREATE|ALTER|DROP|TRUNCATE|RENAME|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|INSTALL|UNINSTALL|FLUSH)$/;
const WITHOUT_ROWS = /^(SHOW|DESCRIBE|DESC|EXPLAIN|HELP|KILL|DEALLOCATE|UNLOCK|CHECK|CHECKSUM)$/;

function meaningOf(tokens: readonly Token[]): Meaning {
  if (tokens.some(({ kind }) => kind === 'executable')) return [{ kind: 'unknown' }, 'an executable comment'];
  const cursor = new Cursor(tokens);
  const first = tokens[0]!;
  if (first.kind !== 'word')
    return first.text === '(' ? [{ kind: 'other' }, 'parentheses'] : [{ kind: 'unknown' }, 'unknown'];
  if (cursor.takes('START', 'TRANSACTION'))
    return plain({ kind: 'begin', hasSnapshot: tokens.some(({ text }) => text === 'SNAPSHOT') });
  if (first.text === 'BEGIN' && !cursor.is('BEGIN', 'NOT')) return plain({ kind: 'begin', hasSnapshot: false });
  if (cursor.takes('COMMIT')) return plain({ kind: 'commit', chains: isChain(tokens) });
  if (cursor.takes('ROLLBACK')) return rollback(cursor, tokens);
  if (cursor.takes('SAVEPOINT')) return plain({ kind: 'savepoint', name: cursor.name()?.toLowerCase() ?? '' });
  if (cursor.takes('RELEASE', 'SAVEPOINT')) return plain({ kind: 'release', name: cursor.name()?.toLowerCase() ?? '' });
  if (cursor.takes('SET')) return setting(cursor);
  if (cursor.takes('USE')) return plain({ kind: 'use', schema: cursor.name() ?? '' });
  if (cursor.takes('SELECT')) return selection(cursor);
  if (cursor.takes('UPDATE')) return updating(cursor);
  if (/^(INSERT|REPLACE|DELETE)$/.test(first.text)) return plain({ kind: 'write', mayKeep: mayKeep(tokens) });
  if (first.text === 'LOAD') return [{ kind: 'write', mayKeep: true }, 'LOAD'];
  if (DEFINITIONS.test(first.text)) return plain({ kind: 'definition', temporary: temporaryTable(cursor) });
  if (WITHOUT_ROWS.test(first.text)) return plain({ kind: 'other' });
  if (cursor.takes('DO')) return locking(tokens.slice(1)) ?? [{ kind: 'other' }, 'DO'];
  if (first.text === 'WITH') return [{ kind: 'other' }, 'WITH'];
  if (first.text === 'LOCK') return [{ kind: 'unknown' }, 'LOCK TABLES'];
  return [{ kind: 'unknown' }, first.text];
}

const mayKeep = (tokens: readonly Token[]): boolean =>
  tokens[0]!.text === 'REPLACE' || tokens.some(({ kind, text }) => kind === 'word' && text === 'DUPLICATE');

const isChain = (tokens: readonly Token[]): boolean => {
  const at = tokens.findIndex(({ text }) => text === 'CHAIN');
  return at >= 0 && tokens[at - 1]?.text !== 'NO';
};

function rollback(cursor: Cursor, tokens: readonly Token[]): Meaning {
  cursor.takes('WORK');
  if (!cursor.takes('TO')) return plain({ kind: 'rollback', chains: isChain(tokens) });
  cursor.takes('SAVEPOINT');
  return plain({ kind: 'rollback to', name: cursor.name()?.toLowerCase() ?? '' });
}

function temporaryTable(cursor: Cursor): string | null {
  if (!cursor.takes('CREATE')) return null;
  if (cursor.takes('OR', 'REPLACE', 'TEMPORARY', 'TABLE') || cursor.takes('TEMPORARY', 'TABLE')) {
    cursor.takes('IF', 'NOT', 'EXISTS');
    const parts = [cursor.name()];
    while (cursor.takes('.')) parts.push(cursor.name());
    return parts.at(-1) ?? '';
  }
  return null;
}

const LEVEL = /^(READ[ -]UNCOMMITTED|READ[ -]COMMITTED|REPEATABLE[ -]READ|SERIALIZABLE)/i;

export function levelNamed(text: string): InnodbLevel | null {
  const name = LEVEL.exec(text)?.[0].toLowerCase().replace('-', ' ');
  return (name as InnodbLevel | undefined) ?? null;
}

function setting(cursor: Cursor): Meaning {
  const scope = cursor.is('GLOBAL') ? 'global' : cursor.is('SESSION') || cursor.is('LOCAL') ? 'session' : null;
  const start = cursor.at;
  if (scope) cursor.at++;
  if (cursor.takes('TRANSACTION')) {
    const words = cursor.tokens.slice(cursor.at).map(({ text }) => text);
    const at = words.indexOf('LEVEL');
    const level = levelNamed(words.slice(at + 1, at + 3).join(' '));
    if (at < 0 || scope === 'global') return plain({ kind: 'other' });
    return level ? plain({ kind: 'level', scope: scope ?? 'transaction', level }) : [{ kind: 'unknown' }, 'SET'];
  }
  cursor.at = start;
  const values: (readonly [string, string | null])[] = [];
  for (const part of partsOf(cursor.tokens.slice(cursor.at))) {
    const assignment = new Cursor(part);
    if (assignment.takes('GLOBAL') || assignment.is('NAMES') || assignment.is('CHARACTER') || assignment.is('CHARSET'))
      continue;
    const isSession = assignment.takes('SESSION') || assignment.takes('LOCAL');
    const name = part[assignment.at];
    if (name?.kind === 'variable' && /^@@(global\.)|^@[^@]/i.test(name.text)) continue;
    const named = name?.text.toLowerCase().replace(/^@@((session|local)\.)?/, '') ?? '';
    // SET @@tx_isolation, without SESSION, is about the next transaction only.
    const isNext = name?.kind === 'variable' && /^@@[^.]+$/.test(name.text) && !isSession;
    const value = part.length === assignment.at + 3 ? part.at(-1)! : null;
    const isKnown = value !== null && ['word', 'string', 'number'].includes(value.kind);
    values.push([isNext ? `next ${named}` : named, isKnown ? value.written : null]);
  }
  return plain({ kind: 'set', values });
}

/** Splits tokens at the commas outside parentheses. */
function partsOf(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'sign' && token.text === '(') depth++;
    if (token.kind === 'sign' && token.text === ')') depth--;
    if (depth === 0 && token.kind === 'sign' && token.text === ',') parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}
