import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleAddress } from './module.ts';
import { ServerProcess } from './server-process.ts';
import type { Started, Starting } from './started.ts';

/** Nodes on one machine communicate quickly, so short times detect a dead leader early. */
const TIMES = ['--heartbeat-interval=20', '--election-timeout=200'];

/**
 * The names of the Unix sockets look like hosts with ports, and the sockets are in the working directory: a private
 * folder. A killed server leaves them behind.
 */
const IN_FOLDER = 'cd "$0" && rm -f "$1":* && shift && exec "$@"';

/** Starts a cluster in one folder. All nodes start together, because they wait for each other. */
export async function startEtcd(starting: Starting): Promise<Started> {
  const { folder, installed, options, engine, signal } = starting;
  const program = join(installed, 'usr', 'bin', 'etcd');
  await chmod(program, 0o755).catch(() => {}); // the server may run as another user
  const count = Number(options['nodes'] ?? engine.options.choices!['nodes']![0]);
  const data = join(folder.path, 'data');
  await mkdir(data, { mode: 0o700 });
  const nodes = Array.from({ length: count }, (_, node) => {
    const name = `node-${node + 1}`;
    return { name, clients: `unix://${name}:1`, peers: `unix://${name}:2`, socket: join(data, `${name}:1`) };
  });
  const cluster = nodes.map(({ name, peers }) => `${name}=${peers}`).join(',');
  const processes = nodes.map(
    ({ name, clients, peers }) =>
      new ServerProcess(folder, {
        title: 'etcd',
        program: 'sh',
        options: [
          '-c',
          IN_FOLDER,
          data,
          name,
          program,
          `--name=${name}`,
          `--data-dir=${join(data, name)}`,
          `--listen-client-urls=${clients}`,
          `--advertise-client-urls=${clients}`,
          `--listen-peer-urls=${peers}`,
          `--initial-advertise-peer-urls=${peers}`,
          `--initial-cluster=${cluster}`,
          '--max-txn-ops=10000',
          ...TIMES,
        ],
        user: null,
        isReady: (said) =>
          /ready to serve client requests|serving (?:insecure )?client (?:requests|traffic)/.test(said),
      }),
  );
  await Promise.all(processes.map((server) => server.start(signal)));
  const { version } = engine;
  return {
    addresses: nodes.map(({ socket }) => moduleAddress('driver-etcd', { socket, version })),
    processes,
  };
}
