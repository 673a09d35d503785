import { visibleLine } from 'isolab/skin';
import { loadChecker } from 'isolab/check';
import { benchWorker as runWorker } from '@isolab/experiments';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import type { Printer } from '../terminal/print.ts';
import { datasetsOf, rootFolder, toolsOf } from '../bench/lab.ts';
import { tellRow } from './bench.ts';
import { type CommandFlags, type CommandModule, QUEUE, ROOT, TOOLS } from '../terminal/options.ts';

const OPTIONS = [QUEUE('use this Redis:'), TOOLS, ROOT] as const;
export type BenchWorkerFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab bench worker --queue redis://127.0.0.1:6379',
    'isolab bench worker --queue redis://10.0.0.5:6379/1',
  ],
  options: OPTIONS,
  run: benchWorker,
};

/** `isolab bench worker`: measures the cells of a queue until it is interrupted. */
export async function benchWorker(flags: BenchWorkerFlags, printer: Printer): Promise<number> {
  if (flags.queue === undefined)
    throw new UsageError('Missing --queue redis://HOST:PORT, the address given to isolab bench.');
  const root = rootFolder(flags.root);
  const queue = { url: flags.queue };
  // After an interruption the current cell ends, and another worker gets it.
  await printer.interruptible((signal) =>
    runWorker({
      queue,
      ...datasetsOf(root),
      root,
      tools: toolsOf(root, flags.tools),
      loadChecker,
      signal,
      onRefusal: (why) => printer.note(`isolab: ${visibleLine(why)}`),
      onRow: (row) => {
        if (flags.output === 'json') printer.out(JSON.stringify(row));
        else printer.out(`${visibleLine(row.experiment)}  ${tellRow(row)}`);
      },
    }),
  );
  return ExitCode.Satisfied;
}
