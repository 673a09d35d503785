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
