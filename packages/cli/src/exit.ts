/** What the exit code of every command means; unknown is never success. */
export const ExitCode = {
  Satisfied: 0,
  Violated: 1,
  Unknown: 2,
  /** A wrong call, wrong input, or an error of isolab's own. */
  Failed: 3,
} as const;

/** A mistake in the call: reported in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit code that says more: failed before violated before unknown before satisfied. */
export function worseOf(a: number, b: number): number {
  const order: readonly number[] = [ExitCode.Satisfied, ExitCode.Unknown, ExitCode.Violated, ExitCode.Failed];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}
