/** A wrong source, or one that is gone: the message says what was found and what to do. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
}
/** Does something with a file; what the system says against it becomes a message with the file, and what to do. */
export function atFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw explained(path, error);
  }
}

export function explained(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code, message } = error;
  const why =
    code === 'ENOSPC' ? 'no space is left on the device; make room, and start again: it goes on where it was' : message;
  return new WatchError(`${path} cannot be written: ${why}.`, { cause: error });
}
