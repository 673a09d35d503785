import type { Position } from './ast.ts';

/** Thrown for a text that is not a level. Its message says where, what was found and what was expected. */
export class LevelError extends Error {
  readonly position: Position;

  constructor(position: Position, message: string) {
    super(`${position.file}:${position.line}:${position.column}: ${message}`);
    this.name = 'LevelError';
    this.position = position;
  }
}
