import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchFolder } from './folder.ts';
import { Answers } from './sources/answers.ts';
import type { Chunk, Source } from './sources/source.ts';
import type { WatchStatus } from './status.ts';

export interface RunOptions {
  /** How often a status is told. */
  readonly intervalMs: number;
  /** How often a checkpoint is written; every ten seconds if absent. */
  readonly saveMs?: number;
  readonly onStatus: (status: WatchStatus) => void;
  /** Ends it: then nothing is said of what may still come. */
  readonly signal: AbortSignal;
}

/** Why watching ended. `ended`: the stream is complete; `cut off`: it should have said so, and did not. */
export type Ending = 'ended' | 'cut off' | 'interrupted';

/** Watches a source until it ends, or the signal comes. */
export async function runWatch(
  source: Source,
  { watcher, save, sync }: WatchFolder,
  { intervalMs, onStatus, signal, saveMs = SAVE_MS }: RunOptions,
): Promise<{ readonly ending: Ending; readonly status: WatchStatus }> {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  const chunks = source.chunks(stop.signal)[Symbol.asyncIterator]();
  let next = chunks.next();
  next.catch(() => {}); // it is asked for below
  let toldAt = Date.now();
  let savedAt = toldAt;
  let position: Chunk['position'] = null;
  const answers = new Answers(sync);
  try {
    while (!signal.aborted && !watcher.isComplete) {
      const got = await Promise.race([next, sleep(IDLE_MS, null)]);
      if (got?.done) break;
      if (got !== null) {
        take(got.value, watcher, answers);
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
  const ending = signal.aborted ? 'interrupted' : watcher.isCutOff ? 'cut off' : 'ended';
  const status = await (ending === 'ended' ? watcher.finish() : watcher.judge());
  await save(position);
  return { ending, status };
}

/** Takes bytes, and tells whoever sent them what became of them. */
function take({ bytes, sender }: Chunk, watcher: WatchFolder['watcher'], answers: Answers): void {
  if (sender === undefined) watcher.take(bytes);
  else if (!sender.isRefused()) {
    const refusal = watcher.offer(bytes);
    answers.give(sender, refusal);
  }
}

const IDLE_MS = 50;
const SAVE_MS = 10_000;
