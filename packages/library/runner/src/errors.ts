/** Thrown for a wrong call, or a file that is not a plug-in. States the found and the expected. */
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
  /** A worker or process loads the checker itself, and the checker has no URL. */
  | 'no-url';

/** An error as plain data. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Text of a thrown value of any kind: a plug-in may throw an object that throws again when it is inspected. */
export function errorText(error: unknown): ErrorText {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: String(error), stack: '' };
    return { name: String(error.name), message: String(error.message), stack: String(error.stack ?? '') };
  } catch {
    return { name: 'thrown', message: 'a value that cannot be shown', stack: '' };
  }
}
