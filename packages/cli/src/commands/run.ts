import { visibleLine } from '@isolab/history';
import { levelNamed } from '@isolab/checker';
import { ExitCode, worseOf } from '../exit.ts';
import type { Printer } from '../print.ts';
import { type CheckFlags, check } from './check.ts';
import { type CollectFlags, collected, summary } from './collect.ts';

export interface RunFlags extends CollectFlags, Omit<CheckFlags, 'level' | 'output'> {
  readonly level?: string;
}

/** `isolab run`: collects a history and checks what the database claims. */
export async function run(path: string, flags: RunFlags, printer: Printer): Promise<number> {
  const { counts, isolation, interrupted } = await collected(path, flags, printer);
  printer.note(`${visibleLine(path)}: ${summary(counts)}`);
  // What was recorded may show a violation all the same; that it shows none says little.
  if (interrupted) printer.note('Interrupted: the verdict is about what was recorded until then, and no pass.');
  const level = flags.level ?? isolation.claims;
  if (flags.level === undefined)
    printer.note(`${isolation.name} claims ${levelNamed(isolation.claims).title.toLowerCase()}, which is checked.`);
  const code = await check([path], { ...flags, level }, printer);
  return interrupted ? worseOf(code, ExitCode.Unknown) : code;
}
