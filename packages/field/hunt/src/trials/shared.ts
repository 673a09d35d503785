/**
 * State that the machines of one hunt share in a queue's Redis: numbers of histories, the result of each, and findings.
 */
import { PRIVATE } from '@isolab/formats';
import { CollectorError } from '@isolab/collector';
import { LOCK_TIMINGS, PREFIX, connectRedis, withoutPassword } from '@isolab/collector/queue';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING } from './finding.ts';
import type { HuntSettings, TrialRecord } from './options.ts';

/**
 * The hunt, and the number of one of its workers. Both are stored in the worker's folder, so that the hunt can be
 * resumed.
 */
export interface Membership {
  readonly hunt: string;
  /** Number of the worker, from 1. */
  readonly worker: number;
}

/** Totals of all workers so far. */
export interface Together {
  readonly workers: number;
  /** Number of other workers that are still hunting. */
  readonly active: number;
  readonly trials: number;
  readonly violated: number;
  readonly satisfied: number;
  readonly undecided: number;
  readonly committed: number;
  /** Number of histories without a verdict: their workers are busy or have disappeared. */
  readonly open: number;
}

/** A finding of another machine, copied into this machine's folder. */
export interface FoundElsewhere {
  readonly trial: number;
  readonly worker: number;
  readonly folder: string;
}

type Redis = Awaited<ReturnType<typeof connectRedis>>;

interface Told extends Pick<TrialRecord, 'verdict' | 'committed'> {
  readonly worker: number;
}

export class SharedHunt {
  readonly settings: HuntSettings;
  readonly membership: Membership;
  readonly #url: string;
  readonly #redis: Redis;
  readonly #keys: Keys;
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** Joins or resumes a hunt with the same settings. Starts a new hunt if no worker is hunting any more. */
  static async join(url: string, settings: HuntSettings, resumed: Membership | null): Promise<SharedHunt> {
    const redis = await connectRedis(url);
    const keys = keysOf(settings);
    try {
      const words = [LOCK_TIMINGS.lockMs, randomUUID(), JSON.stringify(settings), resumed?.hunt ?? ''];
      const answer = (await within(url, redis.eval(JOIN, 4, ...Object.values(keys), ...words))) as
        | readonly [string, string, number]
        | null;
      if (answer === null)
        throw new CollectorError(
          `${withoutPassword(url)} no longer knows the hunt of this folder, or the hunt is over; --resume without --queue continues it on this machine alone.`,
        );
      const [hunt, text, newest] = answer;
      const membership = resumed ?? { hunt, worker: newest };
      const shared = new SharedHunt({ url, redis, keys, membership, settings: JSON.parse(text) as HuntSettings });
      await shared.#look();
      return shared;
    } catch (error) {
      redis.disconnect();
      throw error;
    }
  }

  private constructor(parts: {
    readonly url: string;
    readonly redis: Redis;
    readonly keys: Keys;
    readonly membership: Membership;
    readonly settings: HuntSettings;
  }) {
    this.#url = parts.url;
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.membership = parts.membership;
    this.settings = parts.settings;
    this.#timer = setInterval(() => void this.#look().catch(() => {}), LOOK_MS);
  }

  /** Aborted once another worker has ended the hunt with its findings. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Returns the number of the next history; null if the hunt is over or all of its histories are assigned. */
  async next(): Promise<number | null> {
    const { hunt, worker } = this.membership;
    const { state, alive } = this.#keys;
    const words = [hunt, worker, this.settings.trials ?? ''];
    const number = Number(await this.#ask(this.#redis.eval(NEXT, 2, state, alive, ...words)));
    if (number < 0) this.#over.abort();
    return number > 0 ? number : null;
  }

  /** Reports the result of a history; a violation ends the hunt of all workers, unless violations are counted. */
  async tell({ trial, verdict, committed }: TrialRecord, finding: string | null): Promise<void> {
    const told: Told = { verdict, committed, worker: this.membership.worker };
    await this.#say(trial, told, finding);
  }

  /** Drops a history that was begun and does not count. */
  async drop(trial: number): Promise<void> {
    await this.#say(trial, null, null);
  }

  async #say(trial: number, told: Told | null, finding: string | null): Promise<void> {
    const { state, records, findings } = this.#keys;
    const files = finding === null ? '' : JSON.stringify(filesIn(finding));
    const ends = finding !== null && !this.settings.counts ? '1' : '';
    const words = [this.membership.hunt, trial, JSON.stringify(told), files, ends];
    await this.#ask(this.#redis.eval(TELL, 3, state, records, findings, ...words));
  }

