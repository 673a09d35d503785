/** Says that a group is still this worker's, from a thread of its own: measuring and making histories block this one. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { KeeperData, KeeperTask } from './keeper-thread.ts';

export class Keeper {
  readonly #thread: Worker;

  /** `onLost` hears of a group that has gone to another worker, or is no longer wanted. */
  static async start(data: KeeperData, onLost: (jobId: string) => void): Promise<Keeper> {
    const thread = new Worker(new URL('keeper-thread.js', import.meta.url), { workerData: data });
    await once(thread, 'message'); // it is there
    thread.on('message', onLost);
    // Without it locks run out and groups go to other workers, which is what is to happen when something is wrong here.
    thread.on('error', () => {});
    return new Keeper(thread);
  }

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** Keeps one group at a time; null for none. */
  keep(task: KeeperTask | null): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#thread.postMessage(task);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
