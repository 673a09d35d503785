import type { WatchFolder } from '../watcher/folder.ts';
import { isHeader } from '../watcher/header.ts';
import { isBlank } from '../stream/line-splitter.ts';
import { type Ending, endedAs } from '../watcher/run.ts';
import type { Refusal } from '../sources/source.ts';
import type { Alarm, WatchStatus } from '../watcher/status.ts';
import type { Keep } from './keep.ts';
import type { StreamPart } from './parts.ts';

/**
 * A stream among many. A stream without new data is parked: its checkpoint is written, and only its status stays in
 * memory.
 */
export class Stream {
  readonly name: string;
  /**
   * The status after the latest judgement. If the stream is read again from its beginning, null until its first lines
   * arrive.
   */
  status: WatchStatus | null;
  /** The way in which the stream ended; null while more may arrive. */
  ending: Ending | null = null;
  /** Whether the stream had ended before this run, so that nothing is reported about it. */
  readonly hadEnded: boolean;
  failure: string | null = null;
  readonly #keep: Keep;
  readonly #beginsAnew: boolean;
  readonly #onAlarm: (stream: string, alarm: Alarm) => void;
  #open: WatchFolder | null = null;
  #isFirst = true;
  /** Whether the stream has its own header, or its header was compared with the common header. */
  #isHeaded = false;
  #isComplete = false;
  #position: string | null = null;
  #touchedAt = 0;
  #savedAt = 0;
  #isSaved = true;
  #hasAlarmed = false;

  constructor(
    name: string,
    { keep, beginsAnew, onAlarm }: { keep: Keep; beginsAnew: boolean; onAlarm: (stream: string, alarm: Alarm) => void },
  ) {
    this.name = name;
    this.#keep = keep;
    this.#beginsAnew = beginsAnew;
    this.#onAlarm = onAlarm;
    this.status = beginsAnew ? null : keep.known(name);
    this.hadEnded = this.status?.isEnded === true;
    if (this.hadEnded) this.ending = 'ended';
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  get isOver(): boolean {
    return this.ending !== null || this.failure !== null;
  }

  /** Returns the reason why lines were refused, for a sender that accepts results; null if they were accepted. */
  async take(part: StreamPart, now: number): Promise<Refusal | null> {
    if (this.isOver || this.#isComplete) return this.#takeBehindEnd(part);
    const { bytes, position, problem, isLast, isOffered } = part;
    let refusal: Refusal | null = null;
    await this.#guarded(async () => {
      const { watcher, position: begun, beginAt } = await this.#opened(now);
      if (bytes.length > 0) {
        refusal = this.#feed(watcher, part);
        this.#position = position;
        this.#touchedAt = now;
        this.#isSaved = false;
      } else if (position !== null) {
        if (begun === null) beginAt(position);
        watcher.take(bytes);
      }
      if (problem !== null) throw problem;
      this.#isComplete = isLast || (watcher.isComplete && !watcher.isBehind);
      if (this.#isComplete) watcher.insistOnEnd();
    });
    return refusal ?? (isOffered && this.failure !== null ? this.#refusal(`it failed: ${this.failure}`) : null);
  }

  /** Feeds lines to the watcher, preceded by the common header unless the stream has its own header. */
  #feed(watcher: WatchFolder['watcher'], { bytes, header = null, isOffered }: StreamPart): Refusal | null {
    const hasOwn = isHeader(bytes);
    const isAdded = header !== null && !this.#isHeaded && !hasOwn;
    const all = isAdded ? Buffer.concat([header, bytes]) : bytes;
    const found = isOffered ? watcher.offer(all) : watcher.take(all);
    const line = (found?.line ?? Infinity) - (isAdded ? 1 : 0);
    if (line > (hasOwn ? 1 : 0)) this.#isHeaded ||= hasOwn || header !== null;
    if (!found) return null;
    const place = line === 0 ? 'the header of all streams' : `line ${found.line === null ? 1 : line} of its lines`;
    return this.#refusal(`${place}: ${found.problem}`);
  }

  #takeBehindEnd({ bytes, isOffered }: StreamPart): Refusal | null {
    if (isBlank(bytes, 0, bytes.length)) return null;
    if (isOffered) return this.#refusal(this.failure === null ? 'it has ended' : `it failed: ${this.failure}`);
    if (this.failure === null) {
      this.failure = 'found a line after {"isolab":"end"}, expected no line';
      this.close();
    }
    return null;
  }

  #refusal(problem: string): Refusal {
    return { line: null, problem: `stream ${this.name}, ${problem}; the lines of other streams were accepted` };
  }

  /** Makes the received lines survive the end of this process and a power failure. */
  async sync(): Promise<void> {
    await this.#open?.sync();
  }

  async #opened(now: number): Promise<WatchFolder> {
    if (this.#open !== null) return this.#open;
    const onAlarm = (alarm: Alarm): void => {
      this.#hasAlarmed = true;
      this.#onAlarm(this.name, alarm);
    };
    const opened = await this.#keep.open(this.name, onAlarm, this.#isFirst && this.#beginsAnew);
    if (this.#isFirst) this.status = opened.watcher.status();
    this.#isFirst = false;
    this.#touchedAt = this.#savedAt = now;
    return (this.#open = opened);
  }

  /** Judges new lines if it is time, writes checkpoints, and frees idle data. */
  async turn(now: number, { saveMs, parkMs }: { readonly saveMs: number; readonly parkMs: number }): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    await this.#guarded(async () => {
      if (this.#isComplete) {
        await this.#end(open);
        return;
      }
      if (open.watcher.isDue) this.status = await open.watcher.judge();
      const mayPark = (this.status?.openReads ?? 0) === 0 && !open.watcher.isBehind;
      const isQuiet = now >= this.#touchedAt + parkMs && mayPark;
      if (!isQuiet && !this.#hasAlarmed && (this.#isSaved || now < this.#savedAt + saveMs)) return;
      await this.#save(now);
      if (isQuiet) this.close();
    });
  }

  async #save(now: number): Promise<void> {
    const { watcher, save } = this.#open!;
    this.status = await watcher.judge();
    if (!this.#isSaved || this.#hasAlarmed) await save(this.#position);
    this.#savedAt = now;
    this.#isSaved = !watcher.isBehind;
    this.#hasAlarmed = false;
  }

  async #end(open: WatchFolder): Promise<void> {
    const ending = open.watcher.isCutOff ? 'cut off' : 'ended';
    this.status = await endedAs(ending, open, this.#position);
    this.ending = ending;
    this.close();
  }

  /** Ends the input for now. The stream stays open unless it was marked as complete. */
  async interrupt(now: number): Promise<void> {
    const open = this.#open;
    if (open !== null)
      await this.#guarded(async () => {
        if (this.#isComplete) return this.#end(open);
        await this.#save(now);
        this.close();
      });
    if (!this.isOver) this.ending = 'interrupted';
  }

  async #guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.failure = (error as Error).message;
      this.close();
    }
  }

  close(): void {
    this.#open?.close();
    this.#open = null;
  }
}
