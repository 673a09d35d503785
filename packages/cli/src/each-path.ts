import { ExitCode, worseOf } from './exit.ts';
import type { Printer } from './print.ts';
import { messageOf, reportError } from './report-error.ts';

/** Goes on with the others where one path fails, and returns the exit code of them all. */
export async function eachPath(
  paths: readonly string[],
  { verbose }: { readonly verbose?: boolean },
  printer: Printer,
  task: (path: string) => Promise<number>,
  onFailed: (path: string, message: string) => void = () => {},
): Promise<number> {
  let worst: number = ExitCode.Satisfied;
  for (const path of paths) {
    try {
      worst = worseOf(worst, await task(path));
    } catch (error) {
      // Options that no checker has are wrong for all of them.
      if (error instanceof Error && error.name === 'RunnerError') throw error;
      worst = worseOf(worst, reportError(error, verbose === true, printer));
      onFailed(path, messageOf(error));
    }
  }
  return worst;
}
