import type { Position } from './ast.ts';
import { LevelError } from './error.ts';
import type { Token } from './tokens.ts';

/** Position of the parser among the tokens of a file. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get token(): Token {
    return this.#tokens[this.#at]!;
  }

  get position(): Position {
    return this.token.position;
  }

  /** Returns whether these words or symbols come next. A quoted text never counts. */
  is(...texts: readonly string[]): boolean {
    return texts.every((text, i) => {
      const token = this.#tokens[this.#at + i];
      return token !== undefined && token.kind !== 'text' && token.text === text;
    });
  }

  next(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** Skips a word or symbol if it comes next, and returns whether it did. */
  skip(text: string): boolean {
    if (!this.is(text) || this.token.kind === 'end') return false;
    this.#at++;
    return true;
  }

  expect(text: string): Token {
    if (this.is(text)) return this.next();
    return this.fail(text);
  }

  fail(expected: string, hint = ''): never {
    throw new LevelError(this.position, `Found ${shown(this.token)}, expected ${expected}.${hint}`);
  }
}

function shown({ kind, text }: Token): string {
  if (kind === 'end') return 'the end of the file';
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return kind === 'text' ? `the text "${short}"` : short;
}
