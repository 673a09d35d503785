import { type FormatError, quoteBytes, unexpected } from './errors.ts';

/** The error for the text at `at` in the line that begins at `begin`; `end` is where the text ends. */
export function lineError({ file, line, bytes, begin, at, end }: Place, expected: string): FormatError {
  const feed = bytes.indexOf(LINE_FEED, begin);
  const lineEnd = feed < 0 || feed > end ? end : feed;
  const found = at < lineEnd ? quoteBytes(bytes, at, lineEnd) : 'the end of the line';
  return unexpected(file, `line ${line}, column ${at - begin + 1}`, found, expected);
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly bytes: Uint8Array;
  readonly begin: number;
  readonly at: number;
  readonly end: number;
}

const LINE_FEED = 10;
