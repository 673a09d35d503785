import { userDefinition } from '@isolab/contract';
import { started } from '@isolab/history';
import { Worker } from 'node:worker_threads';
import type { Ending } from './watcher/run.ts';
import type { Alarm, WatchStatus } from './watcher/status.ts';
import type { WatchOptions } from './watcher/watch-options.ts';

/** Options for watching in a thread of the writing process. */
export interface BesideData {
  readonly path: string;
  readonly folder: string;
  readonly options: Omit<WatchOptions, 'name' | 'log' | 'alarmFolder' | 'now' | 'onAlarm'>;
  readonly intervalMs: number;
  /** Address of the live page; null if there is no page. */
  readonly page: string | null;
}

export interface WatchOutcome {
  readonly ending: Ending;
  readonly status: WatchStatus;
}

export type Heard =
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'status'; readonly status: WatchStatus }
  | ({ readonly kind: 'over' } & WatchOutcome);

export interface Listener {
  onAlarm(alarm: Alarm): void;
  onNote(text: string): void;
  onStatus(status: WatchStatus): void;
  /** Called when the watching has failed, which need not stop the writing. */
  onFailure(problem: string): void;
}

/** Watches a file that this process writes, in a separate thread. */
export class Beside {
  readonly #thread: Worker;
  readonly #over: Promise<WatchOutcome | null>;

  constructor(data: BesideData, listener: Listener) {
    const definitions = data.options.levels.map(userDefinition).filter((definition) => definition !== null);
    const thread = new Worker(new URL('beside-main.js', import.meta.url), { workerData: { ...data, definitions } });
    this.#over = new Promise((resolve) => {
      const failed = ({ message }: Error): void => {
        listener.onFailure(message);
        resolve(null);
      };
      started(thread, failed).on('message', (heard: Heard) => {
        if (heard.kind === 'alarm') listener.onAlarm(heard.alarm);
        else if (heard.kind === 'note') listener.onNote(heard.text);
        else if (heard.kind === 'status') listener.onStatus(heard.status);
        else resolve({ ending: heard.ending, status: heard.status });
      });
    });
    this.#thread = thread;
  }

  /** Ends the input: nothing more will be written. Returns null if the watching has failed. */
  finish(): Promise<WatchOutcome | null> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#thread.postMessage('that is all');
    return this.#over;
  }
}
