import type { Doing, Level, Plan } from './planned.ts';
import { type Node, everyNode, list, nameParts, text, the } from './tree.ts';

type Command = Pick<Plan, 'does' | 'commits' | 'opaque' | 'mayWriteUnseen' | 'unsettles' | 'needsConstants'>;

const command = (does: Doing, more: Partial<Command> = {}): Command => ({
  does,
  commits: false,
  opaque: null,
  mayWriteUnseen: false,
  unsettles: null,
  needsConstants: false,
  ...more,
});

/** Returns the effect of a statement that itself reads and writes no rows; null for other statements. */
export function doingOfCommand(statement: Node): Command | null {
  const transaction = the('TransactionStmt', statement);
  if (transaction) return ofTransaction(transaction);
  const set = the('VariableSetStmt', statement);
  if (set) return ofSetting(set);
  const discard = the('DiscardStmt', statement);
  if (discard) return command(OTHER, { unsettles: DISCARDS.has(text(discard['target'])) ? 'settings' : null });
  const [kind] = Object.keys(statement);
  if (DEFINITIONS.test(kind!)) {
    const temporary = temporaryIn(statement);
    const table = tableIn(statement);
    return command({ kind: 'definition', temporary, table }, { unsettles: temporary === null ? 'definitions' : null });
  }
  return HARMLESS.has(kind!) ? command(OTHER) : null;
}

const OTHER: Doing = { kind: 'other' };
const DISCARDS: ReadonlySet<string> = new Set(['DISCARD_ALL', 'DISCARD_TEMP']);

const DEFINITIONS =
  /^(Create|Alter|Drop|Rename|Index|View|CompositeType|Define|Comment|Grant|Reindex|SecLabel|Rule|Truncate|ImportForeign)/;

const HARMLESS = new Set([
  'VariableShowStmt',
  'ListenStmt',
  'UnlistenStmt',
  'NotifyStmt',
  'DeallocateStmt',
  'VacuumStmt',
  'LockStmt',
  'ConstraintsSetStmt',
  'CheckPointStmt',
  'LoadStmt',
]);

function ofTransaction(body: Node): Command {
  const name = text(body['savepoint_name']);
  const chains = body['chain'] === true;
  switch (body['kind']) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      return command({ kind: 'begin', level: levelIn(body['options']) });
    case 'TRANS_STMT_COMMIT':
      return command({ kind: 'commit', chains }, { commits: true });
    case 'TRANS_STMT_ROLLBACK':
      return command({ kind: 'rollback', chains });
    case 'TRANS_STMT_SAVEPOINT':
      return command({ kind: 'savepoint', name });
    case 'TRANS_STMT_ROLLBACK_TO':
      return command({ kind: 'rollback to', name });
    case 'TRANS_STMT_RELEASE':
      return command({ kind: 'release', name });
    case 'TRANS_STMT_PREPARE':
      return command({ kind: 'prepare', name: text(body['gid']) }, { commits: true, needsConstants: true });
    default: {
      const outcome = body['kind'] === 'TRANS_STMT_COMMIT_PREPARED' ? 'committed' : 'aborted';
      return command({ kind: 'prepared', name: text(body['gid']), outcome }, { needsConstants: true });
    }
  }
}

function ofSetting(body: Node): Command {
  const name = text(body['name']).toLowerCase();
  if (name === 'transaction') return command({ kind: 'level', level: levelIn(body['args']) });
  if (name === 'transaction snapshot') return command({ kind: 'snapshot' });
  return command(OTHER, { unsettles: body['kind'] === 'VAR_RESET_ALL' || RELEVANT.has(name) ? 'settings' : null });
}

/** Settings that decide the meaning of later statements. */
const RELEVANT: ReadonlySet<string> = new Set([
  'search_path',
  'role',
  'session_authorization',
  'session characteristics',
  'transaction_isolation',
  'default_transaction_isolation',
  'client_encoding',
  'standard_conforming_strings',
]);

/** Returns whether a statement may change such a setting through set_config(). */
export const callsSetting = (statement: Node): boolean =>
  [...everyNode(statement, 'FuncCall')].some((call) => {
    if (nameParts(call['funcname']).at(-1) !== 'set_config') return false;
    const name = (the('A_Const', list(call['args'])[0])?.['sval'] as Node | undefined)?.['sval'];
    return typeof name !== 'string' || RELEVANT.has(name.toLowerCase());
  });

/** Returns the name of the temporary table or view that a statement creates, or null. */
export function temporaryIn(statement: Node): string | null {
  const into = the('CreateTableAsStmt', statement)?.['into'] ?? the('SelectStmt', statement)?.['intoClause'];
  const made =
    the('CreateStmt', statement)?.['relation'] ??
    the('ViewStmt', statement)?.['view'] ??
    (into as Node | undefined)?.['rel'];
  const range = made as Node | undefined;
  const isTemporary = range?.['relpersistence'] === 't' || range?.['schemaname'] === 'pg_temp';
  return isTemporary ? text(range!['relname']) : null;
}

/** Returns the name of the table that a statement creates if it affects no other table, or null. */
function tableIn(statement: Node): string | null {
  const body = the('CreateStmt', statement);
  const constraints = [...everyNode(body, 'Constraint')];
  const refersToOthers =
    body?.['inhRelations'] !== undefined || constraints.some(({ contype }) => contype === 'CONSTR_FOREIGN');
  return body && !refersToOthers ? text((body['relation'] as Node)['relname']) : null;
}

function levelIn(options: unknown): Level | null {
  for (const option of list(options)) {
    const element = the('DefElem', option);
    if (element?.['defname'] !== 'transaction_isolation') continue;
    return levelNamed(text((the('A_Const', element['arg'])?.['sval'] as Node | undefined)?.['sval']));
  }
  return null;
}

/** PostgreSQL treats READ UNCOMMITTED as READ COMMITTED. */
export function levelNamed(name: string): Level | null {
  const level = name.toLowerCase();
  if (level === 'read uncommitted') return 'read committed';
  return level === 'read committed' || level === 'repeatable read' || level === 'serializable' ? level : null;
}
