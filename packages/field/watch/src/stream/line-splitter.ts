import { LINE_FEED, WholeLines } from './whole-lines.ts';

/** Splits the bytes of a stream into lines, regardless of chunk boundaries. */
export class LineSplitter {
  readonly #whole = new WholeLines();

  /** Whether an incomplete line is left. */
  get hasRest(): boolean {
    const { rest } = this.#whole;
    return !isBlank(rest, 0, rest.length);
  }

  /** Visits every complete, non-blank line; its line feed is its last byte. */
  split(chunk: Uint8Array, visit: (bytes: Uint8Array, from: number, to: number) => void): void {
    const bytes = this.#whole.take(chunk);
    for (let at = 0; at < bytes.length;) {
      const to = bytes.indexOf(LINE_FEED, at) + 1;
      if (!isBlank(bytes, at, to)) visit(bytes, at, to);
      at = to;
    }
  }
}

export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (bytes[at] === LINE_FEED || bytes[at] === 0x0d || bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at === to;
}
