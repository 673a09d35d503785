import process from 'node:process';
import type { Readable } from 'node:stream';
import { PrintableLines } from '@isolab/history';

/**
 * Passes the output of a checker on to standard error, for standard output may be one JSON object. It is passed in
 * whole lines that steer no terminal and give no command to a job. Only the beginning of a flood is passed on. Returns
 * a function that gives the end of the output.
 */
export function passOn(streams: readonly (Readable | null)[]): () => string {
  let tail = '';
  let passed = 0;
  for (const stream of streams) {
    const lines = new PrintableLines();
    stream?.setEncoding('utf8');
    stream?.on('error', () => {}); // nothing more comes
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
