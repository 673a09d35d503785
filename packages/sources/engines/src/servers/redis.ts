import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { librariesIn } from './libraries.ts';
import { moduleAddress } from './module.ts';
import { ServerProcess } from './server-process.ts';
import type { Started, Starting } from './started.ts';

/** Every command is in the operating system's copy of the log before the reply, so a killed server loses nothing. */
const SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'no', '--save', '', '--set-proc-title', 'no'];
const SAYING_ON_STDERR = 'exec "$0" "$@" 1>&2';

export async function startRedis({ engine, folder, installed, signal }: Starting): Promise<Started> {
  // Debian has one program under several names.
  const program = join(installed, 'usr', 'bin', 'redis-server');
  await chmod(program, 0o755).catch(() => {}); // the server may run as another user
  const data = join(folder.path, 'data');
  await mkdir(data, { mode: 0o700 });
  const path = [...(await librariesIn(installed)), process.env['LD_LIBRARY_PATH'] ?? ''].filter((one) => one !== '');
  const socket = join(data, 'socket'); // in a private folder
  const server = new ServerProcess(folder, {
    title: 'Redis',
    program: 'sh',
    options: ['-c', SAYING_ON_STDERR, program, '--port', '0', '--unixsocket', socket, '--dir', data, ...SETTINGS],
    user: null,
    env: { LD_LIBRARY_PATH: path.join(':') },
    isReady: (said) => said.includes('now ready to accept connections'),
  });
  await server.start(signal);
  return { addresses: [moduleAddress('driver-redis', { socket, version: engine.version })], processes: [server] };
}
