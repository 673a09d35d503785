import { ExitCode } from '../terminal/exit.ts';
import { parseDuration, parseMemory } from '../terminal/limits.ts';
import { type CommandFlags, type CommandModule, TIME, option } from '../terminal/options.ts';
import type { Printer } from '../terminal/print.ts';

const OPTIONS = [
  TIME('limit the time of each check and prediction: 500ms, 60s, 10m', '60s'),
  option('--memory <size>', 'limit the memory of each checker: 500MB, 4GB', '2GB'),
] as const;
type McpFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab mcp', 'isolab mcp --time 10m --memory 4GB'],
  options: OPTIONS,
  run: mcp,
};

/**
 * `isolab mcp`: a server of the Model Context Protocol on standard input and output, until the input ends. Verdicts are
 * answers, so they do not change the exit code.
 */
export async function mcp({ time, memory }: McpFlags, printer: Printer): Promise<number> {
  parseDuration(time, '--time');
  parseMemory(memory);
  const { serveTools } = await import('../mcp/server.ts');
  await printer.interruptible((signal) => serveTools({ time, memory }, signal));
  return ExitCode.Satisfied;
}
