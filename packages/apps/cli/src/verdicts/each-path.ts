import { ExitCode, worseOf } from '../terminal/exit.ts';
import { type Failure, cutOff } from './failure.ts';
import type { OutputFiles } from './output-files.ts';
import type { Printer } from '../terminal/print.ts';
import { isTimeout, messageOf, reportError } from '../terminal/report-error.ts';

/** Output for all paths on standard output, if it is more than the outputs of the tasks. */
export interface PathsOutput {
  /** Printed on standard output before and after all paths, if they form one document. */
  readonly head?: string;
  readonly foot?: string;
  /** Text for a path that was not checked because the program was cut off. */
  readonly missing?: (path: string) => string;
  /** Text for a path that was checked but not yet printed. */
  readonly judged?: (path: string) => string;
  /** Called for a path that could not be checked. */
  readonly onFailed?: (failure: Failure) => void;
  /** Additional output in files. */
  readonly files?: OutputFiles;
}

/** Runs the task for each path, also after a failure, and returns the combined exit code. */
export async function eachPath(
  paths: readonly string[],
  { verbose }: { readonly verbose?: boolean },
  printer: Printer,
  task: (path: string) => Promise<number>,
  { head = '', foot = '', missing = () => '', judged = () => '', onFailed = () => {}, files }: PathsOutput = {},
): Promise<number> {
  let worst: number = ExitCode.Satisfied;
  const parts = printer.inParts({
    head,
    missing: paths.map((path) => ({ name: path, out: missing(path) })),
    foot,
    ...(files && { files: files.whenCut(paths.map(cutOff)) }),
  });
  try {
    for (const path of paths) {
      try {
        worst = worseOf(worst, await task(path));
      } catch (error) {
        // Options that no checker has are wrong for all paths.
        if (error instanceof Error && error.name === 'RunnerError') throw error;
        worst = worseOf(worst, reportError(error, verbose === true, printer));
        const failure = { path, message: messageOf(error), isTimeout: isTimeout(error) };
        onFailed(failure);
        files?.fail(failure);
      }
      parts.next(judged(path), files?.next());
    }
    return files === undefined ? worst : worseOf(worst, await files.write(verbose === true, printer));
  } finally {
    parts.over();
  }
}
