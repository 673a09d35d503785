import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { isFailedStart, started } from '../src/started.ts';

/** Object that Node returns for a process, where the system has no files left for its pipes. */
class WithoutPipes extends EventEmitter {
  readonly spawnfile = 'node';
  readonly pid = undefined;
}

describe('a process or thread that could not be started', () => {
  test('a process or thread that could not be started is reported', async () => {
    const failures: Error[] = [];
    const child = started(spawn('/nowhere/at-all', { stdio: ['pipe', 'pipe', 'pipe'] }), (error) =>
      failures.push(error),
    );
    expect(child.stdout).not.toBeNull();
    await new Promise((resolve) => child.on('close', resolve));
    expect(failures).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
    expect(failures.every(isFailedStart)).toBe(true);
  });

  test('a process or thread that could not be started fails at once where it has no pipes, and its event is not unhandled', () => {
    const child = new WithoutPipes();
    let failure: unknown;
    try {
      started(child, () => expect.unreachable());
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({
      code: 'EMFILE',
      message: expect.stringContaining('too many files are open') as string,
    });
    expect(isFailedStart(failure)).toBe(true);
    expect(() => child.emit('error', new Error('spawn EMFILE'))).not.toThrow();
  });

  test('a process or thread that could not be started is distinguished from one that failed later', async () => {
    const thread = started(new Worker('throw new Error("broken")', { eval: true }), () => {});
    const [error] = (await once(thread, 'error').catch((thrown: unknown) => [thrown])) as [unknown];
    expect(isFailedStart(error)).toBe(false);
    expect(isFailedStart(Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' }))).toBe(true);
  });

  test('a process or thread that was started is left to its caller', async () => {
    const child = started(spawn(process.execPath, ['-e', 'process.exit(7)']), () => expect.unreachable());
    expect(await once(child, 'close')).toEqual([7, null]);
  });
});
