/** A process or a thread of Node, which reports a failed start through an event. */
interface Startable {
  readonly pid?: number | undefined;
  readonly stdio?: readonly unknown[] | undefined;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Returns a new process or thread after adding a listener for its `error` event. Without a listener, the event ends
 * this process with exit code 1, which means a violation. If the system has no file descriptors left for the pipes of a
 * process, Node does not create them, and this function throws immediately.
 */
export function started<T extends Startable>(child: T, failed: (error: Error) => void): T {
  const lacksPipes = 'spawnfile' in child && child.pid === undefined && child.stdio === undefined;
  child.on('error', lacksPipes ? () => {} : failed);
  if (!lacksPipes) return child;
  const failure = new Error('no process can be started: too many files are open (EMFILE)');
  throw Object.assign(failure, { code: 'EMFILE', syscall: 'spawn' });
}

/**
 * Returns whether an error means that a process or thread could not be started; errors of threads name no system call.
 */
export const isFailedStart = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'ERR_WORKER_INIT_FAILED' ||
    String((error as { syscall?: unknown }).syscall).startsWith('spawn'));
