import type { Refusal } from '../sources/source.ts';
import type { Alarm } from '../watcher/status.ts';
import type { Keep } from './keep.ts';
import { type Asked, type StreamPart, emptyPart } from './parts.ts';
import { Stream } from './stream.ts';

export interface StreamsOptions {
  readonly keep: Keep;
  /** Whether the source starts over for streams without a saved position. */
  readonly beginsAnew: boolean;
  readonly onAlarm: (stream: string, alarm: Alarm) => void;
  /** Called when a stream can no longer be watched. */
  readonly onFailure: (stream: string, why: string) => void;
  /** Returns whether a part is still wanted; by default, all parts are. */
  readonly accepts?: (part: StreamPart) => boolean;
  readonly saveMs?: number;
  readonly parkMs?: number;
}

/** Watches independent streams in one process. Streams without new data take hardly any memory. */
export class Streams implements Asked {
  readonly all = new Map<string, Stream>();
  readonly #open = new Set<Stream>();
  readonly #options: StreamsOptions;
  readonly #timings: { readonly saveMs: number; readonly parkMs: number };

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#timings = { saveMs: options.saveMs ?? SAVE_MS, parkMs: options.parkMs ?? PARK_MS };
  }

  /** Number of streams that are not parked. */
  get open(): number {
    return this.#open.size;
  }

  placeOf(stream: string): string | null {
    this.#of(stream);
    return this.#options.keep.position(stream)?.at ?? null;
  }

  isOver(stream: string): boolean {
    return this.all.get(stream)?.isOver === true;
  }

  /** Returns the reason why lines were refused, for a sender that accepts results; null if they were accepted. */
  async take(part: StreamPart): Promise<Refusal | null> {
    if (this.#options.accepts?.(part) === false) return null;
    const stream = this.#of(part.stream);
    const isNews = stream.failure === null;
    const refusal = await stream.take(part, Date.now());
    this.#look(stream, isNews);
    return refusal;
  }

  /** Makes the received lines of all streams survive the end of this process and a power failure. */
  async sync(): Promise<void> {
    await this.#each([...this.#open], (stream) => stream.sync());
  }

  async turn(): Promise<void> {
    await this.#each([...this.#open], async (stream) => {
      await stream.turn(Date.now(), this.#timings);
      this.#look(stream, true);
    });
  }

  /** Handles several streams concurrently, because disks are slow. */
  async #each(streams: readonly Stream[], act: (stream: Stream) => Promise<void>): Promise<void> {
    for (let at = 0; at < streams.length; at += AT_ONCE)
      await Promise.all(streams.slice(at, at + AT_ONCE).map((stream) => act(stream)));
  }

  async end(): Promise<void> {
    const rest = [...this.all.values()].filter(({ isOver }) => !isOver);
    await this.#each(rest, async (stream) => {
      await this.take(emptyPart(stream.name, true));
      await stream.turn(Date.now(), this.#timings);
      this.#look(stream, true);
    });
  }

  async interrupt(): Promise<void> {
    await this.#each([...this.all.values()], (stream) => stream.interrupt(Date.now()));
    this.#open.clear();
  }

  /** Removes a stream that another worker watches from now on, or has already taken over. */
  async release(name: string, isLost: boolean): Promise<void> {
    const stream = this.all.get(name);
    if (stream === undefined) return;
    if (isLost) stream.close();
    else await stream.interrupt(Date.now());
    this.#open.delete(stream);
    this.all.delete(name);
  }

  #look(stream: Stream, isNews: boolean): void {
    if (stream.isOpen) this.#open.add(stream);
    else this.#open.delete(stream);
    if (isNews && stream.failure !== null) this.#options.onFailure(stream.name, stream.failure);
  }

  #of(name: string): Stream {
    let stream = this.all.get(name);
    if (stream === undefined) this.all.set(name, (stream = new Stream(name, this.#options)));
    return stream;
  }
}

const AT_ONCE = 64;
const SAVE_MS = 10_000;
const PARK_MS = 5000;
