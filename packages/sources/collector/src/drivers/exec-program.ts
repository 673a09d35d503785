import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { started } from '@isolab/history/started';
import { spelled } from '../database/answers.ts';
import { CollectorError, ConnectionLost } from '../database/errors.ts';
import { killGroup, within } from '@isolab/engines';
import { withoutSecrets } from '../database/secrets.ts';
import { type Reply, parseReply } from './exec-reply.ts';
import { type Phase, byCode, meaningOf, row } from '../database/outcomes.ts';
import { passOn } from './pass-on.ts';

/** A request without an answer yet. */
interface Waiting {
  readonly session: number;
  readonly request: object;
  readonly since: number;
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * Number of the client that prepares the tables. Where a program serves one session, this client has its own program.
 */
export const CONTROL = 0;

/** Description that a program gives of itself; members are null where the program does not state them. */
export type Greeting = Pick<Extract<Reply, { kind: 'answer' }>, 'database' | 'data' | 'sql' | 'volatile'>;

/** A process that answers each line with a line, for one session or, if it says so, for all sessions. */
export class Program {
  readonly name: string;
  isShared = false;
  /** Reason why the program no longer answers; null while it answers. */
  ended: Error | null = null;
  /** Description that the program gave of itself. */
  greeting: Greeting = { database: null, data: null, sql: false, volatile: false };
  readonly #child: ChildProcess;
  /** Waiting requests by number. A program for one session has at most one, without a number. */
  readonly #waiting = new Map<number, Waiting>();
  /** Numbers of abandoned requests, which may still be answered. */
  readonly #abandoned = new Set<number>();
  #requests = 0;
  #unfinished = '';

