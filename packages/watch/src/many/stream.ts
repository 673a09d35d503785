import type { WatchFolder } from '../folder.ts';
import type { Ending } from '../run.ts';
import type { Refusal } from '../sources/source.ts';
import type { Alarm, WatchStatus } from '../status.ts';
import type { Keep } from './keep.ts';
import type { Part } from './parts.ts';

/** One of many streams. While nothing comes it is parked: its checkpoint is written, and all that is left is its status. */
export class Stream {
  readonly name: string;
  /** As of the latest judgement. */
  status: WatchStatus | null;
  /** How it ended; null as long as more may come. */
  ending: Ending | null = null;
  /** Why it is not watched any more. */
  failure: string | null = null;
  readonly #keep: Keep;
  readonly #beginsAnew: boolean;
  readonly #onAlarm: (stream: string, alarm: Alarm) => void;
  #open: WatchFolder | null = null;
  #isFirst = true;
  #isComplete = false; // nothing more comes
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
    this.status = keep.known(name);
    if (this.status?.isEnded) this.ending = 'ended'; // it said that it is complete
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  get isOver(): boolean {
    return this.ending !== null || this.failure !== null;
  }

  /** Why lines of a sender that can be told so are not taken; null if they are. */
  async take({ bytes, position, problem, isLast, isOffered }: Part, now: number): Promise<Refusal | null> {
    if (this.isOver || this.#isComplete)
      return isOffered && bytes.length > 0
        ? this.#refusal(this.failure === null ? 'it has ended' : `it failed: ${this.failure}`)
        : null;
    let refusal: Refusal | null = null;
    await this.#guarded(async () => {
      const { watcher } = await this.#opened(now);
      if (bytes.length > 0) {
        const found = isOffered ? watcher.offer(bytes) : watcher.take(bytes);
        if (found) refusal = this.#refusal(`line ${found.line ?? 1} of what was sent of it: ${found.problem}`);
        this.#position = position;
        this.#touchedAt = now;
        this.#isSaved = false;
      }
      if (problem !== null) throw problem;
      this.#isComplete = watcher.isComplete || isLast;
    });
    return refusal ?? (isOffered && this.failure !== null ? this.#refusal(`it failed: ${this.failure}`) : null);
  }

  #refusal(problem: string): Refusal {
    return { line: null, problem: `stream ${this.name}, ${problem}; what was sent of other streams was taken` };
  }

  /** What was taken outlives this process, and the power. */
  async sync(): Promise<void> {
    await this.#open?.sync();
  }

  async #opened(now: number): Promise<WatchFolder> {
    if (this.#open !== null) return this.#open;
    const onAlarm = (alarm: Alarm): void => {
      this.#hasAlarmed = true;
      this.#onAlarm(this.name, alarm);
    };
    const opened = await this.#keep.open(this.name, onAlarm);
    if (this.#isFirst && this.#beginsAnew && opened.lines > 0) opened.watcher.skipTaken(opened.position ?? undefined);
    this.#isFirst = false;
    this.#touchedAt = this.#savedAt = now;
    return (this.#open = opened);
  }

  /** Judges what came if it is time, writes a checkpoint now and then, and lets go of what nothing comes for. */
  async turn(now: number, { saveMs, parkMs }: { readonly saveMs: number; readonly parkMs: number }): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    await this.#guarded(async () => {
      if (this.#isComplete) {
        await this.#end(open.watcher.isCutOff ? 'cut off' : 'ended');
        return;
      }
      if (open.watcher.isDue) this.status = await open.watcher.judge();
      const isQuiet = now >= this.#touchedAt + parkMs && (this.status?.openReads ?? 0) === 0;
      if (!isQuiet && !this.#hasAlarmed && (this.#isSaved || now < this.#savedAt + saveMs)) return;
      await this.#save(now);
      if (isQuiet) this.#close();
    });
  }

  async #save(now: number): Promise<void> {
    const { watcher, save } = this.#open!;
    this.status = await watcher.judge();
    if (!this.#isSaved || this.#hasAlarmed) await save(this.#position);
    this.#savedAt = now;
    this.#isSaved = true;
    this.#hasAlarmed = false;
  }

  async #end(ending: Ending): Promise<void> {
    const { watcher, save } = this.#open!;
    this.status = ending === 'ended' ? await watcher.finish() : await watcher.judge();
    await save(this.#position);
    this.ending = ending;
    this.#close();
  }

  /** Nothing more comes for now; the stream is left as it is. */
  async interrupt(now: number): Promise<void> {
    if (this.#open !== null)
      await this.#guarded(async () => {
        await this.#save(now);
        this.#close();
      });
    if (!this.isOver) this.ending = 'interrupted';
  }

  /** Lets go without a checkpoint: somebody else has it. */
  drop(): void {
    this.#close();
  }

  async #guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.failure = (error as Error).message;
      this.#close();
    }
  }

  #close(): void {
    this.#open?.close();
    this.#open = null;
  }
}
