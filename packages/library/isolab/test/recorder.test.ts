import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { type History, NO_TIME, sameHistory, toPlain } from '@isolab/history';
import { afterAll, describe, expect, test } from 'vitest';
import { Recorder, check, open, shrink, writeHistory } from '../src/index.ts';
import { historyOf } from '../src/open.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'isolab-recorder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fresh = (): string => path.join(folder, `${++files}.jsonl`);
const read = async (file: string) => historyOf(await open(file));

describe('a recorder in memory', () => {
  test('Recorder records sessions that are under way at once, with lists, outcomes and times', async () => {
    const recorder = new Recorder({ name: 'bank', initial: 0 });
    const alice = recorder.begin('alice', 10n);
    const bob = recorder.begin('bob', 11n);
    alice.read('x', 0).write('x', 1);
    bob.read('x', 0).write('x', 2);
    bob.commit(20n);
    alice.commit(15n);
    recorder.begin('carol').write('x', 3).abort();
    recorder.begin('dave').read('x', undefined).write('y', 'text');
    const history = recorder.finish();
    expect([...history.txnStatus].toSorted()).toEqual([0, 0, 1, 2]);
    expect(history.source.files).toEqual(['bank']);
    const result = await check(history, { level: 'snapshot-isolation' });
    expect(result.verdict).toBe('violated');
    expect((await check(history, { level: 'read-committed' })).verdict).toBe('satisfied');
  });

  test('Recorder records lists', async () => {
    const recorder = new Recorder();
    recorder.begin('alice').append('log', 'a').commit();
    recorder.begin('alice').append('log', 'b').commit();
    recorder.begin('bob').readList('log', ['b', 'a']).commit();
    recorder.begin('bob').readList('log', ['a', 'b']).commit();
    recorder.begin('carol').readList('log', undefined).commit();
    const result = await check(recorder.finish(), { level: 'serializable' });
    expect(result.anomalies[0]!.name).toBe('incompatible-order');
  });

  test('Recorder refuses impossible calls', () => {
    const recorder = new Recorder();
    const transaction = recorder.begin(1, 5n);
    expect(() => transaction.write('x', 0.5)).toThrow(
      'A key or value is 0.5, expected a string, a bigint or a whole number',
    );
    expect(() => transaction.commit(4n)).toThrow('out of order: end is 4, and begin is 5');
    transaction.commit(6n);
    expect(() => transaction.read('x', 1)).toThrow('This transaction is over');
    expect(() => new Recorder({ initial: 'zero' as never })).toThrow(
      'initial is "zero", expected a whole number or null',
    );
  });
});

