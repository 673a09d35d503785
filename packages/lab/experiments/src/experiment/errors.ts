/** Error in a call, an experiment, a manifest or the configuration. The message states the finding and a remedy. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** This machine cannot do a task of a queue, but another one may. */
export class RefusalError extends BenchError {}
