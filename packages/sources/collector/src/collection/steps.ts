import type { Answer, Program, Request } from '@isolab/workloads';

/** A transaction as a sequence of requests. */
export type Steps = Pick<Program, 'next'>;
export type RequestStep = IteratorResult<Exclude<Request, { kind: 'wait' }>, void>;

/** Returns the next request of the program, after waits for transactions that must come first. */
export function afterWaits(program: Steps, answer: Answer): RequestStep | Promise<RequestStep> {
  const step = program.next(answer);
  return !step.done && step.value.kind === 'wait' ? waited(program, step.value) : (step as RequestStep);
}

async function waited(program: Steps, request: Extract<Request, { kind: 'wait' }>): Promise<RequestStep> {
  await request.over();
  return afterWaits(program, undefined);
}
