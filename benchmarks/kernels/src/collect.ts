/**
 * Measures the collector beside its PostgreSQL driver alone and a plain loop of `pg`, with equal statements, on the
 * embedded PostgreSQL: `npm run bench collect [-- ROUNDS TRANSACTIONS OPERATIONS SESSIONS]`. Each round runs all three.
 * Prints the smallest CPU time of this process per transaction, the largest number of transactions per second, and the
 * median ratios to the loop.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { collect, startEmbedded } from '@isolab/collector';
import { Random, findWorkload, resolveParameters } from '@isolab/workloads';
import pg from 'pg';

const [rounds = '8', transactions = '4000', operations = '4', sessions = '10'] = process.argv.slice(2);
const [COUNT, SESSIONS] = [Math.ceil(Number(transactions) / Number(sessions)), Number(sessions)];
const ISOLATION = { name: 'read committed', claims: 'read-committed' } as const;
const [READ, WRITE] = [
  'SELECT v FROM isolab_registers WHERE k = $1',
  'INSERT INTO isolab_registers (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v',
];
const workload = findWorkload('general')!;
const parameters = resolveParameters(workload, { keys: '100000', operations });
const path = join(tmpdir(), `isolab-bench-collect-${process.pid}.jsonl`);

type Asked = { readonly kind: 'read' | 'write'; readonly key: number; readonly value: number };

/** Draws the requests of each session before the time is taken. */
function drawn(seed: string): readonly (readonly (readonly Asked[])[])[] {
  const random = new Random(seed);
  const run = workload.prepare(parameters, SESSIONS, random.fork('workload'));
  return Array.from({ length: SESSIONS }, (_, index) => {
    const next = run.session(index, random.fork(index));
    return Array.from({ length: COUNT }, () => [...next()()] as unknown as Asked[]);
  });
}

const { address, database } = await startEmbedded();

interface Loop {
  /** Prepares the run, and returns its measured part. */
  (seed: string): Promise<() => Promise<void>>;
}

/** Returns a loop of all sessions at once; `play` runs the transactions of one session. */
const loopOf =
  (play: (program: readonly (readonly Asked[])[]) => Promise<void>): Loop =>
  async (seed) => {
    const programs = drawn(seed);
    await database.prepare('registers', false);
    return async () => void (await Promise.all(programs.map(play)));
  };

const bare = loopOf(async (program) => {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query('SET enable_seqscan = off');
  for (const transaction of program) {
    await client.query('BEGIN ISOLATION LEVEL read committed');
    for (const { kind, key, value } of transaction)
      if (kind === 'read') await client.query({ name: 'read', text: READ, values: [String(key)] });
      else await client.query({ name: 'write', text: WRITE, values: [String(key), value] });
    await client.query('COMMIT');
  }
  await client.end();
});

const driver = loopOf(async (program) => {
  const connection = await database.connect(ISOLATION);
  for (const transaction of program) {
    await connection.begin();
    for (const request of transaction) await connection.ask(request);
    await connection.commit();
  }
  await connection.close();
});

const collector: Loop = async (seed) => async () => {
  const options = { database, isolation: ISOLATION, workload, parameters, sessions: SESSIONS, transactions: COUNT };
  const { committed } = await collect({ ...options, seed, path });
  if (committed !== SESSIONS * COUNT) throw new Error(`${committed} committed`);
};

const loops = Object.entries({ bare, driver, collector });
const taken = new Map(
  loops.map(([name]) => [name, [] as { readonly cpu: number; readonly system: number; readonly wall: number }[]]),
);
try {
  for (let round = -1; round < Number(rounds); round++)
    for (const [name, loop] of round % 2 === 0 ? loops : loops.toReversed()) {
      const run = await loop(`round ${round}`);
      const begun = { cpu: process.cpuUsage(), wall: performance.now() };
      await run();
      const { user, system } = process.cpuUsage(begun.cpu);
      const each = 1000 / (SESSIONS * COUNT);
      if (round >= 0)
        taken.get(name)!.push({
          cpu: ((user + system) / 1000) * each,
          system: (system / 1000) * each,
          wall: (performance.now() - begun.wall) * each,
        });
    }
} finally {
  await database.close();
  rmSync(path, { force: true });
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
const plain = taken.get('bare')!;
for (const [name, runs] of taken) {
  const cpu = Math.min(...runs.map((run) => run.cpu));
  const system = Math.min(...runs.map((run) => run.system));
  const wall = Math.min(...runs.map((run) => run.wall));
  const ratios = (['cpu', 'wall'] as const).map((of) => median(runs.map((run, i) => plain[i]![of] / run[of])));
  console.log(
    `${name.padEnd(10)} ${cpu.toFixed(1)} µs of CPU time (${system.toFixed(1)} in the kernel), ${(1e6 / wall).toFixed(0)} transactions per second; ` +
      `bare ÷ this: CPU ${ratios[0]!.toFixed(3)}, time ${ratios[1]!.toFixed(3)}`,
  );
}
