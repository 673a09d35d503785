/**
 * etcd with multi-request transactions like those of its client (clientv3/concurrency, STM): all reads use the revision
 * of the first read, writes wait for commit, and commit is one etcd transaction that compares the revisions of all keys
 * read.
 */
import { Agent, request } from 'node:http';
import { ETCD_OUTCOMES } from '../outcomes/index.ts';
import type { Phase } from '../outcomes/outcomes.ts';
import { type DataKind, type Given, type Key, type Opened, type Row, RowSession } from './shape.ts';
import { explained } from './sql-session.ts';

/** The part of etcd's answers that this driver uses; the gateway returns 64-bit integers as text. */
interface Answer {
  readonly header?: { readonly revision: string };
  readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
  readonly succeeded?: boolean;
  readonly error?: string;
}

/** Content of a key, as JSON: a number, a list, or a deleted row. */
type Content = number | readonly number[] | { readonly dead: number };

/** Gateway of one node, reached through its Unix socket. */
class Gateway {
  readonly #socket: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(socket: string) {
    this.#socket = socket;
  }

  async ask(path: string, body: object, phase: Phase): Promise<Answer> {
    let answer: Answer;
    try {
      answer = JSON.parse(await this.#post(path, JSON.stringify(body))) as Answer;
    } catch (error) {
      // The request may or may not have arrived.
      throw Object.assign(new Error(`etcd does not answer: ${(error as Error).message}`), { outcome: 'lost' });
    }
    if (answer.error !== undefined) throw explained(ETCD_OUTCOMES, answer.error, phase, answer.error);
    return answer;
  }

  #post(path: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const asking = request(
        { socketPath: this.#socket, path, method: 'POST', agent: this.#agent, headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve(text)).on('error', reject);
        },
      );
      asking.setTimeout(SILENT_MS, () => asking.destroy(new Error(`no message for ${SILENT_MS / 1000} s`)));
      asking.on('error', reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const SILENT_MS = 10_000;

class EtcdSession extends RowSession {
  readonly #gateway: Gateway;
  /** Revision of the first read; null before the first read. */
  #revision: string | null = null;
  /** Keys and ranges read so far, ranges with their ends. */
  #read = new Map<string, { readonly key: string; readonly range_end?: string }>();
  #written = new Map<string, Content>();

  constructor(gateway: Gateway) {
    super();
    this.#gateway = gateway;
  }

  async begin(): Promise<void> {
    this.#revision = null;
    this.#read = new Map();
    this.#written = new Map();
  }

  async commit(): Promise<void> {
    // A read-only transaction needs no commit: all its reads have the same revision.
    if (this.#written.size === 0) return;
    const before = this.#revision === null ? '' : String(BigInt(this.#revision) + 1n);
    const compare = [...this.#read.values()].map((what) => ({
      ...what,
      target: 'MOD',
      result: 'LESS',
      mod_revision: before,
    }));
    const success = [...this.#written].map(([key, content]) => ({
      requestPut: { key, value: encoded(JSON.stringify(content)) },
    }));
    const { succeeded = false } = await this.#gateway.ask('/v3/kv/txn', { compare, success }, 'commit');
    if (!succeeded)
      throw Object.assign(new Error('a key that the transaction read has changed'), { outcome: 'aborted' });
  }

  rollback(): Promise<void> {
    return this.begin();
  }

  async close(): Promise<void> {
    this.#gateway.close();
  }

  async read(key: Key): Promise<number | null> {
    return valueOf(await this.#content(key)) as number | null;
  }

  async write(key: Key, value: number): Promise<void> {
    this.#written.set(nameOf(key), value);
  }

  async readList(key: Key): Promise<readonly number[]> {
    return ((await this.#content(key)) as readonly number[] | null) ?? [];
  }

  async append(key: Key, value: number): Promise<void> {
    this.#written.set(nameOf(key), [...(await this.readList(key)), value]);
  }

  protected async row(key: number): Promise<Row | null> {
    return rowOf(key, await this.#content(key));
  }

  protected async writeRow(key: number, value: number, dead: boolean): Promise<void> {
    this.#written.set(nameOf(key), dead ? { dead: value } : value);
  }

  async range(low: number, high: number): Promise<readonly Row[]> {
    const found = await this.#ask({ key: nameOf(low), range_end: nameOf(high + 1) });
    for (const [name, content] of this.#written)
      if (numberOf(name) >= low && numberOf(name) <= high) found.set(name, content);
    return [...found].map(([name, content]) => rowOf(numberOf(name), content)!);
  }

  async #content(key: Key): Promise<Content | null> {
    const name = nameOf(key);
    return this.#written.get(name) ?? (await this.#ask({ key: name })).get(name) ?? null;
  }

  async #ask(what: { readonly key: string; readonly range_end?: string }): Promise<Map<string, Content>> {
    this.#read.set(`${what.key} ${what.range_end ?? ''}`, what);
    const at = this.#revision === null ? {} : { revision: this.#revision };
    const { kvs = [], header } = await this.#gateway.ask('/v3/kv/range', { ...what, ...at }, 'statement');
    this.#revision ??= header!.revision;
    return new Map(kvs.map(({ key, value = '' }) => [key, JSON.parse(decoded(value)) as Content]));
  }
}

const valueOf = (content: Content | null): Content | null =>
  content !== null && typeof content === 'object' && 'dead' in content ? content.dead : content;

const rowOf = (key: number, content: Content | null): Row | null =>
  content === null ? null : { key, value: Number(valueOf(content)), dead: typeof content === 'object' };

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

const PREFIX = 'isolab/';
/** First text after all keys with this prefix. */
const AFTER = 'isolab0';
/** Offset that makes every number non-negative, so that texts of `DIGITS` digits sort like the numbers. */
const OFFSET = 10n ** 16n;
const DIGITS = 17;

const nameOf = (key: Key): string =>
  encoded(PREFIX + (typeof key === 'number' ? String(BigInt(key) + OFFSET).padStart(DIGITS, '0') : `'${key}`));
const numberOf = (name: string): number => Number(BigInt(decoded(name).slice(PREFIX.length)) - OFFSET);

export default {
  title: 'etcd, three nodes',
  isolations: { serializable: 'strict-serializable' },
  data: ['registers', 'lists', 'rows'],
  async open({ options }: Given): Promise<Opened> {
    const { socket = '', version = '' } = options;
    const admin = new Gateway(socket);
    return {
      description: `etcd ${version}`,
      isTemporary: true,
      async prepare(_: DataKind, keep: boolean) {
        if (keep) return;
        await admin.ask('/v3/kv/deleterange', { key: encoded(PREFIX), range_end: encoded(AFTER) }, 'statement');
      },
      async connect() {
        const gateway = new Gateway(socket);
        await gateway.ask('/v3/kv/range', { key: encoded(PREFIX) }, 'statement');
        return new EtcdSession(gateway);
      },
      async close() {
        admin.close();
      },
    };
  },
};