describe('a recorder with a file', () => {
  test('a recorder with a file has the same history there', async () => {
    const file = fresh();
    const recorder = new Recorder({ initial: 0, path: file });
    const alice = recorder.begin('alice', 10n);
    const bob = recorder.begin(7, 11n);
    alice
      .read('x', 0)
      .write('x', 2n ** 70n)
      .committing();
    bob.append('l', 'é "quoted"\n').readList('l', ['a', null]).readList('l', undefined).abort(12n);
    alice.commit(20n);
    recorder.begin('alice').read('x', undefined).committing().abort();
    recorder.begin('alice').write('y', 1).committing().unknown();
    recorder.begin('carol').read('y', 1).unknown();
    recorder.begin('dave').write('z', 1);
    const history = recorder.finish();
    const there = await read(file);
    const sessionsOf = (of: History): unknown =>
      Object.fromEntries(toPlain(of).sessions.map(({ name, transactions }) => [String(name), transactions]));
    expect(sessionsOf(there)).toEqual(sessionsOf(history));
    expect(new Map(toPlain(there).initialOf)).toEqual(new Map(toPlain(history).initialOf));
    expect(there.source.notes).toEqual({});
  });

  test('a recorder with a file has the times there, and the drift of the clocks in those that are upper bounds', async () => {
    const file = fresh();
    const recorder = new Recorder({ initial: 0, path: file, drift: 5 });
    recorder.begin('a', 10n).read('x', 0).answered(12n).write('x', 1).answered(13n).committing(14n).commit(20n);
    recorder.begin('b', 11n).read('x', 1).answered(30n).committing(31n).unknown();
    recorder.begin('c').write('y', 1).answered(40n).committing(41n).abort();
    const history = recorder.finish();
    const there = await read(file);
    for (const { txnBegin, txnBegun, txnCommitting, txnEnd, source } of [history, there]) {
      const timesOf = (t: number) => [txnBegin, txnBegun, txnCommitting, txnEnd].map((column) => column![t]);
      expect([0, 1, 2].map(timesOf)).toEqual([
        [10n, 17n, 14n, 25n],
        [11n, 35n, 31n, NO_TIME],
        [NO_TIME, 45n, 41n, NO_TIME],
      ]);
      expect(source).toMatchObject({ drift: 5, timeUnit: 'nanoseconds' });
    }
    expect(sameHistory(there, history)).toBe(true);
  });

  test('a recorder with a file refuses times that are out of order, and continues', () => {
    const recorder = new Recorder();
    const transaction = recorder.begin('a', 10n);
    expect(() => transaction.answered(9n)).toThrow('out of order: begun is 9, and begin is 10');
    transaction.answered(12n);
    expect(() => transaction.committing(9n)).toThrow('out of order: committing is 9, and begin is 10');
    transaction.committing(15n);
    expect(() => transaction.commit(14n)).toThrow('out of order: end is 14, and committing is 15');
    transaction.commit(16n);
    expect(recorder.finish().txnEnd![0]).toBe(16n);
    expect(() => new Recorder({ drift: -1 })).toThrow('drift is -1, expected a whole number of nanoseconds');
  });

  test('a recorder with a file has every transaction there before it can be committed, whenever it is killed', async () => {
    const file = fresh();
    const recorder = new Recorder({ path: file });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const statuses = async (): Promise<readonly number[]> => [...(await read(file)).txnStatus];
    const [committed, aborted, unknown] = [0, 1, 2];
    expect(await statuses()).toEqual([]);
    const one = recorder.begin('a').write('x', 1);
    const other = recorder.begin('b').write('y', 1);
    expect(await statuses()).toEqual([]);
    one.committing();
    expect(await statuses()).toEqual([unknown]);
    other.committing();
    one.commit();
    expect(await statuses()).toEqual([committed, unknown]);
    other.abort();
    expect(await statuses()).toEqual([committed, aborted]);
    expect((await read(file)).source.notes).toEqual({ cutOffAfterLine: 5 });
    recorder.finish();
    expect((await read(file)).source.notes).toEqual({});
  });

  test('a recorder with a file refuses impossible calls', () => {
    const file = fresh();
    const recorder = new Recorder({ path: file });
    expect(() => new Recorder({ path: file })).toThrow(`${file} exists, but a recorder needs a new file`);
    expect(() => new Recorder({ path: path.join(folder, 'none', 'h') })).toThrow('ENOENT');
    const transaction = recorder.begin('a').write('x', 1);
    expect(() => recorder.begin('a')).toThrow('Session a has a transaction in progress; end it first');
    expect(() => transaction.commit()).toThrow('call committing() before COMMIT is sent');
    transaction.committing();
    expect(() => transaction.committing()).toThrow('is in the file already');
    expect(() => transaction.write('x', 2)).toThrow('is in the file already');
    transaction.commit();
    expect(() => transaction.unknown()).toThrow('This transaction is over');
    recorder.finish();
    expect(() => recorder.begin('b').committing()).toThrow('cannot be written: it is closed');
  });

  test('a recorder with a file leaves a right history when its process is killed', async () => {
    const file = fresh();
    const script = path.join(folder, 'endless.mjs');
    const library = new URL('../dist/index.js', import.meta.url).href;
    writeFileSync(
      script,
      `import { Recorder } from ${JSON.stringify(library)};
const recorder = new Recorder({ path: process.argv[2], initial: 0 });
for (let i = 1; ; i++) {
  recorder.begin('s' + (i % 3)).read('x', i - 1).write('x', i).committing().commit();
  if (i === 300) console.log('enough');
  if (i > 300) await new Promise((resolve) => setImmediate(resolve));
}`,
    );
    const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const opened = await open(file);
    const result = await check(opened, { level: 'serializable' });
    expect(result).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('cut off') });
    expect(result.cutOff).toMatch(/^it was cut off after line \d+/);
    const allowed = await check(opened, { level: 'serializable', allowCutOff: true });
    expect(allowed.verdict).toBe('satisfied');
    expect(historyOf(opened).txnStatus.length).toBeGreaterThanOrEqual(300);
  });
});

describe('writeHistory', () => {
  const history = () => {
    const recorder = new Recorder({ initial: 0 });
    recorder.begin('a').write('x', 1).commit();
    recorder.begin('b').read('x', 1).commit();
    return recorder.finish();
  };

  test('writeHistory writes into a file and a stream, in any format', async () => {
    const file = fresh();
    await writeHistory(history(), file);
    expect(sameHistory(await read(file), history())).toBe(true);
    const stream = new PassThrough();
    await writeHistory(history(), stream);
    await writeHistory(history(), stream, { format: 'text', allowLossy: ['key-names', 'session-names'] });
    stream.end();
    const text = Buffer.concat(await stream.toArray()).toString();
    expect(text).toBe(`${readFileSync(file, 'utf8')}w(0,1,0,0)\nr(0,1,1,1)\n`);
  });

  test('writeHistory writes nothing where something would be lost, or cannot be written', async () => {
    const file = fresh();
    await expect(writeHistory(history(), file, { format: 'text' })).rejects.toThrow(
      'Written as text, the history would lose session-names (2 are renumbered), key-names (1 are renumbered)',
    );
    expect(existsSync(file)).toBe(false);
    const lossy = { format: 'cobra-log', allowLossy: true };
    await expect(writeHistory(history(), new PassThrough(), lossy)).rejects.toThrow('cannot be written to a stream');
    const broken = new PassThrough();
    broken.on('error', () => {});
    broken.destroy();
    await expect(writeHistory(history(), broken)).rejects.toThrow('destroyed');
  });
});

test('a shrunk history is a part, and no longer cut off', async () => {
  const file = fresh();
  writeFileSync(
    file,
    `{"isolab":"history","version":1,"initial":0,"recorded":{"by":"me"}}
{"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["r","x",0]]}
`,
  );
  const opened = await open(file);
  const result = await check(opened, { level: 'causal' });
  expect(result.verdict).toBe('violated');
  const { history } = await shrink(opened, result);
  const small = fresh();
  await writeHistory(history, small);
  expect((await read(small)).source.notes).toEqual({});
});
