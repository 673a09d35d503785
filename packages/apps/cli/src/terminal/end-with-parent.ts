import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { started } from 'isolab/skin';

/** Ends this process when its parent was killed. A thread checks for that, because a process that computes hears nothing. */
export function endWithParent(): void {
  // The parent's pid is read here: on a busy machine it may be gone before the thread starts.
  const source = `
    setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, 500);
  `;
  started(new Worker(source, { eval: true, env: {}, execArgv: [] }), (error) => {
    throw error;
  }).unref();
}
