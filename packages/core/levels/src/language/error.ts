import type { Position } from './ast.ts';

/** Error for a text that is not a level. Its message states the position, the problem and the expected text. */
export class LevelError extends Error {
  readonly position: Position;

  constructor(position: Position, message: string) {
    super(`${position.file}:${position.line}:${position.column}: ${message}`);
    this.name = 'LevelError';
    this.position = position;
  }
}
