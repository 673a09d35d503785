import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { madeBeside } from 'isolab/formats';
import { UsageError } from '../terminal/exit.ts';

/** Refuses a folder that is not empty. */
export function insistOnRoom(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file; name the new folder with --out.`);
  if (readdirSync(folder).length > 0)
    throw new UsageError(
      `${folder} is not empty, and no file in it will be overwritten; name another folder with --out.`,
    );
}

/** Creates a folder atomically. */
export async function makeWhole(folder: string, fill: (at: string) => Promise<void>): Promise<void> {
  const target = resolve(folder);
  mkdirSync(dirname(target), { recursive: true });
  await madeBeside(target, async (unfinished) => {
    mkdirSync(unfinished);
    await fill(unfinished);
    if (existsSync(target)) rmdirSync(target); // the target is empty
    renameSync(unfinished, target);
  });
}

export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted();
