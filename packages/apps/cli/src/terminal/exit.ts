/** Exit codes of every command; unknown is never success. */
export const ExitCode = {
  /** The command did all of its work, and no checked history is violated. */
  Satisfied: 0,
  /** A violation was found. */
  Violated: 1,
  /** A question stayed open: no verdict, or the command was cut short. */
  Unknown: 2,
  /** A wrong call, wrong input, or an internal error of isolab. */
  Failed: 3,
} as const;

/** A mistake in the call: reported in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Combines the exit codes of parts. A violation is never lost, even after a failure; a failure has precedence over an
 * unknown verdict, and the whole is satisfied only if every part is.
 */
export function worseOf(a: number, b: number): number {
  return WORST_LAST.indexOf(a) > WORST_LAST.indexOf(b) ? a : b;
}

/** Exit code of a single verdict. */
export const codeOf = ({ status }: { readonly status: 'satisfied' | 'violated' | 'unknown' }): number =>
  ({ satisfied: ExitCode.Satisfied, violated: ExitCode.Violated, unknown: ExitCode.Unknown })[status];

const WORST_LAST: readonly number[] = [ExitCode.Satisfied, ExitCode.Unknown, ExitCode.Failed, ExitCode.Violated];

/** Record of all facts about a call of the command, which alone determine its exit code. */
export class Ledger {
  #code: number = ExitCode.Satisfied;

  /** Adds a verdict, a failure or an interruption, in any order, as its exit code. */
  add(code: number): void {
    this.#code = worseOf(this.#code, code);
  }

  get code(): number {
    return this.#code;
  }
}
