import type { Lease, Leases } from '@isolab/collector/queue';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WatchError, makeFolder } from '../stream/errors.ts';
import { type Checkpoint, readCheckpoint } from '../watcher/checkpoint.ts';
import { type Position, type WatchFolder, watchFolder, writeJson } from '../watcher/folder.ts';
import { isHeader } from '../watcher/header.ts';
import { LineSplitter } from '../stream/line-splitter.ts';
import { isMark } from '../stream/lines.ts';
import { FolderLog } from '../watcher/log.ts';
import { type Keep, type StreamOptions, fileName, keptStatus } from '../many/keep.ts';
import { Numbers } from '../watcher/numbers.ts';
import type { Redis } from '../sources/redis-reader.ts';
import { linesOfEntries } from '../sources/redis-reader.ts';
import type { Alarm, WatchStatus } from '../watcher/status.ts';

interface Kept {
  readonly lease: Lease;
  readonly checkpoint: Checkpoint | null;
  /** The reason why watching cannot continue from the data. */
  readonly problem: Error | null;
  readonly position: Position | null;
  readonly result: Result | null;
}

/** The latest stored result of a stream, from any worker. */
interface Result {
  readonly stream: string;
  readonly worker: string;
  readonly status: WatchStatus;
}

export interface StreamResults {
  readonly results: readonly Result[];
  /** Streams that cannot be watched, according to the latest attempt of any worker. */
  readonly failures: readonly { readonly stream: string; readonly why: string }[];
}

