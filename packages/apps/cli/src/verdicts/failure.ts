import { visibleLine } from 'isolab/skin';
import { toJson } from '../terminal/print.ts';

/** A path without a verdict, and why. */
export interface Failure {
  readonly path: string;
  readonly message: string;
  /** Whether nothing is wrong, but the time was over. */
  readonly isTimeout: boolean;
}

/** Failure of a path if the program is cut off before it is judged. */
export const cutOff = (path: string): Failure => ({
  path,
  message: 'isolab was cut off before this was finished',
  isTimeout: false,
});

export const failedText = ({ path, message }: Failure): string => `unknown    ${visibleLine(path)}\n  ${message}`;

export const failedJson = ({ path, message, isTimeout }: Failure): string =>
  toJson({ path, verdict: 'unknown', ...(isTimeout && { reason: 'timeout' }), error: message });
