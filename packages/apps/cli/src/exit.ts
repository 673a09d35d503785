/** What the exit code of every command means; unknown is never success. */
export const ExitCode = {
  /** All that was asked was done, and nothing that was judged is violated. */
  Satisfied: 0,
  /** A violation was shown. */
  Violated: 1,
  /** Something stayed open: no verdict, or the command was cut short. */
  Unknown: 2,
  /** A wrong call, wrong input, or an error of isolab's own. */
  Failed: 3,
} as const;

/** A mistake in the call: reported in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The exit code of a whole from those of its parts. A violation that was shown is never lost, whatever else happens;
 * otherwise a failure says more than something unknown, and only what is satisfied in every part is satisfied.
 */
export function worseOf(a: number, b: number): number {
  return WORST_LAST.indexOf(a) > WORST_LAST.indexOf(b) ? a : b;
}

/** What a single verdict stands for. */
export const codeOf = ({ status }: { readonly status: 'satisfied' | 'violated' | 'unknown' }): number =>
  ({ satisfied: ExitCode.Satisfied, violated: ExitCode.Violated, unknown: ExitCode.Unknown })[status];

const WORST_LAST: readonly number[] = [ExitCode.Satisfied, ExitCode.Unknown, ExitCode.Failed, ExitCode.Violated];

/** All that is known of a call of the command. Its exit code follows from this alone. */
export class Ledger {
  #code: number = ExitCode.Satisfied;

  /** Verdicts, failures and whatever cuts the command short: in any order, each as the code that it stands for. */
  add(code: number): void {
    this.#code = worseOf(this.#code, code);
  }

  get code(): number {
    return this.#code;
  }
}
