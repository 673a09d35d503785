import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { readDocumentAt } from '@isolab/formats';
import { type History, countTransactions } from '@isolab/history';
import { check } from 'isolab';
import { Random } from '@isolab/workloads';
import pg from 'pg';
import type { Report, Suite } from '../suite/suite.ts';
import { COLLECTORS, committedWrites, lostIn, quiet, startAudit, writesIn } from './audit.ts';
import type { Job, Said } from './child.ts';

/** Level that PostgreSQL keeps at each of its isolation levels. */
const ISOLATIONS = [
  ['read committed', 'read-committed'],
  ['repeatable read', 'snapshot-isolation'],
  ['serializable', 'serializable'],
] as const;

const WORKLOADS = [
  ['list-append', { keys: '6' }],
  ['mini-transactions', { keys: '8', forms: 'all' }],
  ['general', { keys: '40', operations: '6' }],
  ['blindw', { keys: '60' }],
] as const;

/** Victims of kills, with their weights: a server takes longer to restart than a collector. */
const KILLS = [
  [50, 'the collector'],
  [20, 'its connections'],
  [15, 'the server, by SIGQUIT'],
  [15, 'the server, by SIGKILL'],
] as const;

/** Kills the collector, its connections or the server at random, and checks the remaining history. */
export const kills: Suite = {
  name: 'kills',
  title: 'kills collector and server under load: every history stays correct, and no committed write is lost',
  short: 8,
  long: 1000,
  async run(count, seed, report) {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-kills-'));
    let server: EmbeddedServer | null = null;
    try {
      server = await startEmbedded();
      await new Kills(server, folder, new Random(seed), seed, report).run(count);
    } catch (error) {
      report.failed('the suite', error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      await server?.database.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** State of a history, from its beginning until it is abandoned. */
interface Lived {
  readonly job: Omit<Job, 'resume' | 'seed'>;
  readonly level: (typeof ISOLATIONS)[number][1];
  kills: number;
  /** Current collector of the history. */
  collector: Collector | null;
}

interface Collector {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  isUnderLoad: boolean;
  /** Reason why the collector gave up. */
  failure: string | null;
}

class Kills {
  readonly #server: EmbeddedServer;
  readonly #folder: string;
  readonly #random: Random;
  readonly #seed: number;
  readonly #report: Report;
  #admin: pg.Client | null = null;
  /** A started collector that waits for its job, because starting takes longer than its work. */
  #waiting = startChild();
  #histories = 0;

  constructor(server: EmbeddedServer, folder: string, random: Random, seed: number, report: Report) {
    this.#server = server;
    this.#folder = folder;
    this.#random = random;
    this.#seed = seed;
    this.#report = report;
  }

  async run(count: number): Promise<void> {
    try {
      await startAudit(await this.#client());
      let lived = this.#begin();
      for (let made = 1; made <= count; made++) {
        await this.#once(lived, made);
        if (lived.kills < MOST_KILLS && (lived.kills < 2 || this.#random.chance(0.7))) continue;
        await this.#leave(lived);
        lived = this.#begin();
      }
      await this.#leave(lived);
    } finally {
      (await this.#waiting).kill('SIGKILL');
      await this.#admin?.end().catch(() => {});
    }
  }

  #begin(): Lived {
    const number = this.#histories++;
    const [isolation, level] = ISOLATIONS[number % ISOLATIONS.length]!;
    const [workload, settings] = this.#random.pick(WORKLOADS);
    const path = join(this.#folder, `${number}.jsonl`);
    const address = `${this.#server.address}?application_name=${COLLECTORS}`;
    const ledger = `${path}.ledger`;
    return {
      job: { address, isolation, workload, settings, transactions: 100_000, path, ledger },
      level,
      kills: 0,
      collector: null,
    };
  }

  /** Continues a history, kills a victim, and checks the remaining file. */
  async #once(lived: Lived, made: number): Promise<void> {
    const victim = this.#random.weighted(KILLS);
    const kind = `${victim}, at ${lived.job.isolation}`;
    const problem = await this.#killed(lived, victim, made).catch((error: unknown) =>
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
    lived.kills++;
    if (problem === null) return this.#report.survived(kind);
    this.#report.failed(kind, `${problem}; ${lived.job.workload}, kill ${made}, --seed ${this.#seed}`);
    lived.kills = Infinity; // it gives no further information
  }

  async #killed(lived: Lived, victim: (typeof KILLS)[number][1], made: number): Promise<string | null> {
    lived.collector ??= await this.#start(lived, made);
    const { collector } = lived;
    await pause(this.#random.below(MOST_LOAD_MS));
    if (victim === 'the collector') await this.#leave(lived);
    else await this.#strike(victim);
    if (collector.failure !== null) {
      await this.#leave(lived);
      // A collector that finds no server at the beginning fails; later it waits for the server.
      if (collector.isUnderLoad) return `the collector failed: ${collector.failure}`;
    }
    return this.#look(lived);
  }

  /** Starts a collector, new or continuing after the last kill. */
  async #start({ job }: Lived, made: number): Promise<Collector> {
    const child = await this.#waiting;
    this.#waiting = startChild();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const collector: Collector = { child, ended, isUnderLoad: false, failure: null };
    let tell = (): void => {};
    const begun = new Promise<void>((resolve) => (tell = resolve));
    child.on('message', (said: Said) => {
      if (said.kind === 'failed') collector.failure = said.why;
      collector.isUnderLoad ||= said.kind === 'begun';
      tell();
    });
    const resume = existsSync(job.path) && readFileSync(job.path, 'latin1').includes('\n');
    child.send({ ...job, resume, seed: `${this.#seed}/${made}` } satisfies Job);
    // Usually the kill happens under load, sometimes before.
    if (this.#random.chance(0.9)) await Promise.race([begun, ended]);
    return collector;
  }

  /** Kills the collector, if there is one. */
  async #leave(lived: Lived): Promise<void> {
    lived.collector?.child.kill('SIGKILL');
    await lived.collector?.ended;
    lived.collector = null;
    await quiet(await this.#client());
  }

  async #strike(victim: Exclude<(typeof KILLS)[number][1], 'the collector'>): Promise<void> {
    if (victim === 'its connections') {
      const theirs = `application_name = '${COLLECTORS}'`;
      await (await this.#client()).query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${theirs}`);
      return;
    }
    await this.#admin?.end().catch(() => {});
    this.#admin = null;
    await this.#server.crash(victim === 'the server, by SIGKILL' ? 'SIGKILL' : 'SIGQUIT');
  }

  /** Finds a problem with the history; null if there is none. Its collector may be running. */
  async #look({ job, level }: Lived): Promise<string | null> {
    const before = await read(job.path);
    if (before === null) return null; // its first line is not written yet
    const committed = await committedWrites(await this.#client());
    const told = existsSync(job.ledger) ? readFileSync(job.ledger, 'latin1') : '';
    const history = (await read(job.path))!;

    const [earlier, now] = [writesIn(before), writesIn(history)];
    if (typeof earlier === 'string') return earlier;
    if (typeof now === 'string') return now;
    for (const [write, status] of earlier)
      if (status === 'committed' && !committed.has(write))
        return `the history contains ${write} as committed, but it was not committed`;
    const lost = lostIn(now, committed);
    if (lost !== null) return `the history has lost the committed write ${lost}`;
    const wholeLines = told
      .slice(0, told.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1);
    const untold = lostIn(now, wholeLines);
    if (untold !== null) return `the history has lost acknowledged commits: ${untold}`;
    const { verdict, anomalies, reason } = await check(history, { level, allowCutOff: true });
    if (verdict === 'satisfied') return null;
    // The history of a collector killed at its beginning may be too small for a verdict.
    if (verdict === 'unknown' && countTransactions(history) < LITTLE) return null;
    return verdict === 'violated'
      ? `${level} is violated: ${JSON.stringify(anomalies[0]).slice(0, 500)}`
      : `${level} is unknown: ${reason}`;
  }

  async #client(): Promise<pg.Client> {
    if (this.#admin) return this.#admin;
    const client = new pg.Client({ connectionString: this.#server.address });
    client.on('error', () => {});
    await client.connect();
    return (this.#admin = client);
  }
}

/** Reads the history of a file; null if its first line is still incomplete. */
async function read(path: string): Promise<History | null> {
  if (!existsSync(path) || !readFileSync(path, 'latin1').includes('\n')) return null;
  const document = await readDocumentAt(path, { failedStatements: 'published' });
  if (document.kind === 'polygraph') throw new Error(`${path} is read as a polygraph.`);
  return document.history;
}

/** Weave, and the other checkers that `isolab check` uses for kinds of histories that weave does not support. */
/** Limits for one history: longer ones take longer to check. */
const MOST_KILLS = 12;
const MOST_LOAD_MS = 350;
const LITTLE = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a collector and waits until it is ready. */
function startChild(): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const path = new URL('../../dist/kills/child.js', import.meta.url); // tests run from src
    const child = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.once('error', reject);
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`A collector did not start: exit code ${code}.`)));
  });
}
