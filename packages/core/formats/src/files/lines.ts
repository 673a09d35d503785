import { unexpected } from './errors.ts';
import type { ByteStream } from './input.ts';

/** A line of a text, counted from 1. */
export interface Line {
  readonly text: string;
  readonly number: number;
  /** Whether the line ends with a line feed; the last line of a truncated file does not. */
  readonly isWhole: boolean;
}

/** Reads the lines of a UTF-8 text one by one: a simple way to read a format where speed does not matter. */
export async function* readLines(input: ByteStream): AsyncGenerator<Line, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  const line = (bytes: Uint8Array, isWhole: boolean): Line => {
    number++;
    try {
      return { text: decoder.decode(bytes), number, isWhole };
    } catch {
      throw unexpected(input.name, `line ${number}`, 'bytes that are not UTF-8', 'text in UTF-8');
    }
  };
  let rest: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input.chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield line(Buffer.concat([...rest, chunk.subarray(start, end)]), true);
      [rest, length, start] = [[], 0, end + 1];
    }
    if (start === chunk.length) continue;
    rest.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LONGEST_LINE)
      throw unexpected(input.name, `line ${number + 1}`, `more than ${LONGEST_LINE} bytes`, 'a shorter line');
  }
  if (rest.length > 0) yield line(Buffer.concat(rest), false);
}

const LINE_FEED = 10;
const LONGEST_LINE = 1 << 26;
