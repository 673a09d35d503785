import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import {
  type MariadbPrograms,
  addressAt,
  initFile,
  makeData,
  mariadbCommand,
  mariadbIn,
  serverFlags,
} from './mariadb.ts';
import { freePort } from './port.ts';
import type { Started, Starting } from './started.ts';
import { newCertificate, newPassword, writeSecret } from './secrets.ts';
import { ServerProcess } from './server-process.ts';
import { TRANSFER } from './galera-transfer.ts';

/** Ports of a node: for clients, for the group, and for two kinds of state transfer. */
interface Ports {
  readonly clients: number;
  readonly group: number;
  readonly incremental: number;
  readonly transfer: number;
}

/**
 * Starts a cluster in one folder. The first node creates the cluster, and the other nodes join and copy its data in
 * turn.
 */
export async function startGalera(count: number, starting: Starting): Promise<Started> {
  const { folder, signal } = starting;
  const programs = await mariadbIn(starting.installed);
  const scripts = join(folder.path, 'scripts');
  await mkdir(scripts);
  await writeFile(join(scripts, 'wsrep_sst_isolab'), TRANSFER);
  await chmod(join(scripts, 'wsrep_sst_isolab'), 0o755);
  const all: Ports[] = [];
  for (let node = 0; node < count; node++)
    all.push({
      clients: await freePort(),
      group: await freePort(),
      incremental: await freePort(),
      transfer: await freePort(),
    });
  const first = join(folder.path, 'data-1');
  await makeData(starting, programs, first);
  const password = newPassword();
  const init = await initFile(folder.path, password);
  const keys = await writeKeys(folder.path);
  const group = `gcomm://${all.map((ports) => `127.0.0.1:${ports.group}`).join(',')}`;
  const processes: ServerProcess[] = [];
  for (const [index, ports] of all.entries()) {
    const data = join(folder.path, `data-${index + 1}`);
    if (index > 0) await mkdir(data, { mode: 0o700 });
    const flags = [
      ...serverFlags(programs, data, ports.clients, starting.options),
      ...groupFlags(programs, ports, keys, `node-${index + 1}`),
    ];
    const env = { PATH: `${scripts}:${process.env['PATH']}` };
    const joining = [`--wsrep-cluster-address=${group}`];
    const begin = ['--wsrep-new-cluster', '--wsrep-cluster-address=gcomm://', `--init-file=${init}`];
    const server = new ServerProcess(
      folder,
      mariadbCommand(programs, [...flags, ...(index === 0 ? begin : joining)], isReady(), env),
    );
    await server.start(signal);
    // After this, a killed node rejoins any remaining nodes.
    server.startsAs(mariadbCommand(programs, [...flags, ...joining], isReady(), env));
    processes.push(server);
  }
  return { addresses: all.map(({ clients }) => addressAt(clients, password)), processes };
}

/**
 * Returns a check whether a node is ready. A node accepts connections before it has the data of the others, so both
 * messages are required.
 */
function isReady(): (said: string) => boolean {
  let heard = '';
  return (said) => {
    heard = (heard + said).slice(-HEARD);
    const ready =
      /Synchronized with group, ready for connections/.test(heard) && /: ready for connections\./.test(heard);
    if (ready) heard = '';
    return ready;
  };
}

const HEARD = 20_000;

/** Files with which nodes authenticate each other and keep other processes out. */
interface Keys {
  readonly key: string;
  readonly certificate: string;
}

async function writeKeys(folder: string): Promise<Keys> {
  const { key, certificate } = newCertificate();
  const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
  await writeSecret(files.key, key);
  await writeSecret(files.certificate, certificate);
  return files;
}

function groupFlags(
  { provider }: MariadbPrograms,
  { group, incremental, transfer }: Ports,
  { key, certificate }: Keys,
  name: string,
): string[] {
  const wsrep = [
    `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
    `ist.recv_addr=127.0.0.1:${incremental}`,
    'gcache.size=32M',
    `socket.ssl_key=${key}`,
    `socket.ssl_cert=${certificate}`,
    `socket.ssl_ca=${certificate}`,
  ];
  return [
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--wsrep-on=ON',
    `--wsrep-provider=${provider}`,
    `--wsrep-provider-options=${wsrep.join(';')}`,
    `--wsrep-node-name=${name}`,
    `--wsrep-node-address=127.0.0.1:${group}`,
    `--wsrep-sst-receive-address=127.0.0.1:${transfer}`,
    '--wsrep-sst-method=isolab',
  ];
}
