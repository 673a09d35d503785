import { visibleLine } from 'isolab/skin';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { resolve } from 'node:path';
import { inProcessModule, playgroundPage } from '@isolab/playground';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';

/**
 * `isolab new playground FILE`: creates a page that checks histories in the browser, in one file that works offline.
 * `isolab new in-process FILE`: creates the checker of that page as one ES module, for simulators.
 */
export async function newInBrowser(
  what: 'playground' | 'in-process',
  out: string,
  flags: { readonly output: string; readonly force?: boolean },
  printer: Printer,
): Promise<number> {
  const isPage = what === 'playground';
  insistOnTarget(out, { inputs: [], force: flags.force, ...(isPage && { made: 'page' }) });
  const text = await (isPage ? playgroundPage() : inProcessModule());
  await writeFileTo(out, text, { mode: PUBLIC });
  if (out === '-') return ExitCode.Satisfied;
  const path = resolve(out);
  printer.out(
    flags.output === 'json'
      ? toJson({ path, bytes: Buffer.byteLength(text) })
      : isPage
        ? `${visibleLine(path)}: open it in a browser; it checks histories there and sends no data anywhere.`
        : `${visibleLine(path)}: import { check } from it, in Node or in a browser.`,
  );
  return ExitCode.Satisfied;
}
