/** Transactions that only read, and last long: a database may remove versions that they still need. */
import type { Random } from './workload/random.ts';
import type { Program, Request, Transaction } from './workload/workload.ts';

/** Reads the keys of the next transactions of a workload, with a pause after the first transaction. */
export function slowReads(next: () => Transaction, random: Random): Transaction {
  const parts = Array.from({ length: PARTS }, next);
  const pauseMs = random.between(...PAUSE_MS);
  return function* (): Program {
    for (const [i, part] of parts.entries()) {
      if (i === 1) yield pause(pauseMs);
      yield* reading(part());
    }
  };
}

/** Replaces the writes of a program by reads. Programs need no answers to their writes. */
function* reading(program: Program): Program {
  for (let step = program.next(undefined); !step.done;) {
    const request = readOf(step.value);
    const answer = yield request;
    step = program.next(request === step.value ? answer : undefined);
  }
}

function readOf(request: Request): Request {
  switch (request.kind) {
    case 'append':
      return { kind: 'read-list', key: request.key };
    case 'write':
    case 'increment':
    case 'insert':
    case 'delete':
      return { kind: 'read', key: request.key };
    default:
      return request;
  }
}

function pause(ms: number): Request {
  let looks = 0;
  return {
    kind: 'wait',
    isOver: () => ++looks > MOST_LOOKS,
    over: () => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

const PARTS = 4;
/** Shortest and longest pause; other clients wait at most a second for locks. */
const PAUSE_MS = [50, 300] as const;
/** Number of its own steps that a simulated client pauses. */
const MOST_LOOKS = 50;
