import { mkdirSync } from 'node:fs';

/** A wrong source, or one that is gone: the message states the problem and the remedy. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
}

/** Makes a folder that only its owner may look into, where there is none. */
export function makeFolder(path: string): void {
  atFile(path, () => {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch {
      mkdirSync(path, { mode: 0o700 }); // for several folders at once, Node reports the wrong reason
    }
  });
}

/** Does something with a file; an error of the system becomes a message with the file and advice. */
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
