import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleAddress } from './module.ts';
import { freePort } from './port.ts';
import { ServerProcess } from './server-process.ts';
import type { Started, Starting } from './started.ts';

/** Nodes on one machine hear of each other at once, so that a leader that died is soon missed. */
const TIMES = ['--heartbeat-interval=20', '--election-timeout=200'];

/** A cluster in one folder; its nodes wait for each other, so that they start together. */
export async function startEtcd(starting: Starting): Promise<Started> {
  const { folder, installed, options, engine, signal } = starting;
  const program = join(installed, 'usr', 'bin', 'etcd');
  await chmod(program, 0o755).catch(() => {}); // it may belong to another user
  const count = Number(options['nodes'] ?? engine.options.choices!['nodes']![0]);
  const nodes: { readonly name: string; readonly clients: string; readonly peers: string }[] = [];
  for (let node = 1; node <= count; node++)
    nodes.push({ name: `node-${node}`, clients: await address(), peers: await address() });
  const cluster = nodes.map(({ name, peers }) => `${name}=${peers}`).join(',');
  const processes = nodes.map(
    ({ name, clients, peers }) =>
      new ServerProcess(folder, {
        title: 'etcd',
        program,
        options: [
          `--name=${name}`,
          `--data-dir=${join(folder.path, name)}`,
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
    addresses: nodes.map(({ clients }) => moduleAddress('driver-etcd', { endpoint: clients, version })),
    processes,
  };
}

const address = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;
