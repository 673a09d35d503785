/** Says that jobs are still this worker's, from a thread of its own: their work may block this one. */
import { started } from '@isolab/history';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { KeeperData, KeeperTask, LostJob } from './keeper-main.ts';

export class Keeper {
  readonly #thread: Worker;

  /** `onLost` hears of a job that has gone to another worker, or is no longer wanted. */
  static async start(data: KeeperData, onLost: (lost: LostJob) => void): Promise<Keeper> {
    // Without it, locks run out and jobs go to other workers. That is intended when this machine has a problem.
    const thread = started(new Worker(new URL('keeper-main.js', import.meta.url), { workerData: data }), () => {});
    await once(thread, 'message'); // it is there; fails if it could not be started
    thread.on('message', onLost);
    return new Keeper(thread);
  }

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  keep(jobId: string, token: string): void {
    this.#post({ jobId, token });
  }

  drop(jobId: string): void {
    this.#post({ jobId, token: null });
  }

  #post(task: KeeperTask): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#thread.postMessage(task);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