  /**
   * Copies the findings of other workers beside this worker's findings. Reports data that is not a finding to
   * `onForeign`.
   */
  async fetchFindings(into: string, onForeign: (text: string) => void): Promise<FoundElsewhere[]> {
    const { records, findings } = this.#keys;
    const trials = (await this.#ask(this.#redis.hkeys(findings))).map(Number).toSorted((a, b) => a - b);
    const fetched: FoundElsewhere[] = [];
    for (const trial of trials) {
      const [told, text] = await this.#ask(
        Promise.all([this.#redis.hget(records, String(trial)), this.#redis.hget(findings, String(trial))]),
      );
      const worker = toldIn(told)?.worker;
      const files = filesOf(text);
      if (worker === undefined || files === null) {
        onForeign(`Finding ${trial} in the queue is not a finding of isolab hunt; it is skipped.`);
        continue;
      }
      const folder = join(into, `finding-${trial}`);
      if (worker === this.membership.worker) continue;
      mkdirSync(folder, { recursive: true });
      for (const [name, content] of files) writeFileSync(join(folder, name), content, { mode: PRIVATE });
      fetched.push({ trial, worker, folder });
    }
    return fetched;
  }

  async together(): Promise<Together> {
    const { state, alive, records } = this.#keys;
    const [given, workers] = await this.#ask(this.#redis.hmget(state, 'numbers', 'workers'));
    const [alone, all] = await this.#ask(
      Promise.all([this.#redis.zrange(alive, '0', '-1'), this.#redis.hvals(records)]),
    );
    const judged = all.flatMap((text) => toldIn(text) ?? []);
    const of = (verdict: Told['verdict']): number => judged.filter((each) => each.verdict === verdict).length;
    return {
      workers: Number(workers),
      active: alone.filter((worker) => Number(worker) !== this.membership.worker).length,
      trials: judged.length,
      violated: of('violated'),
      satisfied: of('satisfied'),
      undecided: of('unknown'),
      committed: judged.reduce((sum, { committed }) => sum + committed, 0),
      open: Number(given) - all.length,
    };
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ask(this.#redis.zrem(this.#keys.alive, String(this.membership.worker))).catch(() => {}); // after a failure, the worker counts as silent
    this.#redis.disconnect();
  }

  /** Reports that this worker is alive, and checks whether the hunt is over. */
  async #look(): Promise<void> {
    const { state, alive } = this.#keys;
    const { hunt, worker } = this.membership;
    const goesOn = await this.#ask(this.#redis.eval(LOOK, 2, state, alive, hunt, worker, LOCK_TIMINGS.lockMs));
    if (goesOn !== 1) this.#over.abort();
  }

  #ask<T>(answer: Promise<T>): Promise<T> {
    return within(this.#url, answer);
  }
}

/** Commands wait for a lost connection; a hunt does not wait forever. */
async function within<T>(url: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new CollectorError(
          `${withoutPassword(url)} has not answered for ${PATIENCE_MS / 1000} s; --resume continues the hunt, without --queue on this machine alone.`,
        ),
      );
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Parses a worker's record of a history; null for a history that does not count, and for text from another program. */
function toldIn(text: string | null): Told | null {
  const told = parsed(text) as Partial<Told> | null;
  return Number.isSafeInteger(told?.worker) && Number.isSafeInteger(told?.committed) ? (told as Told) : null;
}

/** Parses the files of a finding, with names that cannot lead to another folder; null if the text is not a finding. */
function filesOf(text: string | null): [name: string, content: string][] | null {
  const files = Object.entries((parsed(text) ?? {}) as Record<string, string>);
  const areFiles = files.every(([name, content]) => /^\w[\w.-]*$/.test(name) && typeof content === 'string');
  return areFiles && files.some(([name, content]) => name === FINDING && parsed(content) !== null) ? files : null;
}

/** Parses a JSON object; null for anything else. */
function parsed(text: string | null): object | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** All files of a finding are text. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

type Keys = ReturnType<typeof keysOf>;

/** Redis keys of a hunt. Workers with the same settings share a hunt. The seed is the first worker's seed. */
function keysOf(settings: HuntSettings) {
  const { database, isolation, level, drawing, workload, transactions, seconds, trials } = settings;
  const { counts, sessionSetup, layout, faults } = settings;
  const what = [database, isolation, level, drawing, workload, transactions, sessionSetup, layout, faults];
  const same = [...what, seconds, trials, counts];
  const name = `${PREFIX}:hunt:${createHash('sha256').update(JSON.stringify(same)).digest('hex').slice(0, 16)}`;
  return { state: name, alive: `${name}:alive`, records: `${name}:records`, findings: `${name}:findings` };
}

/**
 * KEYS: state, alive, records, findings. ARGV: expiry of a silent worker, the id of a new hunt, its settings, the hunt
 * to resume.
 */
const JOIN = `
local now = redis.call('time')[1] * 1000
local id, over = redis.call('hget', KEYS[1], 'id'), redis.call('hget', KEYS[1], 'over')
local alive = redis.call('zcount', KEYS[2], now - ARGV[1], '+inf')
if ARGV[4] ~= '' then
  if id ~= ARGV[4] or over == '1' then return nil end
  return {id, redis.call('hget', KEYS[1], 'settings'), 0}
end
if not id or over == '1' or alive == 0 then
  redis.call('del', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  redis.call('hset', KEYS[1], 'id', ARGV[2], 'settings', ARGV[3], 'over', '', 'numbers', 0, 'workers', 0)
  id = ARGV[2]
end
local worker = redis.call('hincrby', KEYS[1], 'workers', 1)
redis.call('zadd', KEYS[2], now, worker)
return {id, redis.call('hget', KEYS[1], 'settings'), worker}`;

/** KEYS: state, alive. ARGV: hunt, worker, the maximum number of histories. -1: over; 0: all are assigned. */
const NEXT = `
if redis.call('hget', KEYS[1], 'id') ~= ARGV[1] or redis.call('hget', KEYS[1], 'over') == '1' then return -1 end
if ARGV[3] ~= '' and tonumber(redis.call('hget', KEYS[1], 'numbers')) >= tonumber(ARGV[3]) then return 0 end
return redis.call('hincrby', KEYS[1], 'numbers', 1)`;

/** KEYS: state, records, findings. ARGV: hunt, trial, record, the files of a finding or '', '1' to end the hunt. */
const TELL = `
if redis.call('hget', KEYS[1], 'id') ~= ARGV[1] then return 0 end
redis.call('hset', KEYS[2], ARGV[2], ARGV[3])
if ARGV[4] ~= '' then redis.call('hset', KEYS[3], ARGV[2], ARGV[4]) end
if ARGV[5] == '1' then redis.call('hset', KEYS[1], 'over', '1') end
return 1`;

/** KEYS: state, alive. ARGV: hunt, worker, expiry of a silent worker. 1: the hunt continues. */
const LOOK = `
if redis.call('hget', KEYS[1], 'id') ~= ARGV[1] then return 0 end
local now = redis.call('time')[1] * 1000
redis.call('zadd', KEYS[2], now, ARGV[2])
redis.call('zremrangebyscore', KEYS[2], 0, now - ARGV[3])
if redis.call('hget', KEYS[1], 'over') == '1' then return 0 end
return 1`;

const LOOK_MS = 1000;
const PATIENCE_MS = 30_000;
