import { isBlank } from '../stream/line-splitter.ts';
import { isMark } from '../stream/lines.ts';
import { LINE_FEED, WholeLines, countLines } from '../stream/whole-lines.ts';

/** Data of one connection: its whole lines, and known facts about it. */
export class Connection {
  /** Whole lines that came. */
  lines = 0;
  /** Whether it said that nothing follows, and nothing did; and whether it was to say so. */
  hasEnded = false;
  promisesEnd = false;
  readonly #whole = new WholeLines();

  /** Bytes of a line that is not whole. */
  get unfinished(): number {
    return this.#whole.unfinished;
  }

  /** The whole lines up to here, without marks of the end, which are about this sender alone; or the problem. */
  take(chunk: Buffer): { readonly lines: Buffer } | { readonly problem: string } {
    const whole = this.#whole.take(chunk);
    if (this.unfinished > MOST_BYTES)
      return { problem: `found more than ${MOST_BYTES} bytes, expected a shorter line` };
    this.lines += countLines(whole);
    return { lines: this.#withoutEnds(whole) };
  }

  #withoutEnds(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length;) {
      const next = bytes.indexOf(LINE_FEED, at) + 1;
      if (!isBlank(bytes, at, next)) this.hasEnded = false;
      if (isMark(bytes, at)) {
        const mark = parsed(bytes.subarray(at, next).toString());
        if (mark['isolab'] === 'history') this.promisesEnd ||= 'collected' in mark || 'recorded' in mark;
        if (mark['isolab'] === 'end') {
          this.hasEnded = true;
          kept.push(bytes.subarray(from, at));
          from = next;
        }
      }
      at = next;
    }
    return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }
}

/** Text that is no JSON is refused where it is taken. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const MOST_BYTES = 1 << 24;
