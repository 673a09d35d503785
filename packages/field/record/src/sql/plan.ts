import { type Catalog, type ColumnType, DEFINES, type Names, SETS, type Table, type Use } from './catalog.ts';
import { type LiteralAt, conditionOf, pointOf } from './condition.ts';
import { insertionOf } from './edit.ts';
import { type Reason, reasonOfCommand } from './followed.ts';
import { type LockCall, locksOf } from './locks.ts';
import { withoutVarying } from './origin.ts';
import type { Parser } from './parser.ts';
import type { Doing, Plan, Planned, Scan, Source, Writing } from './planned.ts';
import { callsSetting, doingOfCommand, temporaryIn } from './commands.ts';
import { findTable, isOfSystem, isWithoutKey, nameOfTable, tablesIn } from './sources.ts';
import { type Node, everyNode, list, nameParts, text, the } from './tree.ts';

/** Plans how one statement is sent: with hidden columns if the client sees no difference, otherwise unchanged. */
export function planOf(parser: Parser, sql: string, names: Names, literalAt: LiteralAt): Plan {
  const shape = withoutVarying(parser.normalize(sql).trim().replace(/;$/, ''));
  const statement = parser.parse(sql)?.statement;
  if (!statement) return opaquePlan('not parsed', shape);
  const unchanged = { ...UNCHANGED, shape, locks: locksOf(statement, literalAt, shape) };
  const command = doingOfCommand(statement);
  if (command) return { ...unchanged, ...command };
  const called = callsOf(statement, names.catalog);
  const followed = followedOf(statement, { names, literalAt });
  const unsettling = unsettlingOf(statement, names.catalog, called, followed);
  if (unsettling.needsConstants) {
    const mayWrite = called !== null || !isReading(statement);
    const isUnseen = { mayWriteUnseen: mayWrite, mayWriteFollowed: mayWrite };
    const opaque = followed === null ? called : typeof followed === 'string' ? followed : 'set_config()';
    return { ...unchanged, ...unsettling, opaque, ...isUnseen };
  }
  const isNumbered = names.catalog.xid === null || names.doubt !== null || names.use === 'numbered query';
  const xid = isNumbered ? [] : [asText(names.catalog.xid!, names.use)];
  const isSilent = !('SelectStmt' in statement) && !hasReturning(statement);
  const canAskBehind = isPlain(statement);
  const added = (columns: readonly string[], tellsXid: Plan['tellsXid']) => {
    const insertion = columns.length === 0 ? null : insertionOf(parser, sql, statement, columns);
    return insertion && { insertion, hidden: columns.length, isSilent, tellsXid };
  };
  if (followed === null || typeof followed === 'string') {
    const mayWriteUnseen = called !== null || (followed !== null && !isReading(statement));
    const asked = mayWriteUnseen && canTellXid(statement) ? added(xid, 'in a column') : null;
    const mayWriteFollowed = mayWriteUnseen && (called !== null || !writesWithoutKey(statement, names));
    const isUnseen = { mayWriteUnseen, mayWriteFollowed };
    const does: Doing = makesTable(statement)
      ? { kind: 'definition' as const, temporary: temporaryIn(statement), table: null }
      : OTHER;
    return { ...unchanged, ...unsettling, does, opaque: followed ?? called, ...isUnseen, canAskBehind, ...asked };
  }
  const { does, columns, opaque, hasSideEffect } = followed;
  const showsXid = xid.length > 0 && names.use === 'numbering query' && called === null && does.kind !== 'delete';
  const asked = showsXid ? [] : xid;
  const tellsXid = asked.length > 0 ? 'in a column' : showsXid && does.kind !== 'select' ? 'in its rows' : null;
  const rewritten = added([...columns, ...asked], tellsXid);
  if (rewritten === null) {
    const mayWrite = called !== null || !isReading(statement);
    const isUnseen = { mayWriteUnseen: mayWrite, mayWriteFollowed: mayWrite };
    return { ...unchanged, ...unsettling, opaque: 'a form that is not rewritten', ...isUnseen, canAskBehind };
  }
  const mayWriteUnseen = called !== null || hasSideEffect;
  const isUnseen = { mayWriteUnseen, mayWriteFollowed: mayWriteUnseen };
  return { ...unchanged, ...unsettling, ...rewritten, does, opaque: called ?? opaque, ...isUnseen, canAskBehind };
}

