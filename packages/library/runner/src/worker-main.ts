/** The script of a worker: runs a checker on shared memory and reports its result, or describes a plug-in. */
import { parentPort, workerData } from 'node:worker_threads';
import { absoluteNow, makeNames } from './board.ts';
import { beginContext } from './context.ts';
import { RunnerError, errorText } from './errors.ts';
import { execute } from './execute.ts';
import { type InputData, fromData } from './input-data.ts';
import type { FromWorker, ModuleOfChecker, RunTask, WorkerTask } from './job.ts';
import { loadChecker } from './load-checker.ts';
import { forbidEnding } from './own-process.ts';
import { plainCopy } from './plain-data.ts';

const given = workerData as WorkerTask;
const port = parentPort!;
const tell = (message: FromWorker): void => port.postMessage(message);

// An exit ends only this thread, but a signal would reach the host.
forbidEnding((call) => (call.startsWith('called process.kill') ? 'forbidden' : 'allowed'));

if (given.kind === 'run') await runTask(given);
else await describe(given);

async function runTask(task: RunTask): Promise<void> {
  const input = fromData(task.input as InputData);
  tell({ kind: 'loading' });
  const { checker } = await loadChecker(task.url, undefined, task.imports);
  tell({ kind: 'started' });
  const hosted = beginContext({
    ...task,
    names: makeNames(),
    now: absoluteNow,
    isAborted: () => Atomics.load(task.board.flag, 0) !== 0,
    announce: (kind, name) => tell({ kind, name }),
  });
  const outcome = await execute(checker, input, task.level, task.options, hosted);
  tell({ kind: 'ended', outcome });
}

async function describe({ url, imports }: ModuleOfChecker): Promise<void> {
  try {
    tell({ kind: 'described', info: plainCopy((await loadChecker(url, undefined, imports)).checker.info) });
  } catch (error) {
    const { message, stack } = errorText(error);
    const code = error instanceof RunnerError ? error.code : 'checker-not-loadable';
    tell({ kind: 'refused', error: { name: code, message, stack } });
  }
}
