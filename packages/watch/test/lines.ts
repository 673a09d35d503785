import type { History } from '@isolab/history';
import { writeHistory } from 'isolab';
import { Lines, type Log } from '../src/index.ts';

export class MemoryLog implements Log {
  readonly lines = new Lines();

  readonly isWhole = true;

  get transactions(): number {
    return this.lines.count;
  }

  *chunks(): Iterable<Lines> {
    yield this.lines;
  }

  line(number: number): Uint8Array {
    return this.lines.line(this.lines.number.indexOf(number));
  }
}

/** The header, and the line of each transaction. */
export async function linesOf(history: History): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  await writeHistory(history, {
    write: (bytes, done) => {
      chunks.push(bytes.slice());
      done();
    },
  });
  return Buffer.concat(chunks).toString().trimEnd().split('\n');
}
