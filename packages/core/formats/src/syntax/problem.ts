/** Position in a file. Lines and columns count from 1, offsets from 0; columns and offsets count bytes. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/**
 * Error for text that breaks the rules of its syntax. The caller that knows the file's name prepends it to the message.
 */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
  readonly code = 'syntax-problem';
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly found: string;
  readonly expected: string;

  constructor({ line, column, offset }: Place, found: string, expected: string) {
    super(`line ${line}, column ${column}: found ${found} where ${expected} was expected`);
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.found = found;
    this.expected = expected;
  }
}
