import type { MessagePort } from 'node:worker_threads';

/** States of a task in another thread. */
export const State = { Waiting: 0, Running: 1, Done: 2, Revoked: 3, Cancelled: 4 } as const;

/** Data of a new thread, for thread-main.ts. */
export interface ThreadData {
  readonly task: string;
  /** A State of the task, in shared memory. */
  readonly state: Int32Array;
  readonly port: MessagePort;
}
