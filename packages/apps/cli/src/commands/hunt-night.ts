import { rememberNight } from '@isolab/hunt';
import { visibleLine } from 'isolab/skin';
import { ExitCode } from '../terminal/exit.ts';
import type { CommandFlags, CommandModule } from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';

type NightFlags = CommandFlags<readonly []>;

export const command: CommandModule = {
  examples: ['isolab hunt night nights hunt-postgres', 'isolab hunt night nights hunt-postgres --output json'],
  options: [],
  run: huntNight,
};

/** `isolab hunt night`: adds a hunt to the memory of all nights, and prints its verdict and the new anomalies. */
export async function huntNight(
  memory: string,
  hunt: string,
  { output }: Pick<NightFlags, 'output'>,
  printer: Printer,
): Promise<number> {
  const remembered = await rememberNight(memory, hunt);
  const { night, fresh, gone, nights } = remembered;
  if (output === 'json') printer.out(toJson(remembered));
  else {
    const tried = `${count(night.trials, 'history', 'histories')} of ${count(night.committed, 'committed transaction')}`;
    printer.out(`${printer.style.bold(night.verdict)}: ${visibleLine(night.reason ?? tried)}`);
    for (const each of fresh) printer.out(`  new since the last verdict: ${visibleLine(each)}`);
    for (const each of gone) printer.out(`  no longer found: ${visibleLine(each)}`);
    printer.out(`${visibleLine(memory)}: ${count(nights, 'night')}, in index.html, badge.svg and badge.json`);
  }
  if (night.verdict === 'violated') return ExitCode.Violated;
  return night.verdict === 'unknown' ? ExitCode.Unknown : ExitCode.Satisfied;
}
