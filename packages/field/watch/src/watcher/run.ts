import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchFolder } from './folder.ts';
import { Answers } from '../sources/answers.ts';
import type { Chunk, Source } from '../sources/source.ts';
import type { WatchStatus } from './status.ts';

export interface RunOptions {
  /** Time between two reports of the status. */
  readonly intervalMs: number;
  /** Interval between checkpoints; ten seconds by default. */
  readonly saveMs?: number;
  readonly onStatus: (status: WatchStatus) => void;
  /** Stops watching, without conclusions about later data. */
  readonly signal: AbortSignal;
}

/** The reason why watching ended. `ended`: the stream is complete; `cut off`: the expected end mark is missing. */
export type Ending = 'ended' | 'cut off' | 'interrupted';

/** Watches a source until it ends or the signal is aborted. */
export async function runWatch(
  source: Source,
  watched: WatchFolder,
  { intervalMs, onStatus, signal, saveMs = SAVE_MS }: RunOptions,
): Promise<{ readonly ending: Ending; readonly status: WatchStatus }> {
  const { watcher, save, sync } = watched;
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  const chunks = source.chunks(stop.signal, () => !watcher.isComplete)[Symbol.asyncIterator]();
  let next = chunks.next();
  next.catch(() => {});
  let toldAt = Date.now();
  let savedAt = toldAt;
  let position: Chunk['position'] = null;
  const answers = new Answers(sync);
  try {
    while (!signal.aborted && (source.hasEnd || !watcher.isComplete)) {
      const got = await Promise.race([next, sleep(IDLE_MS, null)]);
      if (got?.done) break;
      if (got !== null) {
        take(got.value, watched, answers);
        ({ position } = got.value);
        next = chunks.next();
        next.catch(() => {});
      }
      answers.check();
      if (watcher.isDue) await watcher.judge();
      const now = Date.now();
      if (now >= toldAt + intervalMs) {
        onStatus(watcher.status());
        toldAt = now;
      }
      if (now >= savedAt + saveMs) {
        await watcher.judge();
        await save(position);
        savedAt = Date.now();
      }
    }
    await answers.done();
  } finally {
    stop.abort();
  }
  if (!signal.aborted) watcher.insistOnEnd();
  const ending = signal.aborted ? 'interrupted' : watcher.isCutOff ? 'cut off' : 'ended';
  return { ending, status: await endedAs(ending, watched, position) };
}

/**
 * Judges the remaining lines, and writes a checkpoint. If more lines may arrive after a restart, the checkpoint is from
 * before the end, because questions that only the end decides must then be decided again.
 */
export async function endedAs(ending: Ending, { watcher, save }: WatchFolder, at: string | null): Promise<WatchStatus> {
  if (ending === 'ended' && watcher.isComplete) await watcher.finish();
  else await watcher.judge();
  await save(at);
  return ending === 'ended' && !watcher.isComplete ? watcher.finish() : watcher.status();
}

/** Takes bytes, and reports the result to their sender. */
function take(
  { bytes, sender, position }: Chunk,
  { watcher, position: begun, beginAt }: WatchFolder,
  answers: Answers,
): void {
  if (sender === undefined) {
    if (begun === null && position !== null && bytes.length === 0) beginAt(position);
    watcher.take(bytes);
  } else if (!sender.isRefused()) {
    const refusal = watcher.offer(bytes);
    answers.give(sender, refusal);
  }
}

const IDLE_MS = 50;
const SAVE_MS = 10_000;
