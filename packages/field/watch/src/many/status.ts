import { type ByLevel, type LevelName, eachLevel } from '@isolab/contract';
import { residentMemory } from '../watcher/memory.ts';
import { Rate } from '../watcher/rate.ts';
import type { Alarm, Standing, WatchStatus } from '../watcher/status.ts';
import type { Stream } from './stream.ts';
import type { Streams } from './streams.ts';

/** The state of many streams at one moment, as plain data. */
export interface ManyStatus {
  readonly name: string;
  readonly since: number;
  readonly at: number;
  readonly isEnded: boolean;
  /** The numbers of all streams, of active streams, and of streams that can no longer be watched. */
  readonly streams: number;
  readonly open: number;
  readonly failed: number;
  readonly transactions: number;
  readonly perSecond: number;
  readonly kept: number;
  readonly believed: number;
  readonly late: number;
  /** The largest lag of the active streams. */
  readonly lagMs: number;
  readonly memoryBytes: number;
  /** For each level, the numbers of streams in which it holds so far, is violated, or is undecided. */
  readonly levels: ByLevel<Readonly<Record<Standing, number>>>;
  /** The total number of alarms, and the latest alarms. */
  readonly alarmsInAll: number;
  readonly alarms: readonly StreamAlarm[];
  /** The streams that most deserve attention. */
  readonly noteworthy: readonly StreamSummary[];
}

export interface StreamAlarm extends Alarm {
  readonly stream: string;
}

export interface StreamSummary {
  readonly stream: string;
  readonly transactions: number;
  readonly perSecond: number;
  readonly alarms: number;
  readonly levels: WatchStatus['levels'];
  /** The reason why the stream is no longer watched, or why a level is undecided. */
  readonly why: string | null;
}

export class ManyStatuses {
  readonly #name: string;
  readonly #streams: Streams;
  readonly #since = Date.now();
  readonly #rate: Rate;
  isEnded = false;

  constructor(name: string, streams: Streams) {
    this.#name = name;
    this.#streams = streams;
    this.#rate = new Rate(
      Date.now(),
      sum(this.#all, ({ transactions }) => transactions),
    );
  }

  get #all(): WatchStatus[] {
    return [...this.#streams.all.values()].map(({ status }) => status).filter((status) => status !== null);
  }

  now(): ManyStatus {
    const at = Date.now();
    const all = this.#all;
    const streams = [...this.#streams.all.values()];
    const transactions = sum(all, (each) => each.transactions);
    return {
      name: this.#name,
      since: this.#since,
      at,
      isEnded: this.isEnded,
      streams: streams.length,
      open: this.#streams.open,
      failed: streams.filter(({ failure }) => failure !== null).length,
      transactions,
      perSecond: this.#rate.perSecond(at, transactions),
      kept: sum(all, ({ kept }) => kept),
      believed: sum(all, ({ believed }) => believed),
      late: sum(all, ({ late }) => late),
      lagMs: streams.reduce((most, { isOpen, status }) => Math.max(most, isOpen ? (status?.lagMs ?? 0) : 0), 0),
      memoryBytes: residentMemory(),
      levels: levelsOf(streams),
      alarmsInAll: sum(all, ({ alarms }) => alarms.length),
      alarms: latestAlarms(all),
      noteworthy: noteworthy(streams),
    };
  }
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

/** In a stream that can no longer be watched, no level counts as holding. */
function levelsOf(streams: readonly Stream[]): ManyStatus['levels'] {
  const levels: Partial<Record<LevelName, Record<Standing, number>>> = {};
  for (const { status, failure } of streams)
    for (const [level, standing] of eachLevel(status?.levels ?? {})) {
      if (failure !== null && standing === 'stands') continue;
      (levels[level] ??= { stands: 0, violated: 0, undecided: 0 })[standing]++;
    }
  return levels;
}

function latestAlarms(all: readonly WatchStatus[]): StreamAlarm[] {
  const alarmed = all.filter(({ alarms }) => alarms.length > 0);
  const alarms = alarmed.flatMap(({ name, alarms: some }) => some.map((alarm) => ({ ...alarm, stream: name })));
  return alarms.toSorted((a, b) => b.at - a.at).slice(0, MOST_SHOWN);
}

/**
 * Selects streams that cannot be watched, then streams with alarms, then undecided streams, then the fastest streams.
 */
function noteworthy(streams: readonly Stream[]): StreamSummary[] {
  const weighed = streams.map((stream) => ({ stream, weight: weightOf(stream) }));
  return weighed
    .toSorted((a, b) => b.weight - a.weight || (a.stream.name < b.stream.name ? -1 : 1))
    .slice(0, MOST_SHOWN)
    .map(({ stream: { name, status, failure } }) => ({
      stream: name,
      transactions: status?.transactions ?? 0,
      perSecond: status?.perSecond ?? 0,
      alarms: status?.alarms.length ?? 0,
      levels: status?.levels ?? {},
      why: failure ?? Object.values(status?.whyUndecided ?? {})[0] ?? null,
    }));
}

function weightOf({ status, failure, isOpen }: Stream): number {
  if (failure !== null) return 4e9;
  if (status === null) return 0;
  if (status.alarms.length > 0) return 3e9;
  if (Object.values(status.levels).includes('undecided')) return 2e9;
  return isOpen ? Math.min(1e9, 1 + status.perSecond) : 0;
}

const MOST_SHOWN = 100;
