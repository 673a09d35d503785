/** Cuts the bytes of a stream into lines, wherever its chunks end. */
export class LineSplitter {
  #rest: Uint8Array = NOTHING;

  /** Whether the beginning of a line is left. */
  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** Visits every line that is whole now and not blank; its line feed is its last byte. */
  split(chunk: Uint8Array, visit: (bytes: Uint8Array, from: number, to: number) => void): void {
    let bytes = chunk;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.length);
    }
    let at = 0;
    for (let feed = bytes.indexOf(LINE_FEED, at); feed >= 0; feed = bytes.indexOf(LINE_FEED, at)) {
      if (!isBlank(bytes, at, feed + 1)) visit(bytes, at, feed + 1);
      at = feed + 1;
    }
    this.#rest = bytes.slice(at);
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (bytes[at] === LINE_FEED || bytes[at] === 0x0d || bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at === to;
}

const LINE_FEED = 10;
const NOTHING = new Uint8Array(0);
