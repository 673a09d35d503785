import { CounterProblem, type History, type HistoryBuilder, visibleLine } from '@isolab/history';
import { SyntaxProblem } from '../syntax/problem.ts';

/** The error for bad input. Its message names the file, the position, the problem and the expected input. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code = 'ISOLAB_FORMAT';
  readonly file: string;
  /** Such as `line 3`, `line 3, column 14` or `byte 120`; null for a problem with the whole file. */
  readonly position: string | null;
  readonly problem: string;

  constructor(file: string, position: string | null, problem: string) {
    super(visibleLine(position === null ? `${file}: ${problem}` : `${file}, ${position}: ${problem}`));
    this.file = file;
    this.position = position;
    this.problem = problem;
  }
}

/** Reading took longer than allowed. The input may be correct. */
export class ReadingTimeout extends Error {
  override readonly name = 'ReadingTimeout';

  constructor(file: string, timeMs: number) {
    super(visibleLine(`${file}: reading took longer than the limit of ${timeMs / 1000} s`));
  }
}

/** Words such as `found 'x', expected a digit`, in which every format error states its problem. */
export const mismatch = (found: string, expected: string): string => `found ${found}, expected ${expected}`;

export const unexpected = (file: string, position: string | null, found: string, expected: string): FormatError =>
  new FormatError(file, position, mismatch(found, expected));

/** Returns the history; a use of counters without a meaning is found only at the end. */
export function finished(builder: HistoryBuilder, file: string): History {
  try {
    return builder.finish();
  } catch (error) {
    if (!(error instanceof CounterProblem)) throw error;
    throw unexpected(file, error.position === null ? null : `line ${error.position}`, error.found, error.expected);
  }
}

/** Runs a parser on all or part of a file, and adds the file's name to its errors. */
export function inFile<Result>(file: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    throw unexpected(file, `line ${error.line}, column ${error.column}`, error.found, error.expected);
  }
}

export function quoteBytes(bytes: Uint8Array, from: number, to: number): string {
  const shown = bytes.subarray(from, Math.min(to, from + QUOTED_BYTES));
  const text = JSON.stringify(new TextDecoder().decode(shown)).slice(1, -1);
  return to - from > QUOTED_BYTES ? `'${text}…'` : `'${text}'`;
}

const QUOTED_BYTES = 40;
