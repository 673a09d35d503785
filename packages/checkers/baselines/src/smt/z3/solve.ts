import type { CheckerReason, RunContext, UnknownVerdict } from '@isolab/contract';
import { Broken, type Machine, theMachine } from './machine.ts';

declare function setInterval(callback: () => void, milliseconds: number): unknown;
declare function clearInterval(timer: unknown): void;

/** Declarations and assertions in the SMT-LIB language, and the terms whose values make up a model. */
export interface Script {
  readonly text: string;
  readonly wanted: readonly string[];
}

export interface Limits {
  /** Seconds per call after which Z3 gives up; 0 for no limit. */
  readonly solveSeconds: number;
}

export type Answer =
  /** The values of the requested terms: numbers, and 0 or 1 for Boolean terms. */
  | { readonly status: 'satisfiable'; readonly values: readonly number[] }
  | { readonly status: 'unsatisfiable' }
  | UnknownVerdict<CheckerReason>;

let turn: Promise<unknown> = Promise.resolve();

/** Asks Z3, in a separate context, after the answers to all earlier requests. Throws Stop when the context does. */
export function solve(script: Script, limits: Limits, context: RunContext): Promise<Answer> {
  const answer = turn.then(() => solveNow(script, limits, context));
  turn = answer.catch(() => {});
  return answer;
}

async function solveNow({ text, wanted }: Script, { solveSeconds }: Limits, context: RunContext): Promise<Answer> {
  context.stage('solve');
  // The limit applies to the whole machine, and persists from one context to the next.
  const limit = `(set-option :timeout ${solveSeconds > 0 ? Math.ceil(1000 * solveSeconds) : NEVER})\n`;
  let machine: Machine;
  let z3 = 0;
  try {
    machine = await theMachine();
    z3 = machine.makeContext();
  } catch (error) {
    return crashed(error);
  }
  try {
    const status = (await ask(machine, z3, `${limit}${text}(check-sat)`, context)).trim();
    if (status === 'unsat') return { status: 'unsatisfiable' };
    if (status === 'unknown') return gaveUp(await ask(machine, z3, '(get-info :reason-unknown)', context));
    if (status !== 'sat') return crashed(new Error(`Z3 answered: ${status.slice(0, 200)}`));
    if (wanted.length === 0) return { status: 'satisfiable', values: [] };
    const values = parseValues(await ask(machine, z3, `(get-value (${wanted.join(' ')}))`, context));
    if (values.length !== wanted.length) throw new Error(`Z3 returned ${values.length} of ${wanted.length} values.`);
    return { status: 'satisfiable', values };
  } catch (error) {
    if (error instanceof Broken) return crashed(error);
    throw error;
  } finally {
    machine.deleteContext(z3);
  }
}

/** Makes one call, and periodically asks the context whether to stop; steps represent time. */
function ask(machine: Machine, z3: number, text: string, context: RunContext): Promise<string> {
  let stop: unknown = null;
  let looksSince = 0;
  const timer = setInterval(() => {
    if (stop !== null) {
      if (++looksSince * LOOK_MS >= PATIENCE_MS) machine.giveUp('Z3 did not react to the request to stop');
      return;
    }
    try {
      context.tick(STEPS_A_LOOK);
    } catch (error) {
      stop = error;
      machine.interrupt(z3);
    }
  }, LOOK_MS);
  return machine
    .evaluate(z3, text)
    .catch((error: unknown) => {
      if (stop === null) throw error;
      return '';
    })
    .then((answer) => {
      if (stop !== null) throw stop;
      return answer;
    })
    .finally(() => clearInterval(timer));
}

/** Short calls end before the first check, so they charge nothing that depends on the machine. */
const LOOK_MS = 500;
const STEPS_A_LOOK = 1 << 16;
const PATIENCE_MS = 3000;
const NEVER = 2 ** 32 - 1;

function gaveUp(info: string): Answer {
  const why = info.replaceAll(/^\s*\(:reason-unknown\s*"?|"?\)\s*$/g, '');
  const detail = `Z3 gave up: ${why}`;
  if (why.includes('timeout') || why.includes('canceled')) return { status: 'unknown', reason: 'timeout', detail };
  if (why.includes('memory')) return { status: 'unknown', reason: 'memory', detail };
  return { status: 'unknown', reason: 'incomplete', detail };
}

function crashed(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  const isFull = /enlarge memory|out of memory|heap|OOM/i.test(message);
  const detail = isFull ? 'Z3 ran out of memory (2 GB)' : `Z3 crashed: ${message}`;
  return { status: 'unknown', reason: isFull ? 'memory' : 'crashed', detail };
}

/** The values in Z3's answer to get-value: `((term value) …)`, where terms are plain names. Booleans become 0 and 1. */
function parseValues(answer: string): number[] {
  const values: number[] = [];
  for (const [, value] of answer.matchAll(PAIR)) values.push(valueOf(value!));
  return values;
}

const PAIR = /\(\s*[^\s()]+\s+(#b[01]+|#x[0-9a-f]+|\d+|true|false|\(-\s*\d+\s*\))\s*\)/g;

function valueOf(value: string): number {
  if (value === 'true') return 1;
  if (value === 'false') return 0;
  if (value.startsWith('#b')) return Number.parseInt(value.slice(2), 2);
  if (value.startsWith('#x')) return Number.parseInt(value.slice(2), 16);
  return value.startsWith('(') ? -Number(value.replaceAll(/[^\d]/g, '')) : Number(value);
}
