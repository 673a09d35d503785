/** The recorder for Node on connections that play rare behaviour of databases. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { check, open } from 'isolab';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';

let isFull = false;
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const writeSync = (...args: Parameters<typeof fs.writeSync>): number => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    return real.writeSync(...args);
  };
  return { ...real, writeSync };
});

/** Exports of the file for JavaScript. */
interface RecorderModule {
  readonly Recorder: new (path: string, options?: object) => Recorder;
}

interface Recorder {
  begin(connection: object): Transaction;
  transaction<Result>(connection: object, work: (tx: Transaction) => Result): Promise<Awaited<Result>>;
  close(): void;
}

interface Transaction {
  read(key: unknown, value: unknown): void;
  write(key: unknown, value: unknown): void;
  committing(): void;
  committed(): void;
  aborted(): void;
}

const { Recorder } = (await import('../../recorders/node/isolab-recorder.mjs' as string)) as RecorderModule;
const folder = fs.mkdtempSync(join(tmpdir(), 'isolab-recorder-node-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

let path: string;
let files = 0;
beforeEach(() => {
  isFull = false;
  path = join(folder, `${++files}.jsonl`);
});

/** A connection that gives planned answers, and notes its requests. */
class Played {
  readonly asked: string[] = [];
  readonly #answers: Readonly<Record<string, unknown>>;

  constructor(answers: Readonly<Record<string, unknown>> = {}) {
    this.#answers = answers;
  }

  async query(statement: string): Promise<unknown> {
    this.asked.push(statement);
    const answer = this.#answers[statement];
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

const lines = (): Record<string, unknown>[] =>
  fs
    .readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const failure = (fields: object): Error => Object.assign(new Error('it failed'), fields);

describe('the outcome of COMMIT', () => {
  test.each([
    ['is answered', { command: 'COMMIT' }, 'committed', null],
    ['is answered by mysql2', [{}, undefined], 'committed', null],
    ['is answered with ROLLBACK', { command: 'ROLLBACK' }, 'aborted', null],
    ['is refused by PostgreSQL', failure({ code: '40001' }), 'aborted', 'it failed'],
    ['is refused by MySQL', failure({ code: 'ER_LOCK_DEADLOCK', sqlState: '40001' }), 'aborted', 'it failed'],
    ['may have been done', failure({ code: '40003' }), undefined, 'it failed'],
    ['is cut off', failure({ code: 'ECONNRESET' }), undefined, 'it failed'],
    ['is never answered', failure({}), undefined, 'it failed'],
  ])('the outcome of COMMIT where it %s', async (_, answer, outcome, error) => {
    const recorder = new Recorder(path);
    const done = recorder.transaction(new Played({ COMMIT: answer }), (tx) => tx.write('x', 1));
    const said = await done.then(
      () => null,
      ({ message }: Error) => message,
    );
    expect(said).toBe(error);
    expect(lines().map((line) => [line['status'], line['outcome']])).toEqual([
      ['unknown', undefined],
      ...(outcome === undefined ? [] : [[undefined, outcome]]),
    ]);
    recorder.close();
    await open(path);
  });

  test('the outcome of COMMIT is none where the work fails, which is rolled back', async () => {
    const recorder = new Recorder(path);
    const connection = new Played();
    const failing = recorder.transaction(connection, async (tx) => {
      tx.write('x', 1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(connection.asked).toEqual(['BEGIN', 'ROLLBACK']);
    expect(lines()).toMatchObject([{ status: 'aborted', ops: [['w', 'x', 1]] }]);
  });
});

describe('the first answer', () => {
  test.each([
    ['a read', (tx: Transaction) => tx.read('x', 0), true],
    ['a write and a read', (tx: Transaction) => (tx.write('x', 1), tx.read('x', 1)), false],
    ['nothing', () => {}, false],
  ])('the first answer where it has done %s', async (_, work, isKnown) => {
    const recorder = new Recorder(path);
    await recorder.transaction(new Played(), work);
    expect(lines()[0]!['begun'] !== undefined).toBe(isKnown);
    recorder.close();
    await open(path);
  });
});

describe('a full disk', () => {
  test('before COMMIT rolls the transaction back', async () => {
    const recorder = new Recorder(path);
    const connection = new Played();
    const failing = recorder.transaction(connection, (tx) => {
      tx.write('x', 1);
      isFull = true;
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(connection.asked).toEqual(['BEGIN', 'ROLLBACK']);
    isFull = false;
    expect(() => recorder.begin(connection)).toThrow('cannot be written: no space left');
  });

  test('a full disk after COMMIT is not the application’s problem', async () => {
    const recorder = new Recorder(path);
    const tx = recorder.begin({});
    tx.write('x', 1);
    tx.committing();
    isFull = true;
    tx.committed();
    isFull = false;
    expect(() => recorder.close()).toThrow('cannot be written: no space left');
    expect(await check(await open(path), { level: 'causal' })).toMatchObject({ verdict: 'unknown' });
    expect(lines()).toMatchObject([{ status: 'unknown' }]);
  });
});

test('a connection is a session, however a pool wraps it, and a pool is none', () => {
  const recorder = new Recorder(path);
  const [one, other] = [{}, {}];
  for (const connection of [one, { connection: one }, other, { connection: one }]) recorder.begin(connection).aborted();
  const [first, again, second, last] = lines().map(({ session }) => session);
  expect([again, last]).toEqual([first, first]);
  expect(second).not.toBe(first);
  for (const pool of [{ idleCount: 0 }, { getConnection: () => {} }])
    expect(() => recorder.begin(pool)).toThrow('pass a connection of the pool');
});

test('each process has a file of its own, which ends when all transactions have', () => {
  const recorder = new Recorder(join(folder, 'of-{pid}.jsonl'));
  expect(fs.existsSync(join(folder, `of-${process.pid}.jsonl`))).toBe(true);
  expect(() => new Recorder(join(folder, `of-${process.pid}.jsonl`))).toThrow('a recorder needs a new file');
  const tx = recorder.begin({});
  expect(() => recorder.close()).toThrow('1 transactions are in progress');
  expect(() => tx.committed()).toThrow('this transaction is in progress, not committing');
  tx.aborted();
  recorder.close();
  expect(() => recorder.begin({})).toThrow('cannot be written: it is closed');
});
