/** A wrong call, experiment, manifest or configuration: the message says what was found and what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** This machine cannot do what a queue asks of it, and another one may. */
export class RefusalError extends BenchError {}
