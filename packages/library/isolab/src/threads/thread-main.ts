/** The script of a thread that performs one task beside the calling thread; see threads.ts. */
import { workerData } from 'node:worker_threads';
import { type Indexed, indexPart, weighEvidence } from '@isolab/history';
import { State, type ThreadData } from './task-state.ts';

const TASKS: Readonly<Record<string, (data: never) => unknown>> = {
  index: indexPart,
  evidence: ({ history, index }: Indexed) => weighEvidence(history, index),
};

const { task, state, port } = workerData as ThreadData;
port.once('message', (data) => {
  if (Atomics.compareExchange(state, 0, State.Waiting, State.Running) === State.Waiting) {
    Atomics.notify(state, 0);
    port.postMessage(resultOf(data as never));
    Atomics.store(state, 0, State.Done);
    Atomics.notify(state, 0);
  }
  port.close();
});

/** Null after an error, which the calling thread will meet itself. */
function resultOf(data: never): unknown {
  try {
    return TASKS[task]!(data);
  } catch {
    return null;
  }
}
