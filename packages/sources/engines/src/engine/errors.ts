/**
 * Error that the user can fix: an unknown name, a missing program, a wrong checksum, or a server that does not start.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}
