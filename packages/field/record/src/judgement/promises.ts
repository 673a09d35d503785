import type { History } from '@isolab/history';
import type { LevelName } from 'isolab';
import { linesOf } from '../recorded/lines.ts';
import type { Level } from '../sql/planned.ts';

/** The promises of a database, with the remedies for the anomalies that its levels allow. */
export interface Promising {
  /** The name of the database: `PostgreSQL`. */
  readonly name: string;
  /** For each level of the database, isolab's name of the level that the database promises. */
  readonly promises: Readonly<Record<Level, LevelName>>;
  /** For each level of the database, the level that its transactions keep beside transactions at other levels. */
  readonly beside: Readonly<Record<Level, LevelName>>;
  /** The weakest level of the database that prevents lost updates. */
  readonly preventsLostUpdates: Level;
  /** The error with which the database refuses a transaction that another attempt may commit. */
  readonly refusal: string;
}

/** Level at which reads have no condition beyond the order of commits. */
const WITHOUT_CONDITION: LevelName = 'strong-session-read-committed';

const POSTGRESQL: Promising = {
  name: 'PostgreSQL',
  promises: {
    'read committed': 'read-committed',
    'repeatable read': 'snapshot-isolation',
    serializable: 'serializable',
  },
  // Serializable transactions track only one another.
  beside: {
    'read committed': 'read-committed',
    'repeatable read': 'snapshot-isolation',
    serializable: 'snapshot-isolation',
  },
  preventsLostUpdates: 'repeatable read',
  refusal: '40001',
};

/**
 * At REPEATABLE READ, InnoDB reads from a snapshot, but statements that lock or change rows read the newest versions:
 * only Adya's read committed holds for both kinds of reads together.
 */
const MARIADB: Promising = {
  name: 'MariaDB',
  promises: {
    'read committed': 'read-committed',
    'repeatable read': 'read-committed-pl2',
    serializable: 'serializable',
  },
  // Locks of a serializable transaction's reads exclude writers at every level.
  beside: {
    'read committed': 'read-committed',
    'repeatable read': WITHOUT_CONDITION,
    serializable: 'serializable',
  },
  preventsLostUpdates: 'serializable',
  refusal: '1213',
};

const SNAPSHOTS = 'innodb_snapshot_isolation=ON';

const MARIADB_WITH_SNAPSHOTS: Promising = {
  ...MARIADB,
  promises: { ...MARIADB.promises, 'repeatable read': 'snapshot-isolation' },
  beside: { ...MARIADB.beside, 'repeatable read': 'snapshot-isolation' },
  preventsLostUpdates: 'repeatable read',
  refusal: '1020 or 1213',
};

/** Returns the level that all transactions of a level and of the stronger levels satisfy together. */
export const promiseTo = ({ promises }: Promising, level: Level, all: readonly Level[]): LevelName =>
  level === 'read committed' && all.includes('repeatable read') && promises['repeatable read'] === 'read-committed-pl2'
    ? 'read-committed-pl2'
    : promises[level];

/** Names a MariaDB in the header of a recording. */
export const mariadbNamed = (version: string, hasSnapshots: boolean): string =>
  `MariaDB ${version}${hasSnapshots ? ` with ${SNAPSHOTS}` : ''}`;

/** Returns the promises of the database that the header of a recording names. */
export async function promisingIn(path: string): Promise<Promising> {
  for await (const [, header] of linesOf(path)) {
    const { database = '' } = JSON.parse(header) as { readonly database?: string };
    return promisingOf(database);
  }
  return POSTGRESQL;
}

function promisingOf(database: string): Promising {
  if (!database.startsWith(MARIADB.name)) return POSTGRESQL;
  return database.endsWith(SNAPSHOTS) ? MARIADB_WITH_SNAPSHOTS : MARIADB;
}

/** Returns the fields of a header that name the database and explain the levels of its transactions. */
export const databaseFields = (database: string) => ({
  database,
  level: WITHOUT_CONDITION,
  levels: promisingOf(database).beside,
});

/** Returns a mixed history in which only serializable transactions have a condition. */
export function serializableAlone(history: History): History {
  const { of, names } = history.txnLevels ?? { of: new Uint8Array(history.txnStatus.length), names: [] };
  return {
    ...history,
    txnLevels: {
      of: of.map((place) => (names[place - 1] === 'serializable' ? 1 : 2)),
      names: ['serializable', WITHOUT_CONDITION],
    },
  };
}
