import type { Doing, Level, Planned } from './planned.ts';
import { type Node, everyNode, list, nameParts, text, the } from './tree.ts';

type Command = Pick<Planned, 'does' | 'commits' | 'opaque' | 'mayWriteUnseen'> &
  Partial<Pick<Planned, 'needsConstants'>>;

const command = (does: Doing, commits = false): Command => ({ does, commits, opaque: null, mayWriteUnseen: false });

/** Returns the effect of a statement that itself reads and writes no rows; null for other statements. */
export function doingOfCommand(statement: Node): Command | null {
  const transaction = the('TransactionStmt', statement);
  if (transaction) return ofTransaction(transaction);
  const set = the('VariableSetStmt', statement);
  if (set) return { ...command(ofSetting(set)), needsConstants: true };
  const discard = the('DiscardStmt', statement);
  if (discard)
    return command(discard['target'] === 'DISCARD_ALL' ? { kind: 'reset', discards: true } : { kind: 'other' });
  const [kind] = Object.keys(statement);
  if (DEFINITIONS.test(kind!)) return command({ kind: 'definition', temporary: temporaryIn(statement) });
  return HARMLESS.has(kind!) ? command({ kind: 'other' }) : null;
}

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
      return command({ kind: 'commit', chains }, true);
    case 'TRANS_STMT_ROLLBACK':
      return command({ kind: 'rollback', chains });
    case 'TRANS_STMT_SAVEPOINT':
      return command({ kind: 'savepoint', name });
    case 'TRANS_STMT_ROLLBACK_TO':
      return command({ kind: 'rollback to', name });
    case 'TRANS_STMT_RELEASE':
      return command({ kind: 'release', name });
    case 'TRANS_STMT_PREPARE':
      return { does: { kind: 'prepare' }, commits: true, opaque: 'two-phase commit', mayWriteUnseen: false };
    default:
      return { does: { kind: 'other' }, commits: true, opaque: 'two-phase commit', mayWriteUnseen: false };
  }
}

function ofSetting(body: Node): Doing {
  const name = text(body['name']).toLowerCase();
  if (body['kind'] === 'VAR_RESET_ALL') return { kind: 'reset', discards: false };
  if (name === 'transaction') return { kind: 'level', scope: 'transaction', level: levelIn(body['args']) };
  if (name === 'session characteristics') return { kind: 'level', scope: 'session', level: levelIn(body['args']) };
  const isInitial = body['kind'] === 'VAR_RESET' || body['kind'] === 'VAR_SET_DEFAULT';
  return ofSettingNamed(name, isInitial ? 'initial' : textOf(list(body['args'])[0]), body['is_local'] === true);
}

/** `value` is null if it is unknown. */
function ofSettingNamed(name: string, value: string | null, isLocal: boolean): Doing {
  switch (name) {
    case 'search_path':
      return { kind: 'names', of: 'path', isInitial: value === 'initial' && !isLocal };
    case 'role':
    case 'session_authorization':
      return { kind: 'names', of: 'user', isInitial: value === 'initial' && !isLocal };
    case 'transaction_isolation':
      return { kind: 'level', scope: 'transaction', level: levelOf(value) };
    case 'default_transaction_isolation':
      // SET LOCAL lasts until the end of a transaction whose level is already fixed.
      return isLocal ? { kind: 'other' } : { kind: 'level', scope: 'session', level: levelOf(value) };
    default:
      return { kind: 'other' };
  }
}

/** An unknown level is treated as the weakest level. */
function levelOf(value: string | null): Level | 'initial' {
  if (value === 'initial') return value;
  return levelNamed(value ?? '') ?? 'read committed';
}

const textOf = (constant: unknown): string | null => {
  const value = (the('A_Const', constant)?.['sval'] as Node | undefined)?.['sval'];
  return typeof value === 'string' ? value : null;
};

/** Finds a setting that a statement changes through set_config(); null if there is no such call. */
export function settingCalledIn(statement: Node): Doing | null {
  const calls = [...everyNode(statement, 'FuncCall')].filter(
    (call) => nameParts(call['funcname']).at(-1) === 'set_config',
  );
  if (calls.length === 0) return null;
  const [name, value, isLocal] = list(calls[0]!['args']);
  const setting = textOf(name);
  const isTrue = ((the('A_Const', isLocal)?.['boolval'] as Node | undefined)?.['boolval'] ?? false) === true;
  if (calls.length > 1 || setting === null) return { kind: 'names', of: 'any' };
  const given = textOf(value);
  // The word `initial` has another meaning here.
  return ofSettingNamed(setting.toLowerCase(), given === 'initial' ? null : given, isTrue);
}

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
