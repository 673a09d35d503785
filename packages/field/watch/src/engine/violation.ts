import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Lines } from '../stream/lines.ts';

/** Record of all lines that ever came, for when the lines in memory do not suffice. */
export interface Log {
  readonly transactions: number;
  /** Whether nothing of it was deleted. */
  readonly isWhole: boolean;
  /** All lines in the order in which they came, some at a time. */
  chunks(): Iterable<Lines>;
  /** The line with this number, with its line feed. */
  line(number: number): Uint8Array;
}

/** Reason why the recorded lines violate a level. */
export interface Violation {
  readonly level: LevelName;
  /** History that the verdict is about, on top of a state, and the line of the stream of each of its transactions. */
  readonly history: History;
  readonly numberOf: Float64Array;
  /** The lines that wrote the initial content of a key: one, or for a list one an element. */
  readonly writersOf: (key: number) => readonly number[];
  /** Whether values repeat, so others may have written a value that was read. */
  readonly repeats: boolean;
  /** Whether nothing came before, so the state is the initial one. */
  readonly isWhole: boolean;
}

export const whyNotReopened = ({ isWhole }: Log): string =>
  `${isWhole ? 'the log is too long' : 'too much of the log was deleted'} to be read again`;