export const opaquePlan = (opaque: Reason, shape: string): Plan => ({
  ...UNCHANGED,
  shape,
  does: { kind: 'unknown' },
  opaque,
  unsettles: 'definitions',
  mayWriteUnseen: true,
  mayWriteFollowed: true,
});

/** The plan of a statement whose changed form the database refused: it is sent unchanged. */
export const unchangedPlan = (plan: Plan): Plan => ({
  ...plan,
  insertion: null,
  hidden: 0,
  isSilent: false,
  tellsXid: null,
  does: OTHER,
  opaque: plan.does.kind === 'other' ? plan.opaque : 'refused by the database with hidden columns',
  ...(plan.does.kind !== 'other' && {
    mayWriteUnseen: plan.does.kind !== 'select',
    mayWriteFollowed: plan.does.kind !== 'select',
  }),
});

const OTHER: Doing = { kind: 'other' };

const UNCHANGED = {
  insertion: null,
  hidden: 0,
  isSilent: false,
  commits: false,
  does: OTHER,
  needsConstants: false,
  tellsXid: null,
  canAskBehind: false,
  locks: [] as readonly LockCall[],
  unsettles: null,
  mayWriteFollowed: false,
};

export const EMPTY_PLAN: Plan = { ...UNCHANGED, shape: '', opaque: null, mayWriteUnseen: false };

/** The query for the transaction's number, sent after a statement of a simple query. */
export function xidQuery(xid: string): Planned {
  const plan: Plan = { ...EMPTY_PLAN, hidden: 1, isSilent: true, tellsXid: 'in a column' };
  const { hidden, isSilent, commits } = plan;
  const added = { at: 0, text: `\n;SELECT ${xid};` };
  return { plan, hidden, isSilent, commits, text: '', added, isAdded: true, literals: [], names: null };
}

type Unsettling = Pick<Plan, 'unsettles' | 'needsConstants'>;

/** Returns the facts that a statement may change, itself or through the code that it runs. */
function unsettlingOf(
  statement: Node,
  { setters, definers }: Catalog,
  called: string | null,
  followed: Followed | Reason | null,
): Unsettling {
  const needsConstants = callsSetting(statement);
  const block = the('DoStmt', statement);
  const code = block && JSON.stringify(block);
  const procedure = the('CallStmt', statement)?.['funccall'] as Node | undefined;
  const functions = [...everyNode(statement, 'FuncCall'), ...(procedure ? [procedure] : [])];
  if (makesTable(statement))
    return { unsettles: temporaryIn(statement) === null ? 'definitions' : null, needsConstants };
  if (
    functions.some((call) => definers.has(nameParts(call['funcname']).at(-1)!)) ||
    (code && DEFINES_TABLES.test(code))
  )
    return { unsettles: 'definitions', needsConstants: needsConstants || code !== null };
  const runsCode = called !== null || (followed !== null && (typeof followed === 'string' || followed.hasSideEffect));
  const may =
    needsConstants ||
    (code !== null && SETS_SETTINGS.test(code)) ||
    (setters.size > 0 && (runsCode || block !== null)) ||
    'ExecuteStmt' in statement;
  return { unsettles: may ? 'settings' : null, needsConstants: needsConstants || code !== null };
}

const [SETS_SETTINGS, DEFINES_TABLES] = [SETS, DEFINES].map(
  (code) => new RegExp(code.replaceAll('\\y', '\\b'), 'i'),
) as [RegExp, RegExp];

/** Returns whether a statement can share a transaction with others and does not end transactions itself. */
const isPlain = (statement: Node): boolean =>
  PLAIN.some((kind) => kind in statement) || the('CopyStmt', statement)?.['is_from'] === true;

const PLAIN = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

/** Returns whether an additional constant column leaves the statement's rows unchanged. */
function canTellXid(statement: Node): boolean {
  const select = the('SelectStmt', statement);
  if (!select) return ['InsertStmt', 'UpdateStmt', 'DeleteStmt'].some((kind) => kind in statement);
  return (
    select['op'] === 'SETOP_NONE' &&
    ['distinctClause', 'intoClause', 'valuesLists'].every((field) => !(field in select))
  );
}

