import process from 'node:process';
import type { Readable } from 'node:stream';
import { PrintableLines } from '@isolab/history';

/** Passes the output of a driver's process on to people, without terminal control sequences and workflow commands. */
export function passOn(stream: Readable): void {
  const lines = new PrintableLines();
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => process.stderr.write(lines.push(text)));
  stream.on('end', () => process.stderr.write(lines.end()));
}
