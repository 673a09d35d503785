/** A wrong source, or one that is gone: the message says what was found and what to do. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
}
