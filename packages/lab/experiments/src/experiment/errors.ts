/** A wrong call, experiment, manifest or configuration. The message states the finding and a remedy. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** This machine cannot do the task of a queue, and another one may. */
export class RefusalError extends BenchError {}
