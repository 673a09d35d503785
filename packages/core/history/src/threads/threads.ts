/**
 * Other threads of the process, which work beside the calling thread. The host provides them; without them, everything
 * runs in the calling thread, with the same results.
 */
export interface Threads {
  /** Number of threads to use, with the calling thread. */
  readonly count: number;
  /** Smallest number of operations whose index and evidence are worth the start of a thread. */
  readonly leastOperations: number;
  /** Starts a thread for one task. */
  begin<Data extends object, Result>(task: string): ThreadTask<Data, Result>;
}

/** A task in another thread. */
export interface ThreadTask<Data, Result> {
  /** Passes the data to the thread, with its columns in shared memory. */
  give(data: Data): void;
  /**
   * Waits for the result without returning to the event loop. Returns null if the thread has not begun or has failed;
   * the caller then performs the task itself.
   */
  result(): Result | null;
  /** Ends a task whose result is no longer needed. */
  cancel(): void;
}
