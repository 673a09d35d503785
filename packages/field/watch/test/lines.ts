import type { History } from '@isolab/history';
import { writeHistory } from 'isolab';
import { Lines } from '../src/index.ts';
import type { WatchLog } from '../src/watcher/watch-options.ts';

/** A log that outlives its watcher, and no process. */
export class MemoryLog implements WatchLog {
  readonly lines = new Lines();
  readonly isWhole = true;

  get transactions(): number {
    return Math.max(0, this.lines.count - 1);
  }

  get last(): number {
    return this.lines.count;
  }

  append(bytes: Uint8Array, from: number, to: number, number: number): void {
    this.lines.add(bytes, from, to, number, 0);
  }

  flush(): void {}

  chunks(after = 1): Iterable<Lines> {
    return this.#behind(after);
  }

  linesAfter(number: number): Iterable<Lines> {
    return this.#behind(number);
  }

  *#behind(number: number): Iterable<Lines> {
    const lines = new Lines();
    for (let i = number; i < this.lines.count; i++)
      lines.add(this.lines.bytes, this.lines.start[i]!, this.lines.start[i + 1]!, i + 1, 0);
    yield lines;
  }

  line(number: number): Uint8Array {
    return this.lines.line(number - 1);
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