  constructor(command: string) {
    this.name = withoutSecrets(command);
    // A process group of its own, so that an interrupt at the terminal reaches only the collector, which then ends its
    // programs.
    this.#child = started(
      spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] }),
      ({ message }) => this.#end(new ConnectionLost(`${this.name} did not start: ${message}`)),
    );
    passOn(this.#child.stderr!);
    this.#child.on('exit', (code, signal) =>
      this.#end(new ConnectionLost(`${this.name} ended with ${signal ?? `exit code ${code}`}`)),
    );
    // Usually the program has ended, as the event that follows reports.
    const deaf = (): void => this.#end(new ConnectionLost(`${this.name} no longer reads its input`));
    this.#child.stdin!.on('error', () => void setTimeout(deaf, 1000).unref());
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => this.#read(text));
  }

  async greet(connectMs: number): Promise<void> {
    const late = (): Error =>
      new CollectorError(`${this.name} did not answer {"hello":1} within ${connectMs / 1000} seconds.`);
    const { sessions, ...greeting } = await within(connectMs, this.order({ hello: 1 }), late);
    this.isShared = sessions !== null;
    this.greeting = greeting;
  }

  /** Makes a request that a database cannot refuse: any answer but success is an error of the program. */
  async order(request: object): Promise<Extract<Reply, { kind: 'answer' }>> {
    const reply = await this.#reply(CONTROL, request);
    if (reply.kind === 'answer') return reply;
    if (reply.kind === 'error') throw new CollectorError(`The program reports an error: ${reply.why}`);
    throw new CollectorError(
      `The program was asked ${spelled(request)} and answered ${reply.kind}, ${spelled(reply.why)}; expected {}, or {"error":"why"}.`,
    );
  }

  /** Returns the value that the program answers. Fails with the error of the database. */
  async ask(session: number, request: object, phase: Phase = 'statement'): Promise<unknown> {
    const reply = await this.#reply(session, request);
    if (reply.kind === 'answer') return reply.value;
    const said = reply.kind === 'error' ? `${reply.why} (${UNCLASSIFIED})` : reply.why;
    throw meaningOf(EXEC_OUTCOMES, reply.kind, phase, new Error(said));
  }

  /** Describes the longest-waiting request of one session or of all sessions, for people. */
  underWay(session?: number): string | null {
    for (const { session: asker, request, since } of this.#waiting.values()) {
      if (session !== undefined && asker !== session) continue;
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      return `the program was asked ${spelled(request)} ${seconds} seconds ago and has not answered`;
    }
    return null;
  }

  /** Abandons the requests of the session. Later answers to them are ignored. */
  abandon(session: number): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.session !== session) continue;
      this.#waiting.delete(id);
      this.#abandoned.add(id);
      waiting.reject(new ConnectionLost('isolab has stopped waiting for the program'));
    }
    if (this.ended) return;
    const id = ++this.#requests;
    this.#abandoned.add(id);
    this.#send({ id, session, close: true });
  }

  #reply(session: number, question: object): Promise<Reply> {
    if (this.ended) return Promise.reject(this.ended);
    const id = this.isShared ? ++this.#requests : UNNUMBERED;
    const request = this.isShared ? { id, session, ...question } : question;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { session, request, since: performance.now(), resolve, reject });
      this.#send(request);
    });
  }

  #send(request: object): void {
    this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
  }

  #read(text: string): void {
    const [first, ...others] = text.split('\n');
    this.#unfinished += first;
    for (const next of others) {
      this.#answer(this.#unfinished.replace(/\r$/, ''));
      this.#unfinished = next;
    }
    if (this.#unfinished.length > LONGEST_LINE)
      this.#refuse(`The program’s answer has more than ${LONGEST_LINE} characters without a line break.`);
  }

  #answer(line: string): void {
    if (!this.isShared && this.#waiting.size === 0) {
      if (line.trim() !== '') this.#refuse(`The program sent ${spelled(line)} without a request.`);
      return;
    }
    let reply: Reply;
    try {
      reply = parseReply(line);
    } catch (error) {
      const { request } = this.#waiting.values().next().value ?? {};
      const asked = request && !this.isShared ? `was asked ${spelled(request)} and ` : '';
      return this.#refuse(`The program ${asked}${(error as Error).message}.`);
    }
    const id = this.isShared ? reply.id : UNNUMBERED;
    if (id === null)
      return this.#refuse(`The program answered ${spelled(line)} without a request number; expected {"id":3,…}.`);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting) return waiting.resolve(reply);
    // A second answer must not count as the answer to the next request.
    if (!this.#abandoned.delete(id))
      this.#refuse(`The program answered ${spelled(line)}, but no request ${id} is waiting for an answer.`);
  }

  /** Ends the program, because its later answers could not be matched with requests. */
  #refuse(message: string): void {
    this.#end(new CollectorError(message));
    this.kill();
  }

  #end(why: Error): void {
    this.ended ??= why;
    for (const { reject } of this.#waiting.values()) reject(this.ended);
    this.#waiting.clear();
  }

  /** Waits for the program to end, and kills it after a time limit. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
        return resolve();
      const timer = setTimeout(() => this.kill(), TO_END_MS);
      this.#child.on('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#child.stdin!.end();
    });
  }

  kill(): void {
    killGroup(this.#child);
  }

  /** Kills the program as a crash would. */
  async crash(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await ended;
  }

  /** Stops or continues the program. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#child.pid !== undefined && this.ended === null) process.kill(-this.#child.pid, signal);
  }
}

/** Number for the request of a program that serves one session. */
const UNNUMBERED = 0;

const LONGEST_LINE = 64 << 20;
const TO_END_MS = 400;

const UNCLASSIFIED = 'if the database undid the transaction, the program must answer {"aborted":"why"}';

/** Error answers of a user's program. */
export const EXEC_OUTCOMES = byCode(
  'The program',
  row('aborted', 'aborted', 'aborted', 'the database undid the transaction'),
  row('lost', 'lost', 'unknown', 'the database no longer answers'),
  row('error', 'failed', 'unknown', 'the set-up is wrong'),
);
