import type { LevelName } from '@isolab/contract';
import { FormatError, isolabReader } from '@isolab/formats';
import { join } from 'node:path';
import type { Proof } from '../engine/alarm.ts';
import { writeAlarm } from './alarm-files.ts';
import { chains } from '../engine/chains.ts';
import { CHECKPOINT_VERSION, type Checkpoint } from './checkpoint.ts';
import { Engine } from '../engine/engine.ts';
import {
  type StreamHeader,
  firstHeader,
  insistOnSame,
  markIn,
  streamHeader,
  withInitialTransaction,
} from './header.ts';
import { Intake } from './intake.ts';
import { isInitialRows, isMark, isOutcome } from '../stream/lines.ts';
import { residentMemory } from './memory.ts';
import type { SavedNumbers } from './numbers.ts';
import { Patience } from './patience.ts';
import { Rate } from './rate.ts';
import type { Refusal } from '../sources/source.ts';
import type { Alarm, WatchStatus } from './status.ts';
import { Verdicts } from './verdicts.ts';
import { explained } from '../stream/errors.ts';
import { type WatchOptions, logBehind } from './watch-options.ts';

/**
 * Watches a stream of lines in isolab's own format: {@link take} its bytes as they come, and call {@link judge} from time
 * to time. Nothing here waits for anything.
 */
