import type { Doing, Level, Planned } from './planned.ts';
import { type Node, list, text, the } from './tree.ts';

type Command = Pick<Planned, 'does' | 'commits' | 'opaque' | 'mayWriteUnseen'>;

const command = (does: Doing, commits = false): Command => ({ does, commits, opaque: null, mayWriteUnseen: false });

/** What a statement does that reads and writes no rows by itself; null for others. */
export function doingOfCommand(statement: Node): Command | null {
  const transaction = the('TransactionStmt', statement);
  if (transaction) return ofTransaction(transaction);
  const set = the('VariableSetStmt', statement);
  if (set) return command(ofSetting(set));
  const [kind] = Object.keys(statement);
  if (DEFINITIONS.test(kind!)) return command({ kind: 'definition' });
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
  const [argument] = list(body['args']);
  const value = text((the('A_Const', argument)?.['sval'] as Node | undefined)?.['sval']);
  if (body['kind'] === 'VAR_RESET_ALL') return { kind: 'names' };
  if (name === 'search_path') return { kind: 'names' };
  if (name === 'transaction') return { kind: 'level', scope: 'transaction', level: levelIn(body['args']) };
  if (name === 'session characteristics') return { kind: 'level', scope: 'session', level: levelIn(body['args']) };
  if (name === 'transaction_isolation') return { kind: 'level', scope: 'transaction', level: levelNamed(value) };
  if (name === 'default_transaction_isolation') return { kind: 'level', scope: 'session', level: levelNamed(value) };
  return { kind: 'other' };
}

function levelIn(options: unknown): Level | null {
  for (const option of list(options)) {
    const element = the('DefElem', option);
    if (element?.['defname'] !== 'transaction_isolation') continue;
    return levelNamed(text((the('A_Const', element['arg'])?.['sval'] as Node | undefined)?.['sval']));
  }
  return null;
}

/** PostgreSQL takes READ UNCOMMITTED for READ COMMITTED. */
export function levelNamed(name: string): Level | null {
  const level = name.toLowerCase();
  if (level === 'read uncommitted') return 'read committed';
  return level === 'read committed' || level === 'repeatable read' || level === 'serializable' ? level : null;
}
