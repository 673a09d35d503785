import process from 'node:process';
import type { Readable } from 'node:stream';
import { PrintableLines } from '@isolab/history';

/**
 * Passes the output of a driver’s process on to people. The output steers no terminal and gives no command to a job.
 */
export function passOn(stream: Readable): void {
  const lines = new PrintableLines();
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => process.stderr.write(lines.push(text)));
  stream.on('end', () => process.stderr.write(lines.end()));
}
