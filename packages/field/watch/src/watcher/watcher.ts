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
 * Watches a stream of lines in isolab's own format: pass its bytes to {@link take} as they arrive, and call {@link
 * judge} from time to time. The watcher itself never waits for data.
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
  /** Lines that arrived after the latest judgement, and their bytes. */
  #waiting = 0;
  #waitingBytes = 0;
  #firstWaiting = 0;
  #lagMs = 0;
  #isEnded = false;
  #isComplete = false;
  #header: StreamHeader | null = null;
  #beginning = 0;
  /** Alarms that are held back until the source has proved to be the source that they are about. */
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
   * Begins, or continues from a checkpoint and the later lines of the log. `again` states that the source repeats lines
   * of the log, from its beginning or after some of them. Alarms are then reported only once the repeated lines have
   * proved to be equal.
   */
  async open(from: Checkpoint | null = null, again: Again | null = null): Promise<this> {
    this.#newReader = await isolabReader();
    const { log, name } = this.#options;
    const intake = this.#intake;
    this.#isHeld = again !== null;
    if (from !== null) this.#continueFrom(from);
    const now = this.#patience.now();
    for (const { bytes, start, number, count } of log.linesAfter(intake.line))
      for (let i = 0; i < count; i++) {
        intake.numbers.isAgain(bytes.subarray(start[i], start[i + 1]), name, number[i]!);
        this.#add(bytes, start[i]!, start[i + 1]!, number[i]!, now);
        intake.line = number[i]!;
        if (this.#isFull) await this.judge();
      }
    if (again !== null) intake.compare(again);
    this.#isHeld = this.isBehind;
    this.#tellHeld();
    return this;
  }

  /** Reads the header and the initial transaction, which checkpoints do not contain. */
  #readBeginning(): void {
    const { log } = this.#options;
    for (let number = 1; !this.isBegun && number <= log.last; number++)
      this.#begin(Buffer.from(log.line(number)).toString(), number);
    this.#transactions = 0;
  }

  #continueFrom(from: Checkpoint): void {
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

  /** Returns the state to continue from; call only when all received lines were judged. */
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

  /** Number of lines that were taken, including the header. */
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
   * Whether the source still has to prove that it is the source that was watched before. Until then, nothing is
   * reported about it.
   */
  get isBehind(): boolean {
    return this.#intake.isBehind;
  }

  /**
   * Throws if the source ended before it repeated all lines that were watched before, or continues after its own end.
   */
  insistOnEnd(): void {
    this.#intake.insistOnEnd();
  }

  /** The first line that may be judged again, and the earlier lines that an alarm may need. */
  get needed(): { readonly from: number; readonly lines: ReadonlySet<number> } {
    const from = Math.min(this.line + 1, ...this.#engines.map(({ firstKept }) => firstKept));
    const beginning = Array.from({ length: this.#beginning }, (_, i) => i + 1);
    return { from, lines: new Set([...beginning, ...this.#engines.flatMap(({ evidence }) => evidence)]) };
  }

  /** Takes complete lines from a sender that accepts results, and returns the reason why a line was refused. */
  offer(chunk: Uint8Array): Refusal | null {
    return this.#intake.offer(chunk, this.#patience.now(), this.#newReader!);
  }

  /** Takes the next bytes of the stream, which may end anywhere. */
  take(chunk: Uint8Array): void {
    this.#intake.take(chunk, this.#patience.now());
    this.#isHeld &&= this.isBehind;
    this.#tellHeld();
  }

  /** Whether the end mark has arrived. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether an expected end mark is missing, or an incomplete line is left. */
  get isCutOff(): boolean {
    const promisesEnd = this.#header?.promisesEnd ?? true;
    return !this.#isComplete && (promisesEnd || this.#intake.hasRest || !this.isBegun);
  }

  /** Whether a judgement is due: enough transactions have arrived, or one has waited long enough. */
  get isDue(): boolean {
    const { batch, horizon } = this.#options;
    const now = this.#patience.now();
    if (this.#isFull || (this.#waiting > 0 && now - this.#firstWaiting >= batch.ms)) return true;
    return this.#engines.some(
      ({ oldestOpen, fullChecks, lines }) =>
        now - oldestOpen >= horizon.ms || (fullChecks?.isDue(now, lines.count) ?? false),
    );
  }

  /** Shows whether enough lines wait for a judgement. */
  get #isFull(): boolean {
    const { batch } = this.#options;
    return this.#waiting >= batch.transactions || this.#waitingBytes >= batch.bytes;
  }

  async judge(): Promise<WatchStatus> {
    await this.#judge(false);
    return this.status();
  }

  /** Ends the stream, so that nothing waits any longer. A line without its line feed is ignored. */
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
    this.#waitingBytes += to - from;
    if (!isOutcome(bytes, from) && !isInitialRows(bytes, from)) this.#transactions++;
    for (const engine of this.#engines) engine.add(bytes, from, to, number, now);
  }

  #readMark(text: string, number: number): void {
    const { isolab, why } = markIn(text, this.#options.name, number);
    const fail = (problem: string): never => {
      throw new FormatError(this.#options.name, `line ${number}`, problem);
    };
    if (isolab === 'end') this.#isComplete = true;
    else if (isolab === 'spoiled')
      fail(`found a collection that failed (${why ?? 'no reason is given'}), expected a complete one`);
    else if (isolab === 'history') insistOnSame(this.#header!, streamHeader(text), this.#options.name, number);
  }

  /** Handles the first line, which is the header; it may declare the first transaction to be the initial one. */
  #begin(text: string, line: number): void {
    const { name } = this.#options;
    if (this.#header === null) {
      this.#header = firstHeader(text, { name, place: `line ${line}` }, this.#newReader!);
      if (!this.#header.hasInitialTransaction) this.#watch(this.#header.text, 1);
    } else if (/^\s*\{\s*"isolab"/.test(text)) this.#readMark(text, line);
    else this.#watch(withInitialTransaction(this.#header.text, text, this.#newReader!(), { name, line }), line);
  }

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
    this.#waitingBytes = 0;
  }

  /**
   * An alarm is reported even if its evidence cannot be written. Watching then ends, and can be continued from before
   * the alarm.
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

  /** Reports alarms, unless the source may turn out to be a different one. */
  #tellHeld(): void {
    if (this.#isHeld) return;
    for (const alarm of this.#held.splice(0)) this.#options.onAlarm?.(alarm);
  }
}

/** The position from which a source repeats lines, with the latest numbers of sessions there. */
interface Again {
  readonly lines: number;
  readonly numbers?: SavedNumbers;
}
