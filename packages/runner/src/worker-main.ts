/** The script of a worker: loads the checker, runs it over shared memory and says how it ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { absoluteNow, makeNames } from './board.ts';
import { beginContext } from './context.ts';
import { execute } from './execute.ts';
import { type InputData, fromData } from './input-data.ts';
import type { FromWorker, WorkerTask } from './job.ts';
import { loadChecker } from './load-checker.ts';

const task = workerData as WorkerTask;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
const tell = (message: FromWorker): void => parentPort!.postMessage(message);

const { checker } = await loadChecker(task.url!);
const input = fromData(task.input as InputData);
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