/** Writes all data atomically, and only while this worker holds the lease. */
const SAVE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('hset', KEYS[2], ARGV[2], ARGV[3])
redis.call('hset', KEYS[3], ARGV[2], ARGV[4])
redis.call('hset', KEYS[4], ARGV[2], ARGV[5])
for i = 6, #ARGV, 2 do redis.call('hset', KEYS[5], ARGV[i], ARGV[i + 1]) end
return 1`;

const EVIDENCE = ['history.jsonl', 'certificate.json', 'story.html'] as const;

/**
 * Keeps streams in the queue's store: checkpoints, positions in the sources, results, and the evidence of alarms. Logs
 * are in a folder on this machine; a worker that takes over a stream gets its log from the source.
 */
export class Store implements Keep {
  readonly #leases: Leases;
  readonly #source: Redis;
  readonly #folder: string;
  readonly #options: StreamOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #prepared = new Set<string>();

  constructor(leases: Leases, source: Redis, folder: string, options: StreamOptions) {
    this.#leases = leases;
    this.#source = source;
    this.#folder = folder;
    this.#options = options;
  }

  /** Loads the stored data of a stream that this worker now owns. */
  async begin(lease: Lease): Promise<void> {
    const { redis } = this.#leases;
    const [text, position, result] = await Promise.all(
      ['checkpoints', 'positions', 'results'].map((word) => redis.hget(this.#leases.key(word), lease.name)),
    );
    const { checkpoint, problem } = this.#checkpointIn(text!, lease.name);
    this.#kept.set(lease.name, {
      lease,
      checkpoint,
      problem,
      position: checkpoint === null ? null : parsed<Position>(position!),
      result: parsed<Result>(result!),
    });
  }

  /**
   * Reads a checkpoint from which watching can continue. A checkpoint of a newer isolab is left untouched: the stream
   * cannot be watched here.
   */
  #checkpointIn(text: string | null, stream: string): Pick<Kept, 'checkpoint' | 'problem'> {
    if (text === null) return { checkpoint: null, problem: null };
    const name = `The checkpoint of ${stream} in the queue`;
    try {
      const { checkpoint, problem } = readCheckpoint(text, name);
      if (problem !== null) this.#options.onNote?.(`${name} ${problem}; reading the stream from its beginning.`);
      return { checkpoint, problem: null };
    } catch (error) {
      return { checkpoint: null, problem: error as Error };
    }
  }

  /** Forgets a stream that this worker no longer owns. */
  end(stream: string): void {
    this.#kept.delete(stream);
    this.#prepared.delete(stream);
    rmSync(this.#folderOf(stream), { recursive: true, force: true });
  }

  position(stream: string): Position | null {
    return this.#kept.get(stream)?.position ?? null;
  }

  known(stream: string): WatchStatus | null {
    return this.#kept.get(stream)?.result?.status ?? null;
  }

  streams(): string[] {
    return [];
  }

  async open(stream: string, onAlarm: (alarm: Alarm) => void, isReadAgain: boolean): Promise<WatchFolder> {
    const kept = this.#kept.get(stream);
    if (kept === undefined) throw new WatchError(`${stream} is watched by another worker now.`);
    if (kept.problem !== null) throw kept.problem;
    const folder = this.#folderOf(stream);
    if (!this.#prepared.has(stream)) await this.#prepare(stream, kept, folder);
    this.#prepared.add(stream);
    const opened = await watchFolder(folder, { ...this.#options, name: stream, onAlarm, isReadAgain });
    let saved = opened.watcher.status().alarms.length;
    return {
      ...opened,
      save: async (at) => {
        await opened.save(at);
        const alarms = opened.watcher.status().alarms.slice(saved);
        await this.#save(kept.lease, folder, keptStatus(opened), alarms);
        saved += alarms.length;
      },
    };
  }

  /** Prepares a folder like the previous worker's: with the lines up to the checkpoint, and the evidence of alarms. */
  async #prepare(stream: string, { checkpoint: saved, position }: Kept, folder: string): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder);
    if (saved === null || position === null) return;
    const alarms = await Promise.all(saved.alarms.map((alarm) => this.#fetchEvidence(stream, alarm, folder)));
    await this.#fetchLog(stream, saved.line, position, join(folder, 'log'));
    writeJson(join(folder, 'checkpoint.json'), { ...saved, alarms } satisfies Checkpoint);
    writeJson(join(folder, 'position.json'), position);
  }

  /**
   * Fetches the lines of the log from the source, without the lines that had been dropped: duplicates and the header.
   */
  async #fetchLog(stream: string, lines: number, { at }: Position, folder: string): Promise<void> {
    const log = new FolderLog(folder);
    const numbers = new Numbers();
    const upTo = at.split(' ')[0]!;
    let number = 0;
    for (let from = '-'; ;) {
      const entries = await this.#source.xrange(stream, from, upTo, 'COUNT', 1000);
      if (entries.length === 0) break;
      new LineSplitter().split(linesOfEntries(stream, entries).bytes, (bytes, begin, end) => {
        const line = bytes.subarray(begin, end);
        if (isMark(bytes, begin) ? number > 0 && isHeader(line) : numbers.isAgain(line, stream, number + 1)) return;
        log.append(bytes, begin, end, ++number);
      });
      from = `(${entries.at(-1)![0]}`;
    }
    log.close();
    if (number !== lines || !isHeader(log.line(1)))
      throw new WatchError(
        `The stream ${stream} has ${number} of the ${lines} watched lines, expected all of them, because their log is on another machine. Do not trim the stream.`,
      );
  }

  async #fetchEvidence(stream: string, alarm: Alarm, folder: string): Promise<Alarm> {
    if (alarm.files === null) return alarm;
    const own = join(folder, 'alarms', String(alarm.number));
    makeFolder(own);
    for (const name of EVIDENCE) {
      const text = await this.#leases.redis.hget(this.#leases.key('evidence'), fieldOf(stream, alarm.number, name));
      if (text !== null) writeFileSync(join(own, name), text, { mode: 0o600 });
    }
    const [history, certificate, story] = EVIDENCE.map((name) => join(own, name));
    return { ...alarm, files: { history: history!, certificate: certificate!, story: story! } };
  }

  async #save(lease: Lease, folder: string, status: WatchStatus, alarms: readonly Alarm[]): Promise<void> {
    const { name: stream, lockKey, token } = lease;
    const evidence = alarms.flatMap(({ number }) =>
      EVIDENCE.flatMap((name) => {
        const text = textOf(join(folder, 'alarms', String(number), name));
        return text === null ? [] : [fieldOf(stream, number, name), text];
      }),
    );
    const result: Result = { stream, worker: this.#leases.worker, status };
    const keys = ['checkpoints', 'positions', 'results', 'evidence'].map((word) => this.#leases.key(word));
    const checkpoint = textOf(join(folder, 'checkpoint.json'));
    const position = textOf(join(folder, 'position.json'));
    if (checkpoint === null || position === null) return; // no data has arrived yet
    const values = [token, stream, checkpoint, position, JSON.stringify(result), ...evidence];
    const isOurs = await this.#leases.redis.eval(SAVE, 1 + keys.length, lockKey, ...keys, ...values);
    if (isOurs !== 1) throw new WatchError(`${stream} is watched by another worker now.`);
  }

  #folderOf(stream: string): string {
    return join(this.#folder, fileName(stream));
  }
}

export async function resultsIn(leases: Leases): Promise<StreamResults> {
  const texts = Object.values(await leases.redis.hgetall(leases.key('results')));
  const failed = await leases.failed();
  return {
    results: texts.map((text) => JSON.parse(text) as Result),
    failures: failed.map(({ name, why }) => ({ stream: name, why })),
  };
}

const fieldOf = (stream: string, alarm: number, name: string): string => `${alarm}/${name} ${stream}`;

const parsed = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
