import { type Constant, NOTATION_KEYWORDS, type Scalar, rowProblem } from '@isolab/history';

/** Unexpected text in a row; `at` is its position in the line. */
export class NotationProblem extends Error {
  override readonly name = 'NotationProblem';
  readonly at: number;
  readonly expected: string;
  /** Null for the text at that position. */
  readonly found: string | null;

  constructor(at: number, expected: string, found: string | null = null) {
    super(expected);
    this.at = at;
    this.expected = expected;
    this.found = found;
  }
}

export class Words {
  readonly text: string;
  at: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  /** Skips spaces. If `sign` comes next, skips it too and returns true. */
  take(sign: string): boolean {
    this.#spaces();
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  expect(sign: string, expected: string): void {
    if (!this.take(sign)) this.fail(expected);
  }

  /** Skips a word such as `between`, in any case, and returns whether it was there. */
  takeWord(word: string): boolean {
    const found = this.#match(NAME);
    if (found?.toLowerCase() !== word) return false;
    this.at += word.length;
    return true;
  }

  /** Reads a name, which is in double quotes unless it is a plain word. */
  name(expected: string): string {
    if (this.#peek() === '"') {
      const name = this.#quoted(expected);
      return name === '' ? this.fail(expected) : name;
    }
    const found = this.#match(NAME);
    if (found === null || NOTATION_KEYWORDS.has(found.toLowerCase())) return this.fail(expected);
    this.at += found.length;
    return found;
  }

  isKeyword(): boolean {
    return NOTATION_KEYWORDS.has(this.#match(NAME)?.toLowerCase() ?? '');
  }

  integer(): bigint | null {
    const found = this.#match(INTEGER);
    if (found === null) return null;
    this.at += found.length;
    return BigInt(found);
  }

  quotedText(expected: string): string {
    return this.#peek() === '"' ? this.#quoted(expected) : this.fail(expected);
  }

  constant(): Constant {
    const from = this.at;
    const value = this.scalar(A_CONSTANT);
    return value ?? this.fail(A_CONSTANT, from);
  }

  scalar(expected: string): Scalar {
    const sign = this.#peek();
    if (sign === "'") return this.#sqlText();
    if (sign === '"') return this.#quoted(expected);
    const number = this.#match(NUMBER);
    if (number !== null) {
      const value = Number(number);
      const problem = Number.isFinite(value) ? rowProblem({ value }) : { expected: 'a number of at most 64 bits' };
      if (problem !== null) this.fail(problem.expected);
      this.at += number.length;
      return value;
    }
    for (const [word, value] of LITERALS) if (this.takeWord(word)) return value;
    return this.fail(expected);
  }

  fail(expected: string, at: number | null = null, found: string | null = null): never {
    this.#spaces();
    throw new NotationProblem(at ?? this.at, expected, found);
  }

  #peek(): string | undefined {
    this.#spaces();
    return this.text[this.at];
  }

  #spaces(): void {
    while (this.at < this.text.length && /\s/.test(this.text[this.at]!)) this.at++;
  }

  #match(pattern: RegExp): string | null {
    this.#spaces();
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  #sqlText(): string {
    const text = this.#match(SQL_TEXT) ?? this.fail('a text that ends in a single quote');
    this.at += text.length;
    return text.slice(1, -1).replaceAll("''", "'");
  }

  #quoted(expected: string): string {
    const text = this.#match(JSON_TEXT) ?? this.fail(`${expected}, followed by a double quote`);
    try {
      const value = JSON.parse(text) as string;
      this.at += text.length;
      return value;
    } catch {
      return this.fail('a text in double quotes, as in JSON');
    }
  }
}

const NAME = /[A-Za-z_]\w*/y;
const INTEGER = /-?\d+/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SQL_TEXT = /'(?:[^']|'')*'/y;
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/y;
const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;
const A_CONSTANT = "a number, a text such as 'alice', true or false";
