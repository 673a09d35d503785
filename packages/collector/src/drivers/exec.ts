import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Answer } from '@isolab/workloads';
import {
  Aborted,
  CollectorError,
  type Connection,
  ConnectionLost,
  type Database,
  type Driver,
  type Isolation,
} from '../database.ts';

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
  async open(address) {
    const command = address.slice('exec:'.length);
    if (command.trim() === '') throw new CollectorError('exec: takes a command, such as exec:"node my-client.js".');
    const control = new LineClient(command);
    const { database } = await control.ask({ hello: 1 });
    return {
      description: typeof database === 'string' ? database : command,
      async prepare(data, keep) {
        await control.ask({ prepare: data, keep });
      },
      connect: async (isolation) => connect(command, isolation),
      close: () => control.close(),
    } satisfies Database;
  },
};

async function connect(command: string, { name }: Isolation): Promise<Connection> {
  const client = new LineClient(command);
  await client.ask({ hello: 1 });
  return {
    begin: async () => void (await client.ask({ begin: name })),
    ask: async (request) => (await client.ask(request)).value as Answer,
    commit: async () => void (await client.ask({ commit: true })),
    rollback: async () => void (await client.ask({ rollback: true })),
    close: () => client.close(),
  };
}

interface Reply {
  readonly value?: unknown;
  readonly database?: unknown;
  readonly aborted?: string;
  readonly lost?: string;
  readonly error?: string;
}

class LineClient {
  readonly #child: ChildProcess;
  readonly #waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  #ended: Error | null = null;

  constructor(command: string) {
    this.#child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
    const end = (why: string): void => {
      this.#ended ??= new ConnectionLost(`${command} ${why}`);
      for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
    };
    this.#child.on('error', ({ message }) => end(`does not start: ${message}`));
    this.#child.on('exit', (code, signal) => end(`ended with ${signal ?? `exit code ${code}`}`));
    // Mostly because it has ended, which the event that follows says.
    this.#child.stdin!.on('error', () => void setTimeout(() => end('does not read any more'), 1000).unref());
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#waiting.shift()?.resolve(line));
  }

  async ask(request: object): Promise<Reply> {
    if (this.#ended) throw this.#ended;
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
    });
    const reply = parse(line);
    if (reply.aborted !== undefined) throw new Aborted(reply.aborted);
    if (reply.lost !== undefined) throw new ConnectionLost(reply.lost);
    if (reply.error !== undefined) throw new CollectorError(`The program says: ${reply.error}`);
    return reply;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#ended) return resolve();
      this.#child.on('exit', () => resolve());
      this.#child.stdin!.end();
      setTimeout(() => this.#child.kill(), 1000).unref();
    });
  }
}

function parse(line: string): Reply {
  try {
    const reply: unknown = JSON.parse(line);
    if (typeof reply === 'object' && reply !== null) return reply;
  } catch {
    // said below
  }
  throw new CollectorError(`The program answered ${line.slice(0, 100)}, expected an object of JSON on one line.`);
}
