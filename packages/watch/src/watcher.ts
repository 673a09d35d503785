import type { LevelName } from '@isolab/contract';
import { FormatError, isolabReader } from '@isolab/formats';
import { join } from 'node:path';
import type { Proof } from './alarm.ts';
import { writeAlarm } from './alarm-files.ts';
import { chains } from './chains.ts';
import type { Checkpoint } from './checkpoint.ts';
import { Engine, type Horizon } from './engine.ts';
import { streamHeader } from './header.ts';
import { type Lines, isInitialRows, isMark, isOutcome } from './lines.ts';
import { residentMemory } from './memory.ts';
import type { Alarm, Standing, WatchStatus } from './status.ts';
import type { Log } from './violation.ts';

export interface WatchOptions {
  /** What is watched, for messages. */
  readonly name: string;
  readonly levels: readonly LevelName[];
  readonly horizon: Horizon;
  /** The longest time that one judgement may take. */
  readonly timeMs: number;
  readonly values: 'auto' | 'repeated';
  /** Where everything is kept that came. */
  readonly log: WatchLog;
  /** A log with more transactions than this is not checked again from the beginning. */
  readonly mostReopened: number;
  /** A judgement is made once so many transactions came, or so many milliseconds after the first of them. */
  readonly batch: { readonly transactions: number; readonly ms: number };
  /** Where the evidence of alarms is put; nowhere if null. */
  readonly alarmFolder: string | null;
  readonly now?: () => number;
  readonly onAlarm?: (alarm: Alarm) => void;
}

/** What suits most systems. */
export const DEFAULTS = {
  horizon: { transactions: 10_000, ms: 60_000 },
  batch: { transactions: 5000, ms: 250 },
  values: 'auto',
  mostReopened: 1_000_000,
  timeMs: 60_000,
} as const satisfies Partial<WatchOptions>;

/** A log that grows. Its first line is the header. */
export interface WatchLog extends Log {
  append(bytes: Uint8Array, from: number, to: number, number: number): void;
  /** What was appended outlives this process. */
  flush(): void;
  /** The lines behind the one with that number, some at a time. */
  linesAfter(number: number): Iterable<Lines>;
}

/**
 * Watches a stream of lines in isolab's own format: {@link take} its bytes as they come, and call {@link judge} from time
 * to time. Nothing here waits for anything.
 */
