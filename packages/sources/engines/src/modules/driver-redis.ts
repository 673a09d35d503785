/** Redis with optimistic locking: WATCH each key read, buffer the writes, and send them with MULTI and EXEC. */
import { REDIS_OUTCOMES } from '../outcomes/index.ts';
import type { Phase } from '../outcomes/outcomes.ts';
import { type Reply, ReplyError, RespClient } from './resp.ts';
import type { DataKind, Given, Key, Opened, Session } from './shape.ts';
import { explained } from './sql-session.ts';

class RedisSession implements Session {
  readonly #client: RespClient;
  /** Writes to send at commit; the transaction's own reads see their values. */
  #registers = new Map<string, number>();
  #appended = new Map<string, number[]>();

  constructor(client: RespClient) {
    this.#client = client;
  }

  async begin(): Promise<void> {
    this.#registers = new Map();
    this.#appended = new Map();
  }

  async commit(): Promise<void> {
    const client = this.#client;
    const queued = [
      ...[...this.#registers].map(([name, value]) => ['SET', name, String(value)]),
      ...[...this.#appended].map(([name, values]) => ['RPUSH', name, ...values.map(String)]),
    ];
    // Sends all commands together. The reply to EXEC comes last; it is null if a watched key has changed.
    const replies = await said('commit', () =>
      Promise.all([client.ask('MULTI'), ...queued.map((words) => client.ask(...words)), client.ask('EXEC')]),
    );
    const result = replies.at(-1)!;
    if (result === null) throw Object.assign(new Error('a watched key has changed'), { outcome: 'aborted' });
    const failed = (result as readonly Reply[]).find((reply) => reply instanceof ReplyError);
    if (failed) throw failed;
  }

  async rollback(): Promise<void> {
    await said('statement', () => this.#client.ask('UNWATCH'));
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async read(key: Key): Promise<number | null> {
    const name = nameOf(key);
    const own = this.#registers.get(name);
    if (own !== undefined) return own;
    const found = await this.#watched(name, 'GET', name);
    return found === null ? null : Number(found);
  }

  async write(key: Key, value: number): Promise<void> {
    this.#registers.set(nameOf(key), value);
  }

  async compareAndSet(key: Key, expected: number | null, value: number): Promise<boolean> {
    const succeeds = (await this.read(key)) === expected;
    if (succeeds) await this.write(key, value);
    return succeeds;
  }

  async readList(key: Key): Promise<readonly number[]> {
    const name = nameOf(key);
    const found = (await this.#watched(name, 'LRANGE', name, '0', '-1')) as readonly string[];
    return [...found.map(Number), ...(this.#appended.get(name) ?? [])];
  }

  async append(key: Key, value: number): Promise<void> {
    const name = nameOf(key);
    const own = this.#appended.get(name);
    if (own) own.push(value);
    else this.#appended.set(name, [value]);
  }

  async #watched(name: string, ...command: readonly string[]): Promise<Reply> {
    const [, found] = await said('statement', () =>
      Promise.all([this.#client.ask('WATCH', name), this.#client.ask(...command)]),
    );
    return found!;
  }
}

/** Returns the replies. Translates error replies and the loss of the connection. */
async function said<T extends Reply>(phase: Phase, ask: () => Promise<T>): Promise<T> {
  let reply: T;
  try {
    reply = await ask();
  } catch (error) {
    throw Object.assign(new Error(`Redis does not answer: ${(error as Error).message}`), { outcome: 'lost' });
  }
  const replies: readonly Reply[] = Array.isArray(reply) ? reply : [reply];
  const failed = replies.findLast((one) => one instanceof ReplyError);
  if (failed) throw explained(REDIS_OUTCOMES, failed.message, phase, failed);
  return reply;
}

const nameOf = (key: Key): string => `isolab:${key}`;

export default {
  title: 'Redis',
  isolations: { watch: 'strict-serializable' },
  data: ['registers', 'lists'],
  async open({ options }: Given): Promise<Opened> {
    const { socket = '', version = '' } = options;
    const connect = (): Promise<RespClient> =>
      RespClient.to(socket).catch((error: unknown) => {
        throw Object.assign(new Error(`Redis does not answer: ${(error as Error).message}`), { outcome: 'lost' });
      });
    return {
      description: `Redis ${version}`,
      isTemporary: true,
      async prepare(_: DataKind, keep: boolean) {
        if (keep) return;
        const client = await connect(); // an older connection may have been lost in a fault
        await said('statement', () => client.ask('FLUSHALL'));
        client.close();
      },
      async connect() {
        const client = await connect();
        await said('statement', () => client.ask('PING')); // the server answers once its data are loaded
        return new RedisSession(client);
      },
      async close() {},
    };
  },
};
