/** A process or a thread of Node's, whose failures to start come as an event. */
interface Startable {
  readonly pid?: number | undefined;
  readonly stdio?: readonly unknown[] | undefined;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Gives back a process or thread that was just asked for, whose `error` event now has a listener. Without one, the event
 * ends this process with exit code 1, which stands for a violation. Where the system has no files left for the pipes of
 * a process, Node makes none of them, and this fails at once.
 */
export function started<T extends Startable>(child: T, failed: (error: Error) => void): T {
  const lacksPipes = 'spawnfile' in child && child.pid === undefined && child.stdio === undefined;
  child.on('error', lacksPipes ? () => {} : failed);
  if (!lacksPipes) return child;
  const failure = new Error('no process can be started: too many files are open (EMFILE)');
  throw Object.assign(failure, { code: 'EMFILE', syscall: 'spawn' });
}

/** Returns whether an error says that a process or a thread could not be started; a thread has no system call to name. */
export const isFailedStart = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'ERR_WORKER_INIT_FAILED' ||
    String((error as { syscall?: unknown }).syscall).startsWith('spawn'));
