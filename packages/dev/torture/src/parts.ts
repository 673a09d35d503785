/** Divides the attempts of a suite into parts and runs them in child processes, one part per process at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FromPart, WorkPart } from './part-main.ts';
import type { Suite } from './suite/suite.ts';
import { Tally } from './suite/tally.ts';

export interface Asked {
  readonly count: number;
  /** Seed of the first part; each next part has the next seed. */
  readonly seed: number;
  /** Time until which parts are started beyond the count; 0 for none. */
  readonly until: number;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onFailure: (failure: string) => void;
  /** Number of finished attempts. */
  readonly onPart: (done: number) => void;
}

/** Returns the tally of the finished parts. A part whose process ends early has failed. */
export async function runInParts(suite: Suite, asked: Asked): Promise<Tally> {
  const tally = new Tally(asked.onFailure);
  const parts = partsOf(suite, asked);
  let done = 0;
  const work = async (): Promise<void> => {
    const child = fork(fileURLToPath(new URL('part-main.js', import.meta.url)), { signal: asked.signal });
    child.on('error', () => {}); // an abort
    try {
      for (const part of parts) {
        if (asked.signal.aborted) return;
        await runPart(child, part, tally);
        done += part.count;
        asked.onPart(done);
      }
    } catch (error) {
      if (!asked.signal.aborted) throw error;
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: asked.jobs }, work));
  return tally;
}

function* partsOf({ name, short }: Suite, { count, seed: first, until }: Asked): Generator<WorkPart> {
  let seed = first;
  for (let left = count; left > 0; left -= short) yield { suite: name, count: Math.min(left, short), seed: seed++ };
  while (performance.now() < until) yield { suite: name, count: Math.min(count, short), seed: seed++ };
}

function runPart(child: ChildProcess, part: WorkPart, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (message: FromPart): void => {
      if (message.kind === 'failed') return tally.announce(message.failure);
      leave();
      tally.add(message.counts);
      resolve();
    };
    const end = (code: number | null, signal: string | null): void => {
      leave();
      reject(new Error(`${part.suite}: the process of seed ${part.seed} ended with ${code ?? signal}`));
    };
    const leave = (): void => void child.off('message', hear).off('exit', end);
    child.on('message', hear).on('exit', end);
    child.send(part);
  });
}
