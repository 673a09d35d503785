import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { type ThreadTask, type Threads, started } from '@isolab/history';
import { bundledScript, share } from '@isolab/runner';
import { State, type ThreadData } from './task-state.ts';

/** Threads that each perform one task. */
export class OwnThreads implements Threads {
  readonly count: number;
  readonly leastOperations: number;

  readonly #startMs: number;

  /** Waits at most `startMs` for a thread that has not begun when its result is needed. */
  constructor(count: number, least: { readonly operations: number }, startMs = 0) {
    this.count = count;
    this.leastOperations = least.operations;
    this.#startMs = startMs;
  }

  begin<Data extends object, Result>(task: string): ThreadTask<Data, Result> {
    return new Thread(task, this.#startMs);
  }
}

class Thread<Data extends object, Result> implements ThreadTask<Data, Result> {
  readonly #state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #port: MessagePort;
  readonly #begin = performance.now();
  readonly #startMs: number;

  constructor(task: string, startMs: number) {
    this.#startMs = startMs;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.unref();
    const workerData: ThreadData = { task, state: this.#state, port: port2 };
    const folder = import.meta.url.endsWith('.ts') ? '../../dist/threads/' : './';
    const script = bundledScript('thread-main') ?? new URL(`${folder}thread-main.js`, import.meta.url);
    // A thread that cannot start leaves its task to this thread.
    started(new Worker(script, { workerData, transferList: [port2] }), () => {}).unref();
  }

  give(data: Data): void {
    const port = this.#port;
    port.postMessage(share(data));
  }

  cancel(): void {
    const state = this.#state;
    Atomics.compareExchange(state, 0, State.Waiting, State.Revoked);
    // A process that exits while a thread is running may crash.
    if (Atomics.compareExchange(state, 0, State.Running, State.Cancelled) === State.Running)
      Atomics.wait(state, 0, State.Cancelled, CANCEL_MS);
    this.#port.close();
  }

  result(): Result | null {
    const state = this.#state;
    Atomics.wait(state, 0, State.Waiting, this.#startMs);
    const isRevoked = Atomics.compareExchange(state, 0, State.Waiting, State.Revoked) === State.Waiting;
    // The parts of a task are of similar size. A thread that takes far longer has ended without an answer.
    const patience = LEAST_PATIENCE_MS + 4 * (performance.now() - this.#begin);
    if (!isRevoked) Atomics.wait(state, 0, State.Running, patience);
    const received = receiveMessageOnPort(this.#port) as { message: Result | null } | undefined;
    this.#port.close();
    return isRevoked ? null : (received?.message ?? null);
  }
}

const CANCEL_MS = 1000;
const LEAST_PATIENCE_MS = 10_000;
