import { visibleLine } from 'isolab/skin';
import { toJson } from '../terminal/print.ts';

/** A path without a verdict, with the reason. */
export interface Failure {
  readonly path: string;
  readonly message: string;
  /** Whether only the time ran out. */
  readonly isTimeout: boolean;
}

/** Failure of a path that was not checked before the program was cut off. */
export const cutOff = (path: string): Failure => ({
  path,
  message: 'isolab was cut off before this was finished',
  isTimeout: false,
});

export const failedText = ({ path, message }: Failure): string => `unknown    ${visibleLine(path)}\n  ${message}`;

export const failedJson = ({ path, message, isTimeout }: Failure): string =>
  toJson({ path, verdict: 'unknown', ...(isTimeout && { reason: 'timeout' }), error: message });
