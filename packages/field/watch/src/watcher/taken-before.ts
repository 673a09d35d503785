import { FormatError } from '@isolab/formats';
import type { WatchLog } from './watch-options.ts';

/** Lines that a source repeats, up to the last line that was taken: each is compared with the log. */
export class TakenBefore {
  readonly #name: string;
  readonly #last: number;
  readonly #kept: Iterator<readonly [number: number, line: Uint8Array]>;
  #next: IteratorResult<readonly [number: number, line: Uint8Array]>;
  #line: number;

  /** The source begins after line `behind` of the log, which ends with line `last`. */
  constructor(log: WatchLog, name: string, behind: number, last: number) {
    this.#name = name;
    this.#line = behind;
    this.#last = last;
    this.#kept = linesBehind(log, behind);
    this.#next = this.#kept.next();
  }

  get isOver(): boolean {
    return this.#line >= this.#last;
  }

  get number(): number {
    return this.#line + 1;
  }

  get expected(): Uint8Array | null {
    return this.#next.done === true || this.#next.value[0] !== this.number ? null : this.#next.value[1];
  }

  pass(line: Uint8Array): void {
    const { number, expected } = this;
    if (expected === null || Buffer.compare(line, expected) !== 0)
      throw new FormatError(
        this.#name,
        `line ${number}`,
        'it differs from the line watched before, so the place to continue from is unknown; was the file replaced? Watch it in another folder',
      );
    this.#next = this.#kept.next();
    this.#line = number;
  }
}

/** Throws if the first of the lines to compare were deleted. */
function* linesBehind(log: WatchLog, behind: number): Generator<readonly [number: number, line: Uint8Array]> {
  for (const lines of log.linesAfter(behind))
    for (let i = 0; i < lines.count; i++) yield [lines.number[i]!, lines.line(i)];
}