interface Followed {
  readonly does: Extract<Doing, { kind: 'select' }> | Writing;
  readonly columns: readonly string[];
  readonly opaque: Reason | null;
  readonly hasSideEffect: boolean;
}

interface Context {
  readonly names: Names;
  readonly literalAt: LiteralAt;
}

/**
 * Returns the part of a statement that can be followed, the reason why the statement cannot be followed, or null if it
 * touches no user tables.
 */
function followedOf(statement: Node, context: Context): Followed | Reason | null {
  const select = the('SelectStmt', statement);
  if (select && isReading(statement) && isAboutSystem(statement)) return null;
  if (select) return followedSelect(select, context);
  for (const kind of ['insert', 'update', 'delete'] as const) {
    const body = the(`${kind[0]!.toUpperCase()}${kind.slice(1)}Stmt`, statement);
    if (body) return followedWrite(kind, body, context);
  }
  return reasonOfCommand(Object.keys(statement)[0]!);
}

/** Returns whether all tables of a statement, at any depth, are system tables. */
function isAboutSystem(statement: Node): boolean {
  const ranges = [...everyNode(statement, 'RangeVar')];
  const made = new Set([...everyNode(statement, 'CommonTableExpr')].map(({ ctename }) => ctename));
  return ranges.every((range) => isOfSystem(range) || made.has(range['relname']));
}

const NOT_FOLLOWED: Readonly<Record<string, Reason>> = {
  withClause: 'a WITH clause',
  groupClause: 'GROUP BY',
  havingClause: 'HAVING',
  distinctClause: 'DISTINCT',
  intoClause: 'SELECT INTO',
  valuesLists: 'VALUES',
  windowClause: 'a window',
};

function followedSelect(select: Node, { names: session, literalAt }: Context): Followed | Reason | null {
  if (select['op'] !== 'SETOP_NONE') return 'a set operation';
  for (const [field, why] of Object.entries(NOT_FOLLOWED)) if (select[field] !== undefined) return why;
  const targets = [select['targetList'], select['sortClause']];
  for (const call of everyNode(targets, 'FuncCall')) {
    if (call['over'] !== undefined) return 'a window';
    if (session.catalog.aggregates.has(nameParts(call['funcname']).at(-1)!)) return 'an aggregate';
  }
  const { ranges, isWhole } = tablesIn(list(select['fromClause']));
  const users = ranges.filter((range) => !isOfSystem(range));
  if (users.length === 0) return isWhole && !hasSubquery(select) ? null : 'a sub-query';
  const sources: Source[] = [];
  const columns: string[] = [];
  for (const range of users) {
    const table = findTable(range, session);
    if (typeof table === 'string') return table;
    sources.push({ table, at: columns.length });
    columns.push(...columnsOf(table, nameOfTable(range), session.use));
  }
  const where = select['whereClause'];
  const isAlone = isWhole && ranges.length === 1;
  const takesSome = select['limitCount'] !== undefined || select['limitOffset'] !== undefined || skipsLocked(select);
  const scan = isAlone && !takesSome ? scanOf(where, sources[0]!.table, nameOfTable(users[0]!), literalAt) : null;
  const locks = select['lockingClause'] !== undefined;
  const opaque = isWhole && !hasSubquery(select) ? null : 'a sub-query';
  return { does: { kind: 'select', sources, scan, locks }, columns, opaque, hasSideEffect: false };
}

