/** The script of a thread that performs one task beside the calling thread; see threads.ts. */
import { workerData } from 'node:worker_threads';
import { State, type ThreadData } from './task-state.ts';

const { task, state, port } = workerData as ThreadData;
const perform = await loaded();
port.once('message', (data) => {
  if (Atomics.compareExchange(state, 0, State.Waiting, State.Running) === State.Waiting) void answer(data as never);
  else port.close();
});

/** Loads the code of the task, which begins while the calling thread prepares the data. */
async function loaded(): Promise<(data: never, isCancelled: () => boolean) => unknown> {
  if (task === 'read') return (await import('@isolab/formats/part')).readIsolabPart;
  return (await import('@isolab/history/tasks')).TASKS[task]!;
}

async function answer(data: never): Promise<void> {
  Atomics.notify(state, 0);
  let result: unknown = null;
  try {
    result = await perform(data, () => Atomics.load(state, 0) === State.Cancelled);
  } catch {
    // The calling thread performs the task itself, and meets the error.
  }
  port.postMessage(result, [...buffersIn(result)]);
  Atomics.store(state, 0, State.Done);
  Atomics.notify(state, 0);
  port.close();
}

/** Memory of the columns in a result, which moves to the calling thread without a copy. */
function buffersIn(part: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(part)) {
    if (part.buffer instanceof ArrayBuffer) found.add(part.buffer);
  } else if (typeof part === 'object' && part !== null) for (const each of Object.values(part)) buffersIn(each, found);
  return found;
}
