import { closed, killGroup, pause, within } from '@isolab/engines';
import { type ChildProcess, fork } from 'node:child_process';
import { basename } from 'node:path';
import process from 'node:process';
import { started } from '@isolab/history/started';
import { spelled } from '../database/answers.ts';
import { CollectorError, ConnectionLost } from '../database/errors.ts';
import { EXEC_OUTCOMES } from './exec-program.ts';
import type { Asked, FromModule, ToModule } from './module-messages.ts';
import { meaningOf, phaseOf } from '../database/outcomes.ts';
import { passOn } from './pass-on.ts';

/** A request without an answer yet. */
interface Waiting {
  readonly asked: Asked;
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The process of a module, which serves many sessions concurrently. */
export class ModuleProcess {
  /** Name of the module as the user wrote it. */
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #ended: Error | null = null;

  constructor(name: string) {
    this.name = name;
    const host = import.meta.url.endsWith('.ts') // tests run this file uncompiled
      ? new URL('../../dist/drivers/module-host.js', import.meta.url)
      : new URL('./module-host.js', import.meta.url);
    // A process group of its own, so that an interrupt at the terminal reaches only the collector, which then ends its
    // drivers.
    this.#child = started(
      fork(host, [], {
        detached: true,
        execArgv: [],
        serialization: 'advanced',
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      }),
      ({ message }) => this.#end(`did not start: ${message}`),
    );
    passOn(this.#child.stdout!);
    passOn(this.#child.stderr!);
    this.#child.on('message', (message) => this.#hear(message as FromModule));
    this.#child.on('exit', (code, signal) => this.#end(`ended with ${signal ?? `exit code ${code}`}`));
  }

  /** Returns the answer of the module. Fails with the error that the module reports. */
  ask(asked: Asked): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { asked, since: performance.now(), resolve, reject });
      this.#child.send({ id, ...asked } satisfies ToModule, (error) => {
        if (error) void pause(TO_SPEAK_MS).then(() => this.#end(`no longer receives requests: ${error.message}`));
      });
    });
  }

  /** Asks with a time limit. Gives up a module that does not answer in time. */
  async askWithin(ms: number, asked: Asked): Promise<unknown> {
    const late = (): Error =>
      new CollectorError(`${this.name} did not answer ${spelledRequest(asked)} within ${ms / 1000} seconds.`);
    return within(ms, this.ask(asked), late);
  }

  /** Describes the longest-waiting request of one session or of all sessions, for people. */
  underWay(session?: number): string | null {
    for (const { asked, since } of this.#waiting.values()) {
      if (session !== undefined && !isOf(asked, session)) continue;
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      return `${this.name} was asked ${spelledRequest(asked)} ${seconds} seconds ago and has not answered`;
    }
    return null;
  }

  abandon(session: number): void {
    for (const [id, { asked, reject }] of this.#waiting) {
      if (!isOf(asked, session)) continue;
      this.#waiting.delete(id);
      reject(new ConnectionLost(`isolab has stopped waiting for ${this.name}`));
    }
    this.ask({ to: 'close', session }).catch(() => {});
  }

  async close(): Promise<void> {
    const kill = (): void => this.kill();
    await closed(() => this.ask({ to: 'close', session: null }), kill);
    kill();
  }

  kill(): void {
    killGroup(this.#child);
  }

  /** Kills the process as a crash would: the connections of its sessions are lost. */
  async crash(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#end('was killed', ConnectionLost);
    this.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await ended;
  }

  /** Stops or continues the process and its children. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#child;
    if (pid !== undefined && this.#ended === null) process.kill(-pid, signal);
  }

  #hear(message: FromModule): void {
    if (typeof message !== 'object' || message === null || !('id' in message))
      return this.#refuse(`sent ${spelled(message)} without a request`);
    if (message.id === null) return this.#refuse(`failed outside a request: ${message.why}`);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!waiting) return; // no request waits for this answer
    if ('value' in message) waiting.resolve(message.value);
    else waiting.reject(this.#failure(waiting.asked, message));
  }

  #failure(asked: Asked, { failed, why }: Extract<FromModule, { failed: string }>): Error {
    const isAnOrder = asked.to !== 'ask' && !(asked.to === 'connect' && failed === 'lost');
    if (failed === 'lacking' || isAnOrder) {
      const said = failed === 'aborted' || failed === 'lost' ? `says ${failed}, ${spelled(why)}` : why;
      return new CollectorError(`${this.name} was asked ${spelledRequest(asked)}: ${said}.`);
    }
    const isCommit =
      asked.to === 'ask' &&
      (asked.method === 'commit' || (asked.method === 'sql' && phaseOf(String(asked.given[0])) === 'commit'));
    const phase = isCommit ? 'commit' : 'statement';
    const isUnclassified = failed === 'error' && asked.to === 'ask' && asked.method !== 'begin';
    const said = isUnclassified ? `${why} (${UNCLASSIFIED})` : why;
    // Findings quote the error, so it names no folder.
    return meaningOf({ ...EXEC_OUTCOMES, database: basename(this.name) }, failed, phase, new Error(said));
  }

  /** Ends the module and ignores its later messages. */
  #refuse(what: string): void {
    this.#end(what);
    this.kill();
  }

  #end(how: string, Kind: typeof CollectorError | typeof ConnectionLost = CollectorError): void {
    const [first] = this.#waiting.values();
    const when = first ? ` while it was asked ${spelledRequest(first.asked)}; expected an answer` : '';
    this.#ended ??= new Kind(`${this.name} ${how}${when}.`);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/** Advice for an error that the driver passed on as it is. */
const UNCLASSIFIED =
  "the driver threw it without an outcome; if the database undid the transaction, it needs outcome: 'aborted'";

/** Time limit for the last output of a process. The output may arrive after a failed write and is more informative. */
const TO_SPEAK_MS = 500;

const isOf = (asked: Asked, session: number): boolean => 'session' in asked && asked.session === session;

/** Formats the request as a method call. */
export function spelledRequest(asked: Asked): string {
  const call = (method: string, ...given: readonly unknown[]): string =>
    `${method}(${given.map((one) => spelled(one)).join(', ')})`;
  switch (asked.to) {
    case 'load':
      return 'for its description';
    case 'open':
      return call('open', asked.given);
    case 'prepare':
      return call('prepare', asked.data, asked.keep);
    case 'connect':
      return call('connect', asked.isolation);
    case 'ask':
      return call(asked.method, ...asked.given);
    case 'close':
      return call('close');
  }
}
