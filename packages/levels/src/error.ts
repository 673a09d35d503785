import type { Position } from './ast.ts';

/** What is wrong with a level: where it stands, what was found there, and what was expected. */
export class LevelError extends Error {
  readonly position: Position;

  constructor(position: Position, message: string) {
    super(`${position.file}:${position.line}:${position.column}: ${message}`);
    this.name = 'LevelError';
    this.position = position;
  }
}
