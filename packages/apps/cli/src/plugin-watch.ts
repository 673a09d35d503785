import { subscribe } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';
import { started } from 'isolab/skin';

/** Message of the library on its channel. */
interface PluginNews {
  readonly where: string;
  readonly kind: 'called' | 'goes on' | 'done';
}

/**
 * Ends this process with a message if a plug-in's code does not return. A separate thread, started with the first
 * plug-in, checks for that, because this thread can do nothing while the plug-in computes.
 */
export function endLostPlugins(): void {
  let watch: Watch | null = null;
  subscribe('isolab:plugin', (told) => {
    const { where, kind } = told as PluginNews;
    watch ??= new Watch();
    watch.hear(where, kind);
  });
}

class Watch {
  /** Number of running calls, and a counter that changes with each step of a call. */
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker = started(
    new Worker(WATCHING, { eval: true, env: {}, execArgv: [], workerData: this.#state }),
    endThis,
  );
  #where = '';

  constructor() {
    this.#worker.unref();
  }

  hear(where: string, kind: PluginNews['kind']): void {
    if (kind === 'called') Atomics.add(this.#state, DEPTH, 1);
    else if (kind === 'done') Atomics.sub(this.#state, DEPTH, 1);
    Atomics.add(this.#state, NEWS, 1);
    if (where === this.#where) return;
    this.#where = where;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, not a window
    this.#worker.postMessage(where);
  }
}

/** Without the thread, a plug-in with an endless loop would never be ended. */
function endThis(error: Error): void {
  throw error;
}

const [DEPTH, NEWS] = [0, 1];
/** Longer than any single step of a plug-in, even on a busy machine. */
const PATIENCE_MS = 30_000;

const WATCHING = `
const { writeSync } = require('node:fs');
const { parentPort, workerData: state } = require('node:worker_threads');
let where = 'a plug-in';
let [seen, since] = [-1, Date.now()];
parentPort.on('message', (name) => { where = name; });
parentPort.unref();
setInterval(() => {
  const news = Atomics.load(state, ${NEWS});
  if (news !== seen || Atomics.load(state, ${DEPTH}) === 0) [seen, since] = [news, Date.now()];
  else if (Date.now() - since > ${PATIENCE_MS}) {
    writeSync(2, 'isolab: ' + where + ' has not come back for ${PATIENCE_MS / 1000} s. Does it loop for ever?\\n');
    process.kill(process.pid, 'SIGUSR2');
  }
}, 500);
`;
