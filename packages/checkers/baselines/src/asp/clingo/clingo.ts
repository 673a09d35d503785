import type { CheckerReason, RunContext, UnknownVerdict } from '@isolab/contract';

declare function setInterval(callback: () => void, milliseconds: number): unknown;
declare function clearInterval(timer: unknown): void;

export interface Limits {
  /** Number of conflicts after which clingo gives up; 0 for no limit. */
  readonly solveLimit: number;
}

export type Answer =
  | { readonly status: 'satisfiable'; readonly atoms: readonly string[] }
  | { readonly status: 'unsatisfiable' }
  | UnknownVerdict<CheckerReason>;

/** The part of clingo-wasm's output that is used here. */
interface Output {
  readonly Result: string;
  readonly Error?: string;
  readonly Call?: readonly { readonly Witnesses?: readonly { readonly Value: readonly string[] }[] }[];
}

let turn: Promise<unknown> = Promise.resolve();

/** Asks clingo, after the answers to all earlier requests. Throws Stop when the context does. */
export function solve(program: string, limits: Limits, context: RunContext): Promise<Answer> {
  const answer = turn.then(() => solveNow(program, limits, context));
  turn = answer.catch(() => {});
  return answer;
}

async function solveNow(program: string, { solveLimit }: Limits, context: RunContext): Promise<Answer> {
  context.stage('solve');
  context.tick(1);
  const options = solveLimit > 0 ? [`--solve-limit=${solveLimit}`] : [];
  const output =
    program.length <= MAX_COPIED ? await inWorker(program, options, context) : await runHere(program, options);
  return answerOf(output);
}

/**
 * The package copies a program to a stack of about 1 MiB. Larger programs pass through standard input, which only a
 * clingo in this thread has; only the host can stop such a run.
 */
const MAX_COPIED = 700_000;

/**
 * Runs all programs in turn in one worker. The worker is replaced after a stop or a failure, which garble its output.
 */
async function inWorker(program: string, options: string[], context: RunContext): Promise<Output> {
  const { run, restart } = await import('clingo-wasm');
  let stop: unknown = null;
  const timer = setInterval(() => {
    if (stop !== null) return;
    try {
      context.tick(STEPS_A_LOOK);
    } catch (error) {
      stop = error;
      void restart();
    }
  }, LOOK_MS);
  const output = (await run(program, 1, options).finally(() => clearInterval(timer))) as Output;
  if (stop !== null) throw stop;
  if (output.Result === 'ERROR') await restart();
  return output;
}

/** Short runs end before the first check, so they charge nothing that depends on the machine. */
const LOOK_MS = 1000;
const STEPS_A_LOOK = 1 << 16;

function answerOf({ Result, Error: error = '', Call }: Output): Answer {
  if (Result === 'SATISFIABLE') return { status: 'satisfiable', atoms: Call?.[0]?.Witnesses?.[0]?.Value ?? [] };
  if (Result === 'UNSATISFIABLE') return { status: 'unsatisfiable' };
  if (Result === 'UNKNOWN') return { status: 'unknown', reason: 'steps', detail: 'clingo has reached its solve limit' };
  const isFull = /memory|alloc|status 33/i.test(error);
  const detail = isFull ? 'clingo ran out of memory' : `clingo crashed: ${error.slice(0, 200)}`;
  return { status: 'unknown', reason: isFull ? 'memory' : 'crashed', detail };
}

interface RunnerModule {
  readonly Runner: new (options: object) => {
    init(): Promise<void>;
    run(program: string, models: number, options: readonly string[]): Output;
  };
}

/** Runs clingo once in this thread, with the program as its standard input. */
async function runHere(program: string, options: readonly string[]): Promise<Output> {
  const { Runner } = await runnerModule();
  let at = 0;
  // Programs are ASCII. Each line of output arrives in one call, so no output is lost.
  const stdin = (): number | null => (at < program.length ? program.charCodeAt(at++) : null);
  const runner = new Runner({ stdin, singleThreaded: true });
  await runner.init();
  return runner.run('', 1, ['/dev/stdin', ...options]);
}

/** The package does not export its runner, which lies next to its entry point. */
async function runnerModule(): Promise<RunnerModule> {
  const { resolve } = import.meta as { resolve?: (specifier: string) => string };
  if (resolve === undefined) throw new Error('clingo-wasm cannot be found without import.meta.resolve.');
  const entry = resolve('clingo-wasm');
  const file = `${entry.slice(0, entry.lastIndexOf('/'))}/run.js`;
  return (await import(/* @vite-ignore */ file)) as RunnerModule;
}
