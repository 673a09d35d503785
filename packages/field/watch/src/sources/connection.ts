import { isBlank } from '../stream/line-splitter.ts';
import { isMark } from '../stream/lines.ts';
import { LINE_FEED, WholeLines, countLines } from '../stream/whole-lines.ts';

/** The data of one connection: its complete lines, and known facts about it. */
export class Connection {
  /** Number of complete lines received. */
  lines = 0;
  /** Whether the sender sent the end mark and nothing after it. */
  hasEnded = false;
  promisesEnd = false;
  readonly #whole = new WholeLines();

  /** Number of bytes of the incomplete line. */
  get unfinished(): number {
    return this.#whole.unfinished;
  }

  /** Returns the complete lines so far, without end marks, which concern only this sender; or the problem. */
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

/** Invalid JSON is reported later, by the reader of the line. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const MOST_BYTES = 1 << 24;
