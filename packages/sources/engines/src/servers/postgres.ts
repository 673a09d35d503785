import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { completeInstallation } from '../get/installed.ts';
import { packageFolder } from '../get/npm.ts';
import type { Folder } from './folder.ts';
import { onFreePort } from './port.ts';
import { newPassword, writeSecret } from './secrets.ts';
import type { Started, Starting } from './started.ts';
import { ServerProcess } from './server-process.ts';
import { isOpenToAll, unprivileged } from './users.ts';

/**
 * The data are temporary, so they need not reach the disk. Deadlock detection starts early: with PostgreSQL's default
 * of one second, clients with frequent conflicts would spend most of the time waiting.
 */
const SETTINGS = { fsync: 'off', deadlock_timeout: '5ms', max_connections: '200' };
const LOOPBACK = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

export async function startPostgres({
  engine,
  folder,
  installed: fetched,
  options,
  signal,
}: Starting): Promise<Started> {
  const installed = engine.origin.kind === 'npm' ? packageFolder(fetched, engine.origin) : fetched;
  const user = unprivileged('PostgreSQL');
  const data = join(folder.path, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user) {
    await folder.letIn(user);
    await chown(data, user.uid, user.gid);
  }
  const programs = await programsIn(installed, user === null ? null : folder);
  const password = newPassword();
  const passwordFile = join(folder.path, 'password');
  await writeSecret(passwordFile, `${password}\n`, user);
  const [auth, sync] = Number.parseInt(engine.version, 10) < 10 ? ['md5', '--nosync'] : ['scram-sha-256', '--no-sync'];
  const making = [`--auth=${auth}`, '--username=isolab', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C'];
  const never = (): boolean => false;
  const initdb = new ServerProcess(folder, {
    title: 'PostgreSQL',
    program: programs.initdb,
    options: [`--pgdata=${data}`, ...making, sync],
    user,
    isReady: never,
  });
  if ((await initdb.run(signal)) !== 0) throw initdb.failure();
  await rm(passwordFile);
  const settings = Object.entries({ ...SETTINGS, ...options }).map(([name, value]) => `${name}=${value}`);
  const flags = [...settings, ...LOOPBACK].flatMap((setting) => ['-c', setting]);
  return onFreePort(async (port) => {
    const server = new ServerProcess(folder, {
      title: 'PostgreSQL',
      program: programs.postgres,
      options: ['-D', data, '-p', String(port), ...flags],
      user,
      isReady: (said) => said.includes('ready to accept connections'),
    });
    await server.start(signal);
    return { addresses: [`postgres://isolab:${password}@127.0.0.1:${port}/postgres`], processes: [server] };
  });
}

/** Returns the folder of the programs, copied if the server's user cannot reach them. */
async function programsIn(installed: string, copyTo: Folder | null): Promise<{ initdb: string; postgres: string }> {
  const isNpm = existsSync(join(installed, 'native'));
  if (isNpm) await completeInstallation(installed);
  let root = isNpm ? join(installed, 'native') : installed;
  if (copyTo !== null && !(await isOpenToAll(root))) {
    const copy = join(copyTo.path, 'programs');
    await cp(root, copy, { recursive: true, verbatimSymlinks: true });
    root = copy;
  }
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(root, 'bin', `${name}${suffix}`));
  for (const program of [initdb!, postgres!]) await chmod(program, 0o755).catch(() => {}); // the server may run as another user
  return { initdb: initdb!, postgres: postgres! };
}