export class Watcher {
  readonly #options: WatchOptions;
  readonly #now: () => number;
  #since: number;
  #newReader: Awaited<ReturnType<typeof isolabReader>> | null = null;
  #engines: Engine[] = [];
  readonly #standing = new Map<LevelName, Standing>();
  readonly #reasons = new Map<LevelName, string>();
  readonly #alarms: Alarm[] = [];
  #rest: Uint8Array = NOTHING; // the beginning of a line
  #line = 0;
  #transactions = 0;
  #waiting = 0; // lines that came after the latest judgement
  #firstWaiting = 0;
  #lagMs = 0;
  #isEnded = false;
  #isComplete = false;
  #header = '';
  #promisesEnd = false;
  #toSkip = 0;
  #skipped = 0;
  #rate = { at: 0, transactions: 0, perSecond: 0 };

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#since = this.#now();
    this.#rate.at = this.#since;
    for (const level of options.levels) this.#standing.set(level, 'stands');
  }

  /** Begins, or goes on from a checkpoint and what the log has behind it. */
  async open(from: Checkpoint | null = null): Promise<this> {
    this.#newReader = await isolabReader();
    for (const lines of this.#options.log.linesAfter(0)) {
      this.#begin(Buffer.from(lines.line(0)).toString());
      break;
    }
    if (from !== null) this.#restore(from);
    if (this.#engines.length > 0) this.#line = Math.max(this.#line, 1);
    const now = this.#now();
    for (const { bytes, start, number, count } of this.#options.log.linesAfter(this.#line))
      for (let i = 0; i < count; i++) {
        this.#add(bytes, start[i]!, start[i + 1]!, number[i]!, now);
        this.#line = number[i]!;
        if (this.#waiting >= this.#options.batch.transactions) await this.judge();
      }
    return this;
  }

  #restore(from: Checkpoint): void {
    const before = from.standing
      .map(([level]) => level)
      .toSorted()
      .join(', ');
    const asked = [...this.#standing.keys()].toSorted().join(', ');
    if (before !== asked)
      throw new RangeError(
        `The levels ${before} were watched before, found ${asked}; watch the same, or in another folder.`,
      );
    this.#goOn(from);
  }

  #goOn({ since, line, isComplete, transactions, standing, reasons, alarms, engines }: Checkpoint): void {
    this.#since = since;
    this.#line = line;
    this.#isComplete = isComplete;
    this.#transactions = transactions;
    for (const [level, stands] of standing) this.#standing.set(level, stands);
    for (const [level, why] of reasons) this.#reasons.set(level, why);
    this.#alarms.push(...alarms);
    for (const [i, saved] of engines.entries()) this.#engines[i]!.restore(saved, this.#now());
  }

  /** What to go on from; only to be asked for when all that came was judged. */
  async checkpoint(): Promise<Checkpoint> {
    return {
      isolab: 'watch',
      version: 1,
      since: this.#since,
      line: this.#line,
      isComplete: this.#isComplete,
      transactions: this.#transactions,
      standing: [...this.#standing],
      reasons: [...this.#reasons],
      alarms: this.#alarms,
      engines: await Promise.all(this.#engines.map((engine) => engine.save())),
    };
  }

  /** How many lines were taken, the header among them. */
  get line(): number {
    return this.#line;
  }

  /** Takes the next bytes of the stream, wherever they end. */
  take(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.length);
    }
    let at = 0;
    for (let feed = bytes.indexOf(LINE_FEED, at); feed >= 0; feed = bytes.indexOf(LINE_FEED, at)) {
      this.#takeLine(bytes, at, feed + 1);
      at = feed + 1;
    }
    this.#rest = bytes.slice(at);
  }

  /** Whether the stream said that nothing follows. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether the stream was to say so, and has not; or half a line is left. */
  get isCutOff(): boolean {
    return !this.#isComplete && (this.#promisesEnd || this.#rest.length > 0 || this.#engines.length === 0);
  }

  /** Whether it is time for a judgement: enough came, or has waited long enough. */
  get isDue(): boolean {
    const { batch, horizon } = this.#options;
    const now = this.#now();
    if (this.#waiting >= batch.transactions || (this.#waiting > 0 && now - this.#firstWaiting >= batch.ms)) return true;
    return this.#engines.some(({ oldestOpen }) => now - oldestOpen >= horizon.ms);
  }

  /** The source begins anew, or behind so many lines, with lines that were taken before. */
  skipTaken(behind = 0): void {
    this.#toSkip = this.#line;
    this.#skipped = behind;
  }

  /** Judges what came. */
  async judge(): Promise<WatchStatus> {
    const now = this.#now();
    await this.#judge(now, false);
    return this.status();
  }

  /** The stream is at its end: nothing is waited for any more. A line without its line feed is left out. */
  async finish(): Promise<WatchStatus> {
    await this.#judge(this.#now(), true);
    this.#isEnded = true;
    return this.status();
  }

  status(): WatchStatus {
    const at = this.#now();
    const sum = (what: (engine: Engine) => number): number => this.#engines.reduce((all, one) => all + what(one), 0);
    const most = (what: (engine: Engine) => number): number => Math.max(0, ...this.#engines.map(what));
    const oldest = Math.min(...this.#engines.map(({ oldestOpen }) => oldestOpen));
    return {
      name: this.#options.name,
      since: this.#since,
      at,
      isEnded: this.#isEnded,
      transactions: this.#transactions,
      perSecond: this.#perSecond(at),
      sessions: most(({ sessions }) => sessions.size),
      settled: Math.min(...this.#engines.map(({ settled }) => settled), this.#transactions),
      kept: most(({ lines }) => lines.count),
      openReads: most(({ openReads }) => openReads),
      oldestOpenMs: oldest === Infinity ? 0 : at - oldest,
      lagMs: this.#lagMs,
      keys: most(({ state }) => state.size),
      believed: sum(({ believed }) => believed),
      late: sum(({ late }) => late),
      scans: most(({ scans }) => scans),
      reopened: sum(({ reopened }) => reopened),
      memoryBytes: residentMemory(),
      levels: Object.fromEntries(this.#standing) as WatchStatus['levels'],
      whyUndecided: Object.fromEntries(this.#reasons) as WatchStatus['whyUndecided'],
      alarms: this.#alarms,
    };
  }

  #perSecond(at: number): number {
    const ms = at - this.#rate.at;
    if (ms < 500) return this.#rate.perSecond;
    const perSecond = ((this.#transactions - this.#rate.transactions) * 1000) / ms;
    this.#rate = { at, transactions: this.#transactions, perSecond };
    return perSecond;
  }

  #takeLine(bytes: Uint8Array, from: number, to: number): void {
    if (isBlank(bytes, from, to)) return;
    if (this.#skipped < this.#toSkip) {
      this.#skip(bytes.subarray(from, to));
      return;
    }
    const now = this.#now();
    const number = this.#line + 1;
    if (this.#engines.length === 0) this.#begin(Buffer.from(bytes.subarray(from, to)).toString());
    else this.#add(bytes, from, to, number, now);
    this.#line = number;
    this.#options.log.append(bytes, from, to, number);
  }

  /** A line that was taken before. */
  #skip(line: Uint8Array): void {
    this.#skipped++;
    if (this.#skipped < this.#toSkip || Buffer.compare(line, this.#options.log.line(this.#toSkip)) === 0) return;
    const { name } = this.#options;
    throw new FormatError(
      name,
      `line ${this.#toSkip}`,
      'it is another one than before, so that nobody knows where to go on; was the file replaced? Watch it in another folder',
    );
  }

  #add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    if (isMark(bytes, from)) {
      this.#readMark(Buffer.from(bytes.subarray(from, to)).toString(), number);
      return;
    }
    if (this.#waiting++ === 0) this.#firstWaiting = now;
    if (!isOutcome(bytes, from) && !isInitialRows(bytes, from)) this.#transactions++;
    for (const engine of this.#engines) engine.add(bytes, from, to, number, now);
  }

  /** What whoever writes the stream says of it. */
  #readMark(text: string, number: number): void {
    const { isolab, why } = JSON.parse(text) as { readonly isolab: string; readonly why?: string };
    const fail = (problem: string): never => {
      throw new FormatError(this.#options.name, `line ${number}`, problem);
    };
    if (isolab === 'end') this.#isComplete = true;
    else if (isolab === 'spoiled')
      fail(`found a collection that failed (${why ?? 'no reason is given'}), expected a whole one`);
    else if (isolab === 'history' && streamHeader(text).text !== this.#header)
      fail('found a header that says otherwise than the first one, expected the same');
  }

  #begin(line: string): void {
    const { name, log, horizon, mostReopened, timeMs, values, levels } = this.#options;
    if (!/^\s*\{\s*"isolab"\s*:\s*"history"/.test(line))
      throw new FormatError(
        name,
        'line 1',
        `found ${line.slice(0, 40).trim()}, expected a header such as {"isolab":"history","version":1}`,
      );
    const { text, hasInitialTransaction, promisesEnd } = streamHeader(line);
    if (hasInitialTransaction)
      throw new FormatError(
        name,
        'line 1',
        'found an initial transaction, expected "initialOf"; check it when it is complete',
      );
    this.#header = text;
    this.#promisesEnd = promisesEnd;
    const header = Buffer.from(`${text}\n`);
    const newReader = this.#newReader!;
    this.#engines = chains(levels).map(
      (chain) => new Engine({ name, levels: chain, header, newReader, log, horizon, mostReopened, timeMs, values }),
    );
  }

  async #judge(now: number, isEnd: boolean): Promise<void> {
    this.#options.log.flush();
    for (const engine of this.#engines) {
      const { alarms, undecided } = await engine.judge(now, isEnd);
      for (const { level, proof } of alarms) await this.#alarm(level, proof);
      for (const { level, why } of undecided) {
        this.#standing.set(level, 'undecided');
        this.#reasons.set(level, why);
      }
    }
    if (this.#waiting > 0) this.#lagMs = this.#now() - this.#firstWaiting;
    this.#waiting = 0;
  }

  async #alarm(level: LevelName, proof: Proof): Promise<void> {
    this.#standing.set(level, 'violated');
    const number = this.#alarms.length + 1;
    const { anomalies, sentence, line } = proof;
    const { alarmFolder, onAlarm } = this.#options;
    const files = alarmFolder === null ? null : await writeAlarm(join(alarmFolder, String(number)), proof);
    const alarm: Alarm = { number, level, at: this.#now(), anomalies, sentence, line, files };
    this.#alarms.push(alarm);
    onAlarm?.(alarm);
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (bytes[at] === LINE_FEED || bytes[at] === 0x0d || bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at === to;
}

const LINE_FEED = 10;
const NOTHING = new Uint8Array(0);
