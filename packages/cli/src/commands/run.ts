import { levelNamed } from '@isolab/checker';
import type { Printer } from '../print.ts';
import { type CheckFlags, check } from './check.ts';
import { type CollectFlags, collected, summary } from './collect.ts';

export interface RunFlags extends CollectFlags, Omit<CheckFlags, 'level' | 'output'> {
  readonly level?: string;
}

/** `isolab run`: collects a history and checks what the database claims; the exit code is that of the verdict. */
export async function run(path: string, flags: RunFlags, printer: Printer): Promise<number> {
  const { counts, isolation } = await collected(path, flags, printer);
  printer.note(`${path}: ${summary(counts)}`);
  const level = flags.level ?? isolation.claims;
  if (flags.level === undefined)
    printer.note(`${isolation.name} claims ${levelNamed(isolation.claims).title.toLowerCase()}, which is checked.`);
  return check([path], { ...flags, level }, printer);
}
