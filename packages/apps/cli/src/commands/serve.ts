import process from 'node:process';
import { ExitCode } from '../terminal/exit.ts';
import { parseDuration, parseMemory } from '../terminal/limits.ts';
import type { Printer } from '../terminal/print.ts';
import { type CommandFlags, type CommandModule, TIME, option } from '../terminal/options.ts';
import { wholeNumber } from '../terminal/words.ts';

const OPTIONS = [
  TIME('limit the time of each request: 500ms, 60s, 10m', '60s'),
  option('--memory <size>', 'limit the memory of each request: 500MB, 4GB', '2GB'),
  option('--jobs <n>', 'check N histories at a time', '1'),
] as const;
export type ServeFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab serve', 'isolab serve --jobs 4 --time 10s --memory 1GB'],
  options: OPTIONS,
  run: serve,
};

/**
 * `isolab serve`: answers requests on standard input, each a line of JSON, until the input ends. Verdicts are answers,
 * so they do not change the exit code.
 */
export async function serve(flags: ServeFlags, printer: Printer): Promise<number> {
  const [jobs, timeMs] = [wholeNumber('--jobs', flags.jobs), parseDuration(flags.time, '--time')];
  const { Server } = await import('../serve/server.ts');
  const server = new Server(jobs, { timeMs, memoryBytes: parseMemory(flags.memory) }, (answer) => printer.out(answer));
  await printer.interruptible((signal) => server.answer(process.stdin, signal));
  return ExitCode.Satisfied;
}