export class Watcher {
  readonly #options: WatchOptions;
  readonly #patience: Patience;
  #since = Date.now();
  #newReader: Awaited<ReturnType<typeof isolabReader>> | null = null;
  #engines: Engine[] = [];
  readonly #verdicts: Verdicts;
  readonly #intake: Intake;
  #transactions = 0;
  #waiting = 0; // lines that came after the latest judgement
  #firstWaiting = 0;
  #lagMs = 0;
  #isEnded = false;
  #isComplete = false;
  #header: StreamHeader | null = null;
  #beginning = 0; // lines up to the one behind which watching begins
  /** Alarms that wait until the source is known to be the source that they are about. */
  #held: Alarm[] = [];
  #isHeld = false;
  readonly #rate: Rate;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#intake = new Intake(options, this, (bytes, from, to, number, now) => this.#add(bytes, from, to, number, now));
    this.#patience = new Patience(options.clock);
    this.#rate = new Rate(this.#since);
    this.#verdicts = new Verdicts(options.levels);
  }

  /**
   * Begins, or continues from a checkpoint and the lines that the log has after it. `again` states that the source has
   * lines once more that are in the log, from its beginning or behind some of them. Alarms are then reported once it
   * has shown that they are the same.
   */
  async open(from: Checkpoint | null = null, again: Again | null = null): Promise<this> {
    this.#newReader = await isolabReader();
    const { log, batch, name } = this.#options;
    const intake = this.#intake;
    this.#isHeld = again !== null;
    if (from !== null) this.#goOn(from);
    const now = this.#patience.now();
    for (const { bytes, start, number, count } of log.linesAfter(intake.line))
      for (let i = 0; i < count; i++) {
        intake.numbers.isAgain(bytes.subarray(start[i], start[i + 1]), name, number[i]!);
        this.#add(bytes, start[i]!, start[i + 1]!, number[i]!, now);
        intake.line = number[i]!;
        if (this.#waiting >= batch.transactions) await this.judge();
      }
    if (again !== null) intake.compare(again);
    this.#isHeld = this.isBehind;
    this.#tellHeld();
    return this;
  }

  /** The header, and the initial transaction, which no checkpoint has. */
  #readBeginning(): void {
    const { log } = this.#options;
    for (let number = 1; !this.isBegun && number <= log.last; number++)
      this.#begin(Buffer.from(log.line(number)).toString(), number);
    this.#transactions = 0;
  }

  #goOn(from: Checkpoint): void {
    this.#readBeginning();
    this.#verdicts.restore(from);
    this.#since = from.since;
    this.#intake.line = from.line;
    this.#isComplete = from.isComplete;
    this.#transactions = from.transactions;
    this.#intake.duplicates = from.duplicates;
    this.#intake.numbers.restore(from.numbers);
    for (const [i, saved] of from.engines.entries()) this.#engines[i]!.restore(saved, this.#patience.now());
  }

  /** State to continue from; only to be asked for when all lines that came were judged. */
  async checkpoint(): Promise<Checkpoint> {
    return {
      isolab: 'watch',
      version: CHECKPOINT_VERSION,
      since: this.#since,
      line: this.#intake.line,
      isComplete: this.#isComplete,
      transactions: this.#transactions,
      duplicates: this.#intake.duplicates,
      numbers: this.#intake.numbers.save(),
      ...this.#verdicts.save(),
      engines: await Promise.all(this.#engines.map((engine) => engine.save())),
    };
  }

  /** Number of lines that were taken, the header among them. */
  get line(): number {
    return this.#intake.line;
  }

  get header(): StreamHeader | null {
    return this.#header;
  }

  get isBegun(): boolean {
    return this.#engines.length > 0;
  }

  /**
   * Whether the source still has to show that it is the source that was watched before. Until then, nothing is reported
   * of it.
   */
  get isBehind(): boolean {
    return this.#intake.isBehind;
  }

  /**
   * Fails where the source is over, and has not been read to the end of the lines that were watched before, or
   * continues behind its own end.
   */
  insistOnEnd(): void {
    this.#intake.insistOnEnd();
  }

  /** The first line that is still to be judged again, and those before it from which an alarm may be made. */
  get needed(): { readonly from: number; readonly lines: ReadonlySet<number> } {
    const from = Math.min(this.line + 1, ...this.#engines.map(({ firstKept }) => firstKept));
    const beginning = Array.from({ length: this.#beginning }, (_, i) => i + 1);
    return { from, lines: new Set([...beginning, ...this.#engines.flatMap(({ evidence }) => evidence)]) };
  }

  /** Takes whole lines of a sender that can receive the reason why one of them is not taken. */
  offer(chunk: Uint8Array): Refusal | null {
    return this.#intake.offer(chunk, this.#patience.now(), this.#newReader!);
  }

  /** Takes the next bytes of the stream, wherever they end. */
  take(chunk: Uint8Array): void {
    this.#intake.take(chunk, this.#patience.now());
    this.#isHeld &&= this.isBehind;
    this.#tellHeld();
  }

  /** Whether the stream said that nothing follows. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether the stream was to say so, and has not; or half a line is left. */
  get isCutOff(): boolean {
    const promisesEnd = this.#header?.promisesEnd ?? true;
    return !this.#isComplete && (promisesEnd || this.#intake.hasRest || !this.isBegun);
  }

  /** Whether it is time for a judgement: enough came, or has waited long enough. */
  get isDue(): boolean {
    const { batch, horizon } = this.#options;
    const now = this.#patience.now();
    if (this.#waiting >= batch.transactions || (this.#waiting > 0 && now - this.#firstWaiting >= batch.ms)) return true;
    return this.#engines.some(
      ({ oldestOpen, looks, lines }) => now - oldestOpen >= horizon.ms || (looks?.isDue(now, lines.count) ?? false),
    );
  }

  async judge(): Promise<WatchStatus> {
    await this.#judge(false);
    return this.status();
  }

  /** The stream is at its end: no wait continues. A line without its line feed is left out. */
  async finish(): Promise<WatchStatus> {
    await this.#judge(true);
    this.#isEnded = true;
    return this.status();
  }

  status(): WatchStatus {
    const at = Date.now();
    const sum = (what: (engine: Engine) => number): number => this.#engines.reduce((all, one) => all + what(one), 0);
    const most = (what: (engine: Engine) => number): number => Math.max(0, ...this.#engines.map(what));
    const oldest = Math.min(...this.#engines.map(({ oldestOpen }) => oldestOpen));
    return {
      name: this.#options.name,
      since: this.#since,
      at,
      isEnded: this.#isEnded,
      transactions: this.#transactions,
      perSecond: this.#rate.perSecond(at, this.#transactions),
      sessions: most(({ left }) => left.sessions.size),
      settled: Math.min(...this.#engines.map(({ settled }) => settled), this.#transactions),
      kept: most(({ lines }) => lines.count),
      openReads: most(({ openReads }) => openReads),
      oldestOpenMs: oldest === Infinity ? 0 : this.#patience.now() - oldest,
      lagMs: this.#lagMs,
      keys: most(({ left }) => left.state.size),
      believed: sum(({ believed }) => believed),
      late: sum(({ late }) => late),
      duplicates: this.#intake.duplicates,
      scans: most(({ scans }) => scans),
      reopened: sum(({ reopened }) => reopened),
      memoryBytes: residentMemory(),
      unwritten: most(({ unwritten }) => unwritten.size),
      lateWriters: most(({ lateWriters }) => lateWriters),
      ...(this.#isHeld ? this.#verdicts.withheld() : this.#verdicts.told(this.#engines)),
    };
  }

  #add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    if (!this.isBegun) {
      this.#begin(Buffer.from(bytes.subarray(from, to)).toString(), number);
      return;
    }
    if (isMark(bytes, from)) {
      this.#readMark(Buffer.from(bytes.subarray(from, to)).toString(), number);
      return;
    }
    if (this.#waiting++ === 0) this.#firstWaiting = now;
    if (!isOutcome(bytes, from) && !isInitialRows(bytes, from)) this.#transactions++;
    for (const engine of this.#engines) engine.add(bytes, from, to, number, now);
  }

  /** Reads a mark about the stream by its writer. */
  #readMark(text: string, number: number): void {
    const { isolab, why } = markIn(text, this.#options.name, number);
    const fail = (problem: string): never => {
      throw new FormatError(this.#options.name, `line ${number}`, problem);
    };
    if (isolab === 'end') this.#isComplete = true;
    else if (isolab === 'spoiled')
      fail(`found a collection that failed (${why ?? 'no reason is given'}), expected a whole one`);
    else if (isolab === 'history') insistOnSame(this.#header!, streamHeader(text), this.#options.name, number);
  }

  /** The first line is the header; where that says so, the first transaction is the initial one. */
  #begin(text: string, line: number): void {
    const { name } = this.#options;
    if (this.#header === null) {
      this.#header = firstHeader(text, { name, place: `line ${line}` }, this.#newReader!);
      if (!this.#header.hasInitialTransaction) this.#watch(this.#header.text, 1);
    } else if (/^\s*\{\s*"isolab"/.test(text)) this.#readMark(text, line);
    else this.#watch(withInitialTransaction(this.#header.text, text, this.#newReader!(), { name, line }), line);
  }

  /** Judges the lines after that one. */
  #watch(headerText: string, line: number): void {
    const { name, log, horizon, mostReopened, timeMs, values, levels } = this.#options;
    this.#beginning = line;
    const header = Buffer.from(`${headerText}\n`);
    const newReader = this.#newReader!;
    const behind = logBehind(log, line);
    this.#engines = chains(levels).map(
      (chain) =>
        new Engine({ name, levels: chain, header, newReader, log: behind, horizon, mostReopened, timeMs, values }),
    );
  }

  async #judge(isEnd: boolean): Promise<void> {
    const now = this.#patience.now();
    this.#options.log.flush();
    for (const engine of this.#engines) {
      const { alarms, undecided, contests } = await engine.judge(now, isEnd);
      for (const contest of contests) this.#verdicts.contest(contest);
      for (const { level, why } of undecided) this.#verdicts.leaveOpen(level, why);
      for (const { level, proof } of alarms) await this.#alarm(level, proof);
    }
    if (this.#waiting > 0) this.#lagMs = this.#patience.now() - this.#firstWaiting;
    this.#waiting = 0;
  }

  /**
   * An alarm is reported even where its evidence cannot be written. Then watching ends, to be continued from before the
   * alarm.
   */
  async #alarm(level: LevelName, proof: Proof): Promise<void> {
    const { anomalies, sentence, line } = proof;
    const { alarmFolder } = this.#options;
    const number = this.#verdicts.alarms.length + 1;
    const alarm: Alarm = { number, level, at: Date.now(), anomalies, sentence, line, contestedAt: null, files: null };
    const folder = alarmFolder === null ? null : join(alarmFolder, String(number));
    try {
      this.#verdicts.raise({ ...alarm, files: folder === null ? null : await writeAlarm(folder, level, proof) });
    } catch (error) {
      this.#verdicts.raise(alarm);
      throw folder === null ? error : explained(folder, error);
    } finally {
      this.#held.push(this.#verdicts.alarms.at(-1)!);
      this.#tellHeld();
    }
  }

  /** Reports alarms, unless the source may turn out to be another one. */
  #tellHeld(): void {
    if (this.#isHeld) return;
    for (const alarm of this.#held.splice(0)) this.#options.onAlarm?.(alarm);
  }
}

/** Where a source begins once more, with the latest numbers of sessions there. */
interface Again {
  readonly lines: number;
  readonly numbers?: SavedNumbers;
}