function followedWrite(kind: Writing['kind'], body: Node, { names: session, literalAt }: Context): Followed | Reason {
  if (body['withClause'] !== undefined) return 'a WITH clause';
  if ((body['returningClause'] as Node | undefined)?.['options'] !== undefined) return 'RETURNING WITH';
  const range = body['relation'] as Node;
  const table = findTable(range, session);
  if (typeof table === 'string') return table;
  const alias = nameOfTable(range);
  if (alias === 'old' || alias === 'new') return 'a table called old or new';
  const assigned = [
    ...list(body['targetList']),
    ...list((body['onConflictClause'] as Node | undefined)?.['targetList']),
  ];
  const changesKey = assigned.some((target) => table.key.includes(text(the('ResTarget', target)?.['name'])));
  if (kind !== 'insert' && changesKey) return 'a change of a primary key';
  const columns = columnsOf(table, alias, session.use);
  const hasOld =
    kind !== 'delete' && session.catalog.version >= 180_000 && !(kind === 'insert' && !body['onConflictClause']);
  const old = hasOld ? columns.length : null;
  if (hasOld) columns.push(...columnsOf(table, 'old', session.use));
  const others =
    kind === 'insert' ? fromOf(body['selectStmt']) : [...list(body['fromClause']), ...list(body['usingClause'])];
  const isAlone = others.length === 0;
  const scan = kind !== 'insert' && isAlone ? scanOf(body['whereClause'], table, alias, literalAt) : null;
  return {
    does: { kind, source: { table, at: 0 }, old, scan },
    columns,
    opaque: table.sideEffect ?? (isAlone && !hasSubquery(body, 'selectStmt') ? null : 'a sub-query'),
    hasSideEffect: table.sideEffect !== null,
  };
}

const fromOf = (select: unknown): readonly Node[] => list(the('SelectStmt', select)?.['fromClause']);

/** The version's writer comes first, then all columns as one text, or only the key columns. */
function columnsOf({ isWhole, key, columns }: Table, alias: string, use: Use): string[] {
  const prefix = quoted(alias);
  const writer = asText(`${prefix}.xmin`, use);
  if (isWhole) return [writer, `(${prefix}.*)::text`];
  const isCertain = (name: string): boolean => PLAIN_TYPES.has(columns.find((column) => column.name === name)!.type);
  return [writer, ...key.map((name) => asText(`${prefix}.${quoted(name)}`, isCertain(name) ? use : 'prepared'))];
}

/** Types whose values have the same text with and without a cast. */
const PLAIN_TYPES: ReadonlySet<ColumnType> = new Set(['integer', 'bigint', 'text']);

/** A cast costs the database more than the column, and the results of queries are texts anyway. */
const asText = (column: string, use: Use): string => (use === 'prepared' ? `${column}::text` : column);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const scanOf = (where: unknown, table: Table, alias: string, literalAt: LiteralAt): Scan => ({
  where: conditionOf(where, table, alias, literalAt),
  point: pointOf(where, table, alias, literalAt),
});

/** Returns whether the statement itself only reads. */
const isReading = (statement: Node): boolean =>
  ('SelectStmt' in statement || 'ExplainStmt' in statement) &&
  WRITES.every((kind) => everyNode(statement, kind).next().done);

const WRITES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

const hasReturning = (statement: Node): boolean =>
  Object.values(statement).some((body) => (body as Node)['returningClause'] !== undefined);

const skipsLocked = (select: Node): boolean =>
  list(select['lockingClause']).some((each) => the('LockingClause', each)?.['waitPolicy'] === 'LockWaitSkip');

/** SELECT … INTO. */
const makesTable = (statement: Node): boolean => the('SelectStmt', statement)?.['intoClause'] !== undefined;

/** Returns whether a statement writes only rows of a table without a primary key, which are never followed. */
function writesWithoutKey(statement: Node, names: Names): boolean {
  const body = WRITES.map((kind) => the(kind, statement)).find((found) => found !== null);
  const range = body?.['relation'] as Node | undefined;
  return range !== undefined && body!['withClause'] === undefined && isWithoutKey(range, names);
}

/** Returns whether a statement contains a SELECT, other than the SELECT of an INSERT, which is examined separately. */
function hasSubquery(body: Node, except?: string): boolean {
  const rest = except === undefined ? body : Object.entries(body).filter(([name]) => name !== except);
  return !everyNode(rest, 'SubLink').next().done;
}

function callsOf(statement: Node, { functions }: Catalog): Reason | null {
  for (const call of everyNode(statement, 'FuncCall')) {
    const name = nameParts(call['funcname']).at(-1)!;
    if (functions.has(name)) return `the function ${name}`;
  }
  return null;
}
