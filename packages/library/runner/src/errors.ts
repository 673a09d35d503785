/**
 * Thrown for invalid arguments, or for a file that is not a plug-in. The message states the found and the expected
 * value.
 */
export class RunnerError extends Error {
  override readonly name = 'RunnerError';
  readonly code: RunnerErrorCode;

  constructor(code: RunnerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type RunnerErrorCode =
  | 'checker-not-found'
  | 'checker-not-loadable'
  | 'not-a-checker'
  | 'wrong-api-version'
  | 'unknown-variant'
  | 'unknown-option'
  | 'invalid-option'
  | 'invalid-budget'
  /** The worker or process must load the checker itself, but the checker has no URL. */
  | 'no-url';

/** An error as plain data. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Returns the text of a thrown value of any kind. A plug-in may throw an object that throws again when inspected. */
export function errorText(error: unknown): ErrorText {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: String(error), stack: '' };
    return { name: String(error.name), message: String(error.message), stack: String(error.stack ?? '') };
  } catch {
    return { name: 'thrown', message: 'a value that cannot be shown', stack: '' };
  }
}
