import { setTimeout as sleep } from 'node:timers/promises';
import { Answers } from '../sources/answers.ts';
import type { Refusal } from '../sources/source.ts';
import { type ManySource, emptyPart } from './parts.ts';
import { type ManyStatus, ManyStatuses } from './status.ts';
import type { Keep } from './keep.ts';
import { Streams, type StreamsOptions } from './streams.ts';

export interface RunManyOptions {
  readonly intervalMs: number;
  readonly onStatus: (status: ManyStatus) => void;
  readonly signal: AbortSignal;
  /** Periodic work that runs while no stream is being judged. */
  readonly onTurn?: () => Promise<void>;
}

/** Watches many streams until their source ends or the signal is aborted. */
export async function runMany(
  source: ManySource,
  { streams, statuses }: Many,
  { intervalMs, onStatus, signal, onTurn }: RunManyOptions,
): Promise<void> {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  const parts = source.parts(stop.signal, streams)[Symbol.asyncIterator]();
  let next = parts.next();
  next.catch(() => {});
  let [toldAt, turnedAt] = [Date.now(), 0];
  let isDone = false;
  const answers = new Answers(() => streams.sync());
  let refusal: Refusal | null = null;
  try {
    while (!signal.aborted) {
      const got = await Promise.race([next, sleep(TURN_MS, null)]);
      if (got?.done) {
        isDone = !signal.aborted;
        break;
      }
      if (got !== null) {
        refusal = (await streams.take(got.value)) ?? refusal;
        if (got.value.sender !== undefined) {
          answers.give(got.value.sender, refusal);
          refusal = null;
        }
        next = parts.next();
        next.catch(() => {});
      }
      answers.check();
      if (Date.now() >= turnedAt + TURN_MS) {
        await streams.turn();
        await onTurn?.();
        turnedAt = Date.now();
      }
      if (Date.now() < toldAt + intervalMs) continue;
      onStatus(statuses.now());
      toldAt = Date.now();
    }
    await answers.done();
  } finally {
    stop.abort();
    if (!isDone) await streams.interrupt();
  }
  if (isDone) await streams.end();
  statuses.isEnded = isDone;
}

export interface Many {
  readonly streams: Streams;
  readonly statuses: ManyStatuses;
}

/**
 * Reopens the streams of an earlier run, if their sender does not send them again; streams that have ended stay closed.
 */
export async function openMany(
  source: ManySource,
  keep: Keep,
  options: Omit<StreamsOptions, 'keep' | 'beginsAnew'>,
): Promise<Many> {
  const { name, beginsAnew } = source;
  const streams = new Streams({ ...options, keep, beginsAnew });
  const left = beginsAnew ? [] : keep.streams().filter((stream) => keep.known(stream)?.isEnded !== true);
  for (const stream of left) await streams.take(emptyPart(stream, false));
  return { streams, statuses: new ManyStatuses(name, streams) };
}

const TURN_MS = 50;
