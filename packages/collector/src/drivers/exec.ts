import { type ChildProcess, spawn } from 'node:child_process';
import { spelled } from '../answers.ts';
import type { Connection, Database, Driver, Isolation, Limits } from '../database.ts';
import { CollectorError, ConnectionLost } from '../errors.ts';
import { killGroup } from '../processes.ts';
import { withoutSecrets } from '../secrets.ts';
import { within } from '../time.ts';
import { parseReply } from './exec-reply.ts';
import { type Outcomes, type Phase, meaningOf, row } from './outcomes.ts';
import { passOn } from './pass-on.ts';

/** Levels by isolab's names: the program knows what its database calls them. */
const ISOLATIONS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  { name: 'read atomic', claims: 'read-atomic' },
  { name: 'causal', claims: 'causal' },
  { name: 'repeatable read', claims: 'snapshot-isolation' },
  { name: 'snapshot', claims: 'snapshot-isolation' },
  { name: 'serializable', claims: 'serializable' },
  { name: 'strict serializable', claims: 'strict-serializable' },
];

/** Anything that a program can speak with: one process a session, a line of JSON for each request and each answer. */
export const exec: Driver = {
  schemes: ['exec'],
  title: 'a program of your own',
  needs: null,
  isolations: ISOLATIONS,
  data: ['registers', 'lists', 'rows'],
  async open(address, limits) {
    const command = address.slice('exec:'.length);
    if (command.trim() === '') throw new CollectorError('exec: needs a command, such as exec:"node my-client.js".');
    const control = new LineClient(command);
    try {
      const database = await greeted(control, limits);
      return {
        description: database ?? command,
        async prepare(data, keep) {
          await control.order({ prepare: data, keep });
        },
        connect: (isolation) => connect(command, limits, isolation),
        close: () => control.close(),
      } satisfies Database;
    } catch (error) {
      control.kill();
      throw error;
    }
  },
};

async function connect(command: string, limits: Limits, { name }: Isolation): Promise<Connection> {
  const client = new LineClient(command);
  try {
    await greeted(client, limits);
  } catch (error) {
    client.kill();
    throw error;
  }
  return {
    begin: async () => void (await client.ask({ begin: name })),
    ask: (question) => client.ask(question),
    commit: async () => void (await client.ask({ commit: true }, 'commit')),
    rollback: async () => void (await client.ask({ rollback: true })),
    close: () => client.close(),
    abandon: () => client.kill(),
  };
}

/** What the program says that it is; null if nothing. */
function greeted(client: LineClient, { connectMs }: Limits): Promise<string | null> {
  const late = (): Error =>
    new CollectorError(`${client.name} did not answer {"hello":1} within ${connectMs / 1000} seconds.`);
  return within(connectMs, client.order({ hello: 1 }), late);
}

/** A process that is asked a line and answers a line. */
class LineClient {
  readonly name: string;
  readonly #child: ChildProcess;
  #waiting: { resolve(line: string): void; reject(error: Error): void } | null = null;
  #ended: Error | null = null;
  #unfinished = '';

  constructor(command: string) {
    this.name = withoutSecrets(command);
    // A group of its own: an interrupt at the terminal is for the collector, which then ends its programs.
    this.#child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    passOn(this.#child.stderr!);
    this.#child.on('error', ({ message }) => this.#end(new ConnectionLost(`${this.name} did not start: ${message}`)));
    this.#child.on('exit', (code, signal) =>
      this.#end(new ConnectionLost(`${this.name} ended with ${signal ?? `exit code ${code}`}`)),
    );
    // Mostly because it has ended, which the event that follows says.
    const deaf = (): void => this.#end(new ConnectionLost(`${this.name} no longer reads its input`));
    this.#child.stdin!.on('error', () => void setTimeout(deaf, 1000).unref());
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => this.#read(text));
  }

  /** Asks for something that a database cannot refuse: whatever is answered but success is wrong with the program. */
  async order(request: object): Promise<string | null> {
    const reply = await this.#reply(request);
    if (reply.kind === 'answer') return reply.database;
    if (reply.kind === 'error') throw new CollectorError(`The program says: ${reply.why}`);
    throw new CollectorError(
      `The program was asked ${spelled(request)} and answered ${reply.kind}, ${spelled(reply.why)}; expected {}, or {"error":"why"}.`,
    );
  }

  /** The value that the program answers; fails as the database did. */
  async ask(request: object, phase: Phase = 'statement'): Promise<unknown> {
    const reply = await this.#reply(request);
    if (reply.kind === 'answer') return reply.value;
    throw meaningOf(EXEC_OUTCOMES, reply.kind, phase, new Error(reply.why));
  }

  async #reply(request: object): Promise<ReturnType<typeof parseReply>> {
    if (this.#ended) throw this.#ended;
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
    });
    try {
      return parseReply(line);
    } catch (error) {
      throw new CollectorError(`The program was asked ${spelled(request)} and ${(error as Error).message}.`, {
        cause: error,
      });
    }
  }

  #read(text: string): void {
    const [first, ...others] = text.split('\n');
    this.#unfinished += first;
    for (const next of others) {
      this.#answer(this.#unfinished.replace(/\r$/, ''));
      this.#unfinished = next;
    }
    if (this.#unfinished.length > LONGEST_LINE)
      this.#refuse(`The program answered more than ${LONGEST_LINE} characters without a line break.`);
  }

  #answer(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) waiting.resolve(line);
    else if (line.trim() !== '') this.#refuse(`The program said ${spelled(line)} without being asked.`);
  }

  /** From now on, no answer could be told from another. */
  #refuse(message: string): void {
    this.#end(new CollectorError(message));
    this.kill();
  }

  #end(why: Error): void {
    this.#ended ??= why;
    this.#waiting?.reject(this.#ended);
    this.#waiting = null;
  }

  /** Lets the program end; kills it if it does not. */
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

  /** Ends the program and whatever it started. */
  kill(): void {
    killGroup(this.#child);
  }
}

const LONGEST_LINE = 64 << 20;
const TO_END_MS = 400;

/** What a program of one's own answers instead of a result. */
export const EXEC_OUTCOMES: Outcomes = {
  database: 'The program',
  keysOf: (kind) => [kind],
  rows: [
    row('aborted', 'aborted', 'aborted', 'the database undid the transaction'),
    row('lost', 'lost', 'unknown', 'the database no longer answers'),
    row('error', 'failed', 'unknown', 'the set-up is wrong'),
  ],
};
