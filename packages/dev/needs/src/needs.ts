/**
 * List of the tests' needs on their machine. An unmet need is the reason why a test is skipped. `install-main.ts`
 * installs the needs, and `here-main.ts` lists the available ones for nx.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** A requirement of some tests. Alternatives are joined by `|`, and one of them is enough. */
export interface Need {
  /** Reason why a test is skipped without the need. */
  readonly without: string;
  /** Environment variable that names the need. If it is set, no other place is examined. */
  readonly variable?: string;
  /** Programs that must all be on the PATH. */
  readonly programs?: readonly string[];
  /** A package of npm, with its version, that is not a dependency of the repository. */
  readonly npm?: `${string}@${string}`;
  /** An engine that `isolab hunt get` downloads. */
  readonly engine?: string;
  /** Test for a need that no other field describes. */
  readonly isHere?: () => boolean;
  /** Debian packages that provide the need. */
  readonly debian?: readonly string[];
}

const program = (without: string, programs: readonly string[], debian: readonly string[], variable?: string): Need => ({
  without,
  programs,
  debian,
  ...(variable !== undefined && { variable }),
});

const engine = (name: string, debian: readonly string[] = []): Need => ({
  without: `${name} is not in the cache: isolab hunt get ${name}`,
  engine: name,
  debian,
});

/** Chromium, by the names of the builds of Debian, Google and Microsoft. */
const CHROMIUM = 'chromium-headless-shell|chromium|chromium-browser|google-chrome|google-chrome-stable|microsoft-edge';
const JAVA = ['default-jdk-headless', 'maven'];
const PIP = ['python3', 'python3-pip'];
const COMPILER = ['python3', 'make', 'g++'];

export const NEEDS = {
  // Programs.
  chromium: program('no Chromium', [CHROMIUM], ['chromium-headless-shell|chromium'], 'ISOLAB_BROWSER'),
  firefox: program('no Firefox', ['firefox-esr|firefox'], ['firefox-esr|firefox'], 'ISOLAB_FIREFOX'),
  mariadb: program(
    'no MariaDB',
    ['mariadbd', 'mariadb-install-db', 'my_print_defaults'],
    ['mariadb-server-core', 'mariadb-client-core'],
  ),
  redis: program('no Redis', ['redis-server'], ['redis-server']),
  nats: { ...program('no NATS', ['nats-server'], ['nats-server']), npm: '@nats-io/transport-node@3.4.0' },
  kafka: { ...program('no Java for Kafka', ['mvn', 'java'], JAVA), npm: '@platformatic/kafka@1.35.0' },
  xz: program('no xz', ['tar', 'xz'], ['tar', 'xz-utils']),
  psql: program('no psql', ['psql'], ['postgresql-client']),
  isolationtester: {
    without: 'no isolation tester of PostgreSQL',
    isHere: () => isolationTester() !== null,
    debian: ['postgresql-client'],
  },

  // Languages of recorders.
  python: program('no Python', ['python3'], ['python3']),
  psycopg: program('no pip for psycopg', ['python3', 'pip3|pip'], ['python3-pip']),
  go: program('no Go', ['go'], ['golang-go']),
  java: program('no Java', ['mvn', 'javac', 'java'], JAVA),
  rust: program('no Rust', ['cargo', 'cc'], ['cargo-web|cargo', 'gcc', 'libc6-dev']),

  // Packages of npm, and engines.
  'better-sqlite3': { without: 'no package better-sqlite3', npm: 'better-sqlite3@12.11.1', debian: COMPILER },
  'duckdb-node-api': { without: 'no package @duckdb/node-api', npm: '@duckdb/node-api@1.5.6-r.1' },
  'postgres.js': { without: 'no package postgres', npm: 'postgres@3.4.9' },
  'sarif-schema': { without: 'no package @microsoft/jest-sarif', npm: '@microsoft/jest-sarif@1.0.0-beta.0' },
  gpu: { without: 'no GPU', npm: 'webgpu@0.6.2', debian: ['libvulkan1'] },
  'sqlite@3.53.2': engine('sqlite@3.53.2', COMPILER),
  'duckdb@1.5.6': engine('duckdb@1.5.6'),
  'h2@2.4.240': engine('h2@2.4.240', JAVA),
  'berkeleydb@18.3.12': engine('berkeleydb@18.3.12', JAVA),
  'mapdb@1.0.9': engine('mapdb@1.0.9', JAVA),
  'multiverse@0.7.0': engine('multiverse@0.7.0', JAVA),
  'firebird@5.0.4': engine('firebird@5.0.4', [...JAVA, ...PIP]),
  'zodb@6.4': engine('zodb@6.4', PIP),
  'lmdb@3.0.0': engine('lmdb@3.0.0', PIP),
  'postgres@12.3': engine('postgres@12.3', [...JAVA, 'xz-utils']),
  'postgres@9.6.24': engine('postgres@9.6.24', [...JAVA, 'xz-utils']),
  'mariadb@11.4.5': engine('mariadb@11.4.5', JAVA),
  'mariadb@10.11.19': engine('mariadb@10.11.19'),
  'galera@10.11.19-26.4.23': engine('galera@10.11.19-26.4.23'),
  'surrealdb@3.0.3': engine('surrealdb@3.0.3'),
  'etcd@3.4.23': engine('etcd@3.4.23'),
  'redis@7.0.15': engine('redis@7.0.15'),

  // Needs without an installation command.
  datasets: { without: 'ISOLAB_DATASETS is not a folder of real histories', variable: 'ISOLAB_DATASETS' },
  mirrors: { without: 'ISOLAB_MIRRORS is not a folder with its clone', variable: 'ISOLAB_MIRRORS' },
  registry: { without: 'npm cannot reach a registry' },
  posix: { without: 'this is Windows', isHere: () => process.platform !== 'win32' },
  linux: { without: 'this is not Linux', isHere: () => process.platform === 'linux' },
  'full-device': { without: 'no /dev/full', isHere: () => existsSync('/dev/full') },
  'small-disk': { without: 'no small disk, which only root can mount, on Linux' },
  'no-gpu': { without: 'this machine has a GPU' },
} as const satisfies Readonly<Record<string, Need>>;

export type NeedName = keyof typeof NEEDS;

/** Returns PostgreSQL's own program for schedules of statements: ISOLATIONTESTER, or Debian's newest. */
export function isolationTester(): string | null {
  const { ISOLATIONTESTER: named } = process.env;
  if (named) return named;
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).toSorted().toReversed() : [];
  const paths = versions.map((version) =>
    join(DEBIAN_POSTGRES, version, 'lib/pgxs/src/test/isolation/isolationtester'),
  );
  return paths.find((path) => existsSync(path)) ?? null;
}

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
