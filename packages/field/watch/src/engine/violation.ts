import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Lines } from '../stream/lines.ts';

/** The record of all lines received so far, for use when the lines in memory are not enough. */
export interface Log {
  readonly transactions: number;
  /** Whether nothing has been deleted from the log. */
  readonly isWhole: boolean;
  /** Yields all lines in order of arrival, in chunks. */
  chunks(): Iterable<Lines>;
  /** Returns the line with this number, including its line feed. */
  line(number: number): Uint8Array;
}

/** The reason why the recorded lines violate a level. */
export interface Violation {
  readonly level: LevelName;
  /** The history of the verdict, which continues from a state, and each transaction's line in the stream. */
  readonly history: History;
  readonly numberOf: Float64Array;
  /** Returns the lines that wrote a key's initial content: one line, or for a list one line per element. */
  readonly writersOf: (key: number) => readonly number[];
  /** Whether values repeat, so that other transactions may have written a value that was read. */
  readonly repeats: boolean;
  /** Whether nothing precedes the history, so that the state is the initial state. */
  readonly isWhole: boolean;
}

export const whyNotReopened = ({ isWhole }: Log): string =>
  `${isWhole ? 'the log is too long' : 'too much of the log was deleted'} to be read again`;
