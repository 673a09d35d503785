import process from 'node:process';
import type { Readable } from 'node:stream';
import { PrintableLines } from '@isolab/history';

/**
 * Passes the output of a checker to standard error, because standard output may have to be one JSON object. The output
 * is passed in whole lines, without terminal control sequences or commands to a CI job, and is cut off after a maximum
 * length. Returns a function that returns the end of the output.
 */
export function passOn(streams: readonly (Readable | null)[]): () => string {
  let tail = '';
  let passed = 0;
  for (const stream of streams) {
    const lines = new PrintableLines();
    stream?.setEncoding('utf8');
    stream?.on('error', () => {}); // no more output follows
    stream?.on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL);
      if (passed > MOST_PASSED) return;
      process.stderr.write(lines.push(text.slice(0, MOST_PASSED - passed)));
      passed += text.length;
      if (passed > MOST_PASSED)
        process.stderr.write(
          `${lines.end()}isolab: the checker printed more than isolab passes on; the rest is cut off.\n`,
        );
    });
    stream?.on('end', () => process.stderr.write(lines.end()));
  }
  return () => tail;
}

const TAIL = 4096;
const MOST_PASSED = 1 << 20;
