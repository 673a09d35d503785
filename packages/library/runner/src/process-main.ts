/**
 * The script of a child process. Its main thread receives the task, runs it in a worker, reports progress and can stop
 * it.
 */
import { readSync } from 'node:fs';
import process from 'node:process';
import { type Skeleton, putTogether } from './columns.ts';
import { describeInWorker } from './describe-in-worker.ts';
import { errorText } from './errors.ts';
import { runInWorker } from './in-worker.ts';
import type { InputData } from './input-data.ts';
import { COLUMNS_PIPE, type FromProcess, type RunRecord, type MovedTask, type ToProcess, neverBegan } from './job.ts';
import { cpuTimeMs, peakResidentBytes, residentBytes } from './memory.ts';
import { unknown } from './outcome.ts';

const leave = (): void => process.disconnect();
const abort = new AbortController();
const tell = (message: FromProcess, then: () => void = () => {}): void => void process.send!(message, then);

process.on('message', (message: ToProcess) => {
  if (message.kind === 'abort') abort.abort();
  else if (message.kind === 'task') void perform(message.task, message.input);
  else void describeInWorker(message, message.limitMs).then((described) => tell(described, leave));
});
// The parent has ended, so this process and the processes of a plug-in end too.
process.on('disconnect', () => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit();
  }
});

async function perform(task: MovedTask, skeleton: Skeleton): Promise<void> {
  let told: Promise<void> | undefined;
  const tellOnce = (record: RunRecord): void => {
    told ??= new Promise((then) =>
      tell({ kind: 'ended', record: { ...record, peakRssBytes: peakResidentBytes() } }, then),
    );
  };
  try {
    tellOnce(await runTask(task, receive(skeleton), tellOnce));
  } catch (error) {
    const text = errorText(error);
    tellOnce(neverBegan(unknown('crashed', `${text.name}: ${text.message}`, text)));
  }
  await told;
  leave();
}

async function runTask(task: MovedTask, data: InputData, onAnswer: (record: RunRecord) => void): Promise<RunRecord> {
  let cpuBefore = cpuTimeMs();
  return runInWorker(data, task, {
    signal: abort.signal,
    watchMemory: false,
    onAnswer,
    onStarted: () => {
      cpuBefore = cpuTimeMs();
      tell({ kind: 'started' });
    },
    onSnapshot: (snapshot) =>
      tell({
        kind: 'snapshot',
        snapshot,
        cpuMs: cpuTimeMs() - cpuBefore,
        peakRssBytes: peakResidentBytes() ?? residentBytes(),
      }),
  });
}

/** Reads the columns directly into their memory. The pipe blocks until the parent has written more. */
function receive(skeleton: Skeleton): InputData {
  return putTogether(skeleton, (bytes) => {
    for (let done = 0; done < bytes.length;) {
      const read = readSync(COLUMNS_PIPE, bytes, done, bytes.length - done, null);
      if (read === 0) throw new Error(`The columns end ${bytes.length - done} bytes early.`);
      done += read;
    }
  }) as InputData;
}
