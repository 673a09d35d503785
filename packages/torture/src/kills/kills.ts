import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { readDocumentAt } from '@isolab/formats';
import { prepare, run as runChecker } from '@isolab/runner';
import weave from '@isolab/weave';
import { Random } from '@isolab/workloads';
import pg from 'pg';
import type { Report, Suite } from '../suite.ts';
import { COLLECTORS, committedWrites, lostIn, startAudit } from './audit.ts';
import type { Job, Said } from './child.ts';

/** What PostgreSQL keeps at each of its isolation levels. */
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

/** What is killed, each as often as its weight says: a server takes longer to come back than a collector. */
const KILLS = [
  [70, 'the collector'],
  [10, 'its connections'],
  [10, 'the server, by SIGQUIT'],
  [10, 'the server, by SIGKILL'],
] as const;

/**
 * Kills the collector, its connections or the server at random points, and looks at the history after each: it must be
 * readable, not be violated at the level that PostgreSQL keeps, and hold all that was committed.
 */
export const kills: Suite = {
  name: 'kills',
  title: 'kills collector and server under load: every history stays right, and nothing committed is lost',
  short: 15,
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

/** One history, from its beginning until it is left. */
interface Lived {
  readonly job: Omit<Job, 'resume' | 'seed'>;
  readonly level: (typeof ISOLATIONS)[number][1];
  kills: number;
}

class Kills {
  readonly #server: EmbeddedServer;
  readonly #folder: string;
  readonly #random: Random;
  readonly #seed: number;
  readonly #report: Report;
  #admin: pg.Client | null = null;
  /** A collector that has started and waits for its job: starting takes longer than what it lives for. */
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
        if (lived.kills === Infinity || (lived.kills > 1 && this.#random.chance(0.3))) lived = this.#begin();
      }
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
    return { job: { address, isolation, workload, settings, transactions: 100_000, path, ledger }, level, kills: 0 };
  }

  /** Goes on with a history, kills something, and looks at what is left. */
  async #once(lived: Lived, made: number): Promise<void> {
    const victim = this.#random.weighted(KILLS);
    const kind = `${victim}, at ${lived.job.isolation}`;
    const problem = await this.#killed(lived, victim, made).catch((error: unknown) =>
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
    lived.kills++;
    if (problem === null) return this.#report.survived(kind);
    this.#report.failed(kind, `${problem}; ${lived.job.workload}, kill ${made}, --seed ${this.#seed}`);
    lived.kills = Infinity; // nothing more is learned from it
  }

  async #killed(lived: Lived, victim: (typeof KILLS)[number][1], made: number): Promise<string | null> {
    const child = await this.#waiting;
    this.#waiting = startChild();
    let failure: string | null = null;
    let isUnderLoad = false;
    let tell = (): void => {};
    const begun = new Promise<void>((resolve) => (tell = resolve));
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.on('message', (said: Said) => {
      if (said.kind === 'failed') failure = said.why;
      isUnderLoad ||= said.kind === 'begun';
      tell();
    });
    const { path } = lived.job;
    const resume = existsSync(path) && readFileSync(path, 'latin1').includes('\n');
    child.send({ ...lived.job, resume, seed: `${this.#seed}/${made}` } satisfies Job);
    // Mostly under load; sometimes before it begins.
    if (this.#random.chance(0.9)) await Promise.race([begun, ended]);
    await pause(this.#random.below(MOST_LOAD_MS));
    if (victim !== 'the collector') {
      await this.#strike(victim);
      await pause(this.#random.below(MOST_LOAD_MS));
    }
    child.kill('SIGKILL');
    await ended;
    // Who finds no server at the beginning says so.
    if (failure !== null && isUnderLoad) return `the collector failed: ${failure as string}`;
    return this.#look(lived);
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

  /** What is wrong with the history; null if nothing. */
  async #look({ job, level }: Lived): Promise<string | null> {
    if (!existsSync(job.path)) return null;
    const committed = await committedWrites(await this.#client());
    if (readFileSync(job.path, 'latin1') === '') return null; // its first line was not written yet
    const document = await readDocumentAt(job.path, { failedStatements: 'published' });
    if (document.kind === 'polygraph') return 'it is read as a polygraph';
    const told = existsSync(job.ledger) ? readFileSync(job.ledger, 'utf8').split('\n').filter(Boolean) : [];
    const lost = lostIn(document.history, committed, told);
    if (lost !== null) return lost;
    const { verdict } = await runChecker({
      prepared: prepare(document.history),
      level,
      checker: { checker: weave, url: null },
    });
    if (verdict.status === 'satisfied') return null;
    return verdict.status === 'violated'
      ? `${level} is violated: ${JSON.stringify(verdict.anomalies[0], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 500)}`
      : `${level} is unknown: ${verdict.reason}`;
  }

  async #client(): Promise<pg.Client> {
    if (this.#admin) return this.#admin;
    const client = new pg.Client({ connectionString: this.#server.address });
    client.on('error', () => {});
    await client.connect();
    return (this.#admin = client);
  }
}

const MOST_LOAD_MS = 350;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A collector that has said that it is ready. */
function startChild(): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('child.js', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.once('error', reject);
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`A collector did not start: exit code ${code}.`)));
  });
}
