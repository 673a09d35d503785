import { EngineError, Interrupted, findEngine, get, nameOf } from '@isolab/engines';
import { visibleLine } from 'isolab/skin';
import { ExitCode } from '../terminal/exit.ts';
import type { CommandModule } from '../terminal/options.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { fetchingLine } from '../terminal/progress.ts';

export const command: CommandModule = {
  examples: ['isolab hunt get postgres@12.3', 'isolab hunt get postgres@12.3 mariadb@11.4.5'],
  options: [],
  run: getAll,
};

/** `isolab hunt get NAME@VERSION…`: downloads engines. */
async function getAll(
  names: readonly string[],
  { output }: { readonly output: string },
  printer: Printer,
): Promise<number> {
  const chosen = names.map(findEngine);
  const got: { engine: string; folder: string }[] = [];
  const missing: { engine: string; reason: string }[] = [];
  const whole = await printer.interruptible(async (signal) => {
    for (const engine of chosen) {
      const fetching = fetchingLine(printer);
      try {
        got.push({ engine: nameOf(engine), folder: await get(engine, signal, fetching.hear) });
      } catch (error) {
        if (error instanceof Interrupted) return false;
        if (!(error instanceof EngineError)) throw error;
        missing.push({ engine: nameOf(engine), reason: error.message });
      } finally {
        fetching.clear();
      }
    }
    return true;
  });
  if (output === 'json') printer.out(toJson({ engines: got, missing }));
  else {
    for (const { engine, folder } of got) printer.out(`${engine}  ${visibleLine(folder)}`);
    for (const { reason } of missing) printer.note(reason);
  }
  if (!whole) printer.note('Interrupted. Repeat the command to continue.');
  return whole && missing.length === 0 ? ExitCode.Satisfied : ExitCode.Unknown;
}
