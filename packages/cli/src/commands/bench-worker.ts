import process from 'node:process';
import { benchWorker as runWorker } from '@isolab/bench';
import { checkerNamed } from '../checkers.ts';
import { ExitCode, UsageError } from '../exit.ts';
import type { Printer } from '../print.ts';
import { SIGNALS, datasetsOf, rootFolder, tellRow, toolsOf } from './bench.ts';

export interface BenchWorkerFlags {
  readonly queue?: string;
  readonly tools?: string;
  readonly root?: string;
  readonly output: string;
}

/** `isolab bench-worker`: measures what a queue asks for, until it is interrupted. */
export async function benchWorker(flags: BenchWorkerFlags, printer: Printer): Promise<number> {
  if (flags.queue === undefined)
    throw new UsageError('Which queue? Say --queue redis://HOST:PORT, as isolab bench did.');
  const root = rootFolder(flags.root);
  const abort = new AbortController();
  const interrupt = (): void => abort.abort(); // the cell under way ends, and another worker gets it
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    await runWorker({
      queue: { url: flags.queue },
      ...datasetsOf(root),
      root,
      tools: toolsOf(root, flags.tools),
      loadChecker: checkerNamed,
      signal: abort.signal,
      onRow: (row) => {
        if (flags.output === 'json') printer.out(JSON.stringify(row));
        else printer.out(`${row.experiment}  ${tellRow(row)}`);
      },
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
  return ExitCode.Satisfied;
}
