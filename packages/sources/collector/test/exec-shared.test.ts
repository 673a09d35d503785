/** Outcome of a collection where one program serves all sessions, and misbehaves. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { CollectorError, collect, driverFor, isolationNamed } from '../src/index.ts';
import { readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-exec-shared-'));
const example = fileURLToPath(new URL('../examples/memory-client.mjs', import.meta.url));
let files = 0;

async function run(address: string, name = 'general', transactions = 5): Promise<string> {
  const driver = await driverFor(address);
  const database = await driver.open(address, { connectMs: 3000 });
  const workload = findWorkload(name)!;
  const parameters = resolveParameters(workload, name === 'general' ? { keys: '5', operations: '3' } : {});
  const path = join(folder, `${files++}.jsonl`);
  const isolation = isolationNamed(driver, 'snapshot');
  try {
    const limits = { connectMs: 3000, stallMs: 3000 };
    await collect({ database, isolation, workload, parameters, sessions: 3, transactions, seed: 1, path, ...limits });
  } finally {
    await database.close();
  }
  return path;
}

/** The example, which deviates once a request of a session fulfils `when`. */
function program(when: string, instead: string): string {
  const path = join(folder, `${files++}.mjs`);
  const code = `
    import { spawn } from 'node:child_process';
    import { createInterface } from 'node:readline';
    const child = spawn(process.execPath, [${JSON.stringify(example)}], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (line) => console.log(line));
    let asked = 0;
    for await (const line of createInterface({ input: process.stdin })) {
      const request = JSON.parse(line);
      const { id, session } = request;
      if (session > 0 && request.kind) asked++;
      if (${when}) { ${instead} } else child.stdin.write(line + '\\n');
    }
    child.stdin.end();`;
  writeFileSync(path, code);
  return `exec:node ${path}`;
}

const say = (text: string): string => `console.log(${text});`;

test('a program with SQL gets statements within transactions, and others in a transaction of their own', async () => {
  const hello = `{"database":"x 1","sessions":"shared","sql":true}`;
  const rows = `JSON.stringify({ id, value: request.sql.startsWith('SELECT') ? [{ c1: '7' }] : [] })`;
  const answer = `console.log(request.hello ? '${hello}' : ${rows});`;
  const address = program(`request.hello || request.kind === 'sql'`, answer);
  const database = await (await driverFor(address)).open(address, { connectMs: 3000 });
  try {
    const { sql } = await database.connect({ name: 'snapshot' });
    expect(await sql!.send('SELECT 1')).toEqual([{ c1: '7' }]);
    for (const statement of [sql!.begin, 'DELETE FROM t', 'COMMIT']) expect(await sql!.send(statement)).toEqual([]);
    await expect(sql!.send('COMMIT')).rejects.toThrow('the session was closed'); // no transaction is open
  } finally {
    await database.close();
  }
});

describe('one program for all sessions', () => {
  test.each(['general', 'list-append'])('the example serves %s, in one process', async (workload) => {
    const history = await readBack(await run(`exec:node ${example}`, workload));
    expect(history.source.database).toBe('memory 1.0');
    expect(history.txnStatus.filter((status) => status === 0).length).toBe(15);
    const index = buildReadFrom(history);
    expect(findInternalAnomalies(history, index).count).toBe(0);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
  });

  test.each([
    ['garbage', program('asked === 9', say(`'hello'`)), 'The program answered hello: expected one JSON object'],
    ['no number', program('asked === 9', say(`'{"value":null}'`)), 'without a request number; expected {"id":3,…}.'],
    [
      'the number of no request',
      program('asked === 9', say(`'{"id":7777,"value":null}'`)),
      'but no request 7777 is waiting for an answer',
    ],
    [
      'an answer twice',
      program('request.kind === "read"', say('`{"id":${id},"value":null}`').repeat(2)),
      'is waiting for an answer',
    ],
    [
      'an answer twice, the second after the next request',
      program(
        'globalThis.last && console.log(globalThis.last), request.kind === "read"',
        say('globalThis.last = `{"id":${id},"value":null}`'),
      ),
      'is waiting for an answer',
    ],
    ['a number that is text', program('asked === 9', say(`'{"id":"1","value":null}'`)), 'id must be a number'],
    ['silence', program('asked >= 9', ''), 'The database answered no session for 3 seconds: the program was asked {"'],
    ['an error', program('asked === 9', say('`{"id":${id},"error":"no such key"}`')), 'no such key'],
    [
      'sessions of another kind',
      program('request.hello', say(`'{"database":"x","sessions":"many"}'`)),
      'sessions must be "shared"',
    ],
  ])('%s ends the collection, and is said', async (_, address, message) => {
    const failure = await run(address).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CollectorError);
    expect((failure as Error).message).toMatch(message);
  });

  test('an exit loses all sessions; another process is started, which must have the data', async () => {
    const failure = await run(program('asked === 30', 'process.exit(3);')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CollectorError);
    expect((failure as Error).message).toContain('cannot be used: the tables were replaced during the collection');
  });

  test('a session that is given up is closed, and later answers to it are passed over', async () => {
    const address = program('request.kind === "read"', `setTimeout(() => child.stdin.write(line + '\\n'), 300);`);
    const driver = await driverFor(address);
    const database = await driver.open(address, { connectMs: 3000 });
    try {
      await database.prepare('registers', false);
      const isolation = isolationNamed(driver, 'snapshot');
      const [one, other] = [await database.connect(isolation), await database.connect(isolation)];
      await one.begin();
      const asking = one.ask({ kind: 'read', key: 1 });
      await other.begin();
      expect(await other.ask({ kind: 'write', key: 1, value: 4 })).toBeUndefined();
      expect(one.underWay!()).toContain('"kind":"read","key":1}');
      one.abandon();
      await expect(asking).rejects.toThrow('isolab has stopped waiting for the program');
      await expect(one.ask({ kind: 'read', key: 1 })).rejects.toThrow('isolab has closed the session');
      await other.commit();
      await other.begin();
      expect(await other.ask({ kind: 'read', key: 1 })).toBe(4);
    } finally {
      await database.close();
    }
  });
});
