import process from 'node:process';
import type { Readable } from 'node:stream';

/**
 * Passes what a checker prints on to standard error, for standard output may be one JSON object. Of a flood only the
 * beginning is passed on. Returns how to ask for the end of what was printed.
 */
export function passOn(streams: readonly (Readable | null)[]): () => string {
  let tail = '';
  let passed = 0;
  for (const stream of streams) {
    stream?.on('error', () => {}); // nothing more comes
    stream?.on('data', (text: Buffer) => {
      tail = (tail + text.toString()).slice(-TAIL);
      if (passed > MOST_PASSED) return;
      process.stderr.write(text.subarray(0, MOST_PASSED - passed));
      passed += text.length;
      if (passed > MOST_PASSED) process.stderr.write('\nisolab: the checker prints more than is passed on here.\n');
    });
  }
  return () => tail;
}

const TAIL = 4096;
const MOST_PASSED = 1 << 20;
