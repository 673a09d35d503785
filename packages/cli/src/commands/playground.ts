import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { playgroundPage } from '@isolab/playground';
import { ExitCode, UsageError } from '../exit.ts';
import { type Printer, toJson } from '../print.ts';

/** `isolab playground`: a page that checks histories in the browser, in one file that works offline. */
export async function playground(out: string, flags: { readonly output: string }, printer: Printer): Promise<number> {
  const page = await playgroundPage();
  try {
    writeFileSync(out, page);
  } catch (error) {
    throw new UsageError(`${out} cannot be written: ${(error as Error).message}`);
  }
  const path = resolve(out);
  printer.out(
    flags.output === 'json'
      ? toJson({ path, bytes: Buffer.byteLength(page) })
      : `${path}: open it in a browser; it checks histories there and sends nothing anywhere.`,
  );
  return ExitCode.Satisfied;
}
