import type { History } from '@isolab/history';
import { writeHistory } from 'isolab';
import { Lines, type Log } from '../src/index.ts';

export class MemoryLog implements Log {
  readonly lines = new Lines();

  get transactions(): number {
    return this.lines.count;
  }

  readAll(into: Lines): void {
    for (let i = 0; i < this.lines.count; i++) {
      const line = this.lines.line(i);
      into.add(line, 0, line.length, this.lines.number[i]!, this.lines.came[i]!);
    }
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
