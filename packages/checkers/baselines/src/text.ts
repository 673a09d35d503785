/** A text that grows line by line, and charges for its length. */
export class Text {
  readonly #lines: string[] = [];
  readonly #tick: (steps: number) => void;

  constructor(tick: (steps: number) => void) {
    this.#tick = tick;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#tick(1);
  }

  assert(term: string): void {
    this.add(`(assert ${term})`);
  }

  get numLines(): number {
    return this.#lines.length;
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
