import { visibleLine } from 'isolab/skin';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { resolve } from 'node:path';
import { playgroundPage } from '@isolab/playground';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';

/**
 * `isolab new playground FILE`: creates a page that checks histories in the browser, in one file that works offline.
 */
export async function playground(
  out: string,
  flags: { readonly output: string; readonly force?: boolean },
  printer: Printer,
): Promise<number> {
  insistOnTarget(out, { inputs: [], force: flags.force, made: 'page' });
  const page = await playgroundPage();
  await writeFileTo(out, page, { mode: PUBLIC });
  if (out === '-') return ExitCode.Satisfied;
  const path = resolve(out);
  printer.out(
    flags.output === 'json'
      ? toJson({ path, bytes: Buffer.byteLength(page) })
      : `${visibleLine(path)}: open it in a browser; it checks histories there and sends no data anywhere.`,
  );
  return ExitCode.Satisfied;
}
