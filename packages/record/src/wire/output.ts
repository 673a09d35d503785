/** Bytes on their way out, in as few pieces as they can be had without copying. */
export class Output {
  #pieces: Buffer[] = [];
  #from: Buffer | null = null;
  #start = 0;
  #end = 0;

  /** A part of `bytes`; parts that follow each other in the same bytes become one piece. */
  pass(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    if (bytes === this.#from && start === this.#end) {
      this.#end = end;
      return;
    }
    this.#seal();
    this.#from = bytes;
    this.#start = start;
    this.#end = end;
  }

  add(bytes: Buffer): void {
    this.pass(bytes, 0, bytes.length);
  }

  /** What has gathered; it is the caller's from now on. */
  take(): readonly Buffer[] {
    if (this.#from === null) return NOTHING;
    this.#seal();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #seal(): void {
    if (this.#from === null) return;
    const isWhole = this.#start === 0 && this.#end === this.#from.length;
    this.#pieces.push(isWhole ? this.#from : this.#from.subarray(this.#start, this.#end));
    this.#from = null;
  }
}

const NOTHING: readonly Buffer[] = [];
