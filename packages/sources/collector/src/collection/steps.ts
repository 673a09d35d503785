import type { Answer, Program, Request } from '@isolab/workloads';

/** A transaction as a sequence of requests. */
export type Steps = Pick<Program, 'next'>;
export type RequestStep = IteratorResult<Exclude<Request, { kind: 'wait' }>, void>;

/** Returns the next request of the program, after waits for transactions that must come first. */
export async function afterWaits(program: Steps, answer: Answer): Promise<RequestStep> {
  let step = program.next(answer);
  while (!step.done && step.value.kind === 'wait') {
    await step.value.over();
    step = program.next(undefined);
  }
  return step as RequestStep;
}
