/** A wrong call, experiment, manifest or configuration. The message states the finding and a remedy. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** This machine cannot do what a queue asks of it, and another one may. */
export class RefusalError extends BenchError {}
