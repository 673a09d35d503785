import { setTimeout as sleep } from 'node:timers/promises';
/** Returns the result of the promise. Fails after `ms` milliseconds or when the signal is aborted. */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error, signal?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  promise.catch(() => {}); // the promise may fail after the wait has ended
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => reject(late()), ms);
      onAbort = () => reject(new Interrupted());
      if (signal?.aborted) onAbort();
      signal?.addEventListener('abort', onAbort);
      promise.then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}

/** Error of an interrupted task, whose caller no longer needs the result. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor() {
    super('Interrupted.');
  }
}

/** Waits. Returns early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => {});
}

/** Closes a resource gracefully, and forcibly if that takes longer than half a second. */
export async function closed(polite: () => Promise<unknown>, hard: () => void): Promise<void> {
  try {
    await within(POLITE_MS, polite(), () => new Error('It does not answer.'));
  } catch {
    hard();
  }
}

const POLITE_MS = 500;
