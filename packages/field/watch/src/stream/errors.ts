import { mkdirSync } from 'node:fs';

/** An error about a wrong or missing source: the message states the problem and the remedy. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
}

/** Creates a folder that only its owner can read, unless the folder exists. */
export function makeFolder(path: string): void {
  atFile(path, () => {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch {
      mkdirSync(path, { mode: 0o700 }); // with several nested folders, Node reports the wrong reason
    }
  });
}

/** Runs an action on a file; a system error becomes a message with the file's name and advice. */
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
    code === 'ENOSPC'
      ? 'no space is left on the device; free some space, and start again: the watch continues where it stopped'
      : message;
  return new WatchError(`${path} cannot be written: ${why}.`, { cause: error });
}
