import type { Output } from './clingo.ts';

interface RunnerModule {
  readonly Runner: new (options: object) => {
    init(): Promise<void>;
    run(program: string, models: number, options: readonly string[]): Output;
  };
}

/** Runs clingo in this thread, once, with the program as its standard input. */
export async function runHere(program: string, options: readonly string[]): Promise<Output> {
  const { Runner } = await runnerModule();
  let at = 0;
  // Programs are ASCII. Each line of output is one call, so that nothing of it is lost.
  const stdin = (): number | null => (at < program.length ? program.charCodeAt(at++) : null);
  const runner = new Runner({ stdin, singleThreaded: true });
  await runner.init();
  return runner.run('', 1, ['/dev/stdin', ...options]);
}

/** The package keeps its runner to itself, so it is found beside the entry point that it has. */
async function runnerModule(): Promise<RunnerModule> {
  const { resolve } = import.meta as { resolve?: (specifier: string) => string };
  if (resolve === undefined) throw new Error('clingo-wasm cannot be found without import.meta.resolve.');
  const entry = resolve('clingo-wasm');
  const file = `${entry.slice(0, entry.lastIndexOf('/'))}/run.js`;
  return (await import(/* @vite-ignore */ file)) as RunnerModule;
}
