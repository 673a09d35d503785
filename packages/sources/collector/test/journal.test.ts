import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { Journal } from '../src/collection/journal.ts';
import { lockPathOf } from '../src/collection/lock.ts';
import { processIdOf } from '@isolab/engines';
import { readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-journal-'));
let files = 0;
const newPath = (): string => join(folder, `${files++}.jsonl`);
const COLLECTED = { run: 7, isolation: 'serial', data: 'registers' } as const;
const attempt = (session: string, value: number) => ({
  session,
  begin: BigInt(value),
  begun: null,
  committing: null,
  operations: [`["w","x",${value}]`],
});

function begun(path = newPath()): { readonly path: string; readonly journal: Journal } {
  const journal = Journal.reserve(path);
  journal.begin('fake', COLLECTED);
  return { path, journal };
}

const statuses = ({ txnStatus }: History): string =>
  Array.from(txnStatus, (status) => ({ 0: 'c', 1: 'a', 2: 'u' })[status]).join('');

describe('the file of a journal', () => {
  test('the file is right after every call, without the journal being closed', async () => {
    expect([TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Unknown]).toEqual([0, 1, 2]);
    const { path, journal } = begun();
    const seen: string[] = [];
    const look = async (): Promise<void> => void seen.push(statuses(await readBack(path)));
    journal.add(attempt('0', 1), 'unknown', null);
    await look();
    journal.settle('0', 'committed', 5n);
    await look();
    journal.add(attempt('1', 2), 'aborted', 6n);
    journal.add(attempt('1', 3), 'unknown', null);
    await look();
    journal.settle('1', 'aborted', 9n);
    journal.end();
    await look();
    journal.close();
    expect(seen).toEqual(['u', 'c', 'cau', 'caa']);
  });

  test('the file has the times that are known', async () => {
    const { path, journal } = begun();
    journal.add({ ...attempt('0', 1), begun: 3n, committing: 4n }, 'unknown', null);
    journal.settle('0', 'committed', 5n);
    journal.add({ ...attempt('1', 6), committing: 7n }, 'unknown', null);
    journal.add({ ...attempt('2', 8), begun: 9n }, 'aborted', 10n);
    journal.end();
    journal.close();
    const { txnBegin, txnBegun, txnCommitting, txnEnd } = await readBack(path);
    const times = [0, 1, 2].map((t) => [txnBegin, txnBegun, txnCommitting, txnEnd].map((column) => column![t]));
    expect(times).toEqual([
      [1n, 3n, 4n, 5n],
      [6n, NO_TIME, 7n, NO_TIME],
      [8n, 9n, NO_TIME, 10n],
    ]);
  });

  test.each([1, 20, 60, 100])('the file is right when the last %i bytes are cut off', async (bytes) => {
    const { path, journal } = begun();
    for (let value = 1; value <= 5; value++) {
      journal.add(attempt('0', value), 'unknown', null);
      journal.settle('0', 'committed', BigInt(value));
    }
    journal.close();
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, whole.length - bytes));
    expect(statuses(await readBack(path))).toMatch(/^c+u?$/);
    const again = Journal.reserve(path);
    again.earlier();
    again.continue();
    again.add(attempt('1.0', 6), 'unknown', null);
    again.settle('1.0', 'committed', 9n);
    again.end();
    again.close();
    expect(statuses(await readBack(path))).toMatch(/^c+u?c$/);
  });

  test('the file of a journal shows a later run how far it came', () => {
    const { path, journal } = begun();
    journal.add(attempt('load', 1), 'unknown', null);
    journal.settle('load', 'committed', 2n);
    const read = (): ReturnType<Journal['earlier']> => {
      const later = Journal.reserve(path);
      try {
        return later.earlier();
      } finally {
        later.close();
      }
    };
    journal.close();
    expect(read()).toMatchObject({ collected: COLLECTED, committed: 0, lastTime: 2n, continued: 1, isLoaded: false });
    const second = Journal.reserve(path);
    second.earlier();
    second.continue();
    second.add(attempt('1.0', 5), 'unknown', null);
    second.settle('1.0', 'committed', 8n);
    second.add(attempt('1.0', 9), 'unknown', null);
    second.add(attempt('1.1', 11), 'aborted', 12n);
    second.add(attempt('1.1', 13), 'committed', 14n);
    second.end();
    second.close();
    expect(read()).toMatchObject({ committed: 2, lastTime: 14n, continued: 2, isLoaded: true });
    // The clock continues after all times, those of an unknown outcome too.
    const third = Journal.reserve(path);
    third.earlier();
    third.continue();
    third.add({ ...attempt('2.0', 15), begun: 16n }, 'aborted', null);
    third.close();
    expect(read()).toMatchObject({ lastTime: 16n });
    const fourth = Journal.reserve(path);
    fourth.earlier();
    fourth.continue();
    fourth.add({ ...attempt('3.0', 17), begun: 18n, committing: 19n }, 'unknown', null);
    fourth.close();
    expect(read()).toMatchObject({ lastTime: 19n });
  });

  test('a foreign file is left alone', () => {
    const path = newPath();
    for (const text of ['dear diary\n', '', '{"isolab":"history","version":1}\n']) {
      writeFileSync(path, text);
      const journal = Journal.reserve(path);
      expect(() => journal.earlier()).toThrow('was not written by this version of isolab collect');
      journal.close();
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  test('a file with a broken line in the middle is not continued', () => {
    const { path, journal } = begun();
    journal.close();
    appendFileSync(path, '{"session":"0","be{"session":"1"}\n{"session":"0"}\n');
    const again = Journal.reserve(path);
    expect(() => again.earlier()).toThrow(/line 2: found .*, expected a line written by isolab collect/);
    again.close();
  });

  test('the file may be longer than the pieces that it is read in', () => {
    const { path, journal } = begun();
    const long = { ...attempt('0', 1), operations: [`["w","${'x'.repeat(3 << 20)}",1]`] };
    journal.add(long, 'unknown', null);
    journal.settle('0', 'committed', 5n);
    journal.close();
    const again = Journal.reserve(path);
    expect(again.earlier()).toMatchObject({ committed: 1, lastTime: 5n });
    again.continue();
    again.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(5);
  });

  test('a file that was replaced while it was written is reported as lost', () => {
    const { path, journal } = begun();
    renameSync(path, `${path}.moved`);
    expect(() => journal.close()).toThrow('was removed or replaced while isolab was writing it');
    expect(existsSync(lockPathOf(path))).toBe(false);
  });

  test('the file needs a file', () => {
    expect(() => Journal.reserve(folder)).toThrow('is not a regular file');
    expect(() => Journal.reserve('/dev/null')).toThrow('is not a regular file');
  });
});

describe('a full disk', () => {
  /** A disk of its own, in a name space of its own, in which a script runs. */
  const onSmallDisk = (script: string): ReturnType<typeof spawnSync> =>
    spawnSync(
      'unshare',
      [
        '--mount',
        'sh',
        '-c',
        `mount -t tmpfs -o size=64k none ${folder} && exec "$0" --input-type=module -e "$1"`,
        process.execPath,
        script,
      ],
      { encoding: 'utf8' },
    );
  const hasDisk = process.platform === 'linux' && process.getuid?.() === 0 && onSmallDisk('').status === 0;

  test(
    'a full disk leaves whole lines, and the history continues when there is room',
    unless('small-disk', hasDisk),
    () => {
      const { status, stdout, stderr } = onSmallDisk(`
      import { Journal } from ${JSON.stringify(new URL('../dist/collection/journal.js', import.meta.url).href)};
      import { readFileSync, writeFileSync, rmSync } from 'node:fs';
      const path = ${JSON.stringify(join(folder, 'full.jsonl'))}, ballast = path + '.ballast';
      const attempt = (value) => ({ session: '0', begin: 1n, begun: null, committing: null, operations: ['["w","x",' + value + ']'] });
      const journal = Journal.reserve(path);
      journal.begin('fake', ${JSON.stringify(COLLECTED)});
      writeFileSync(ballast, Buffer.alloc(20000));
      let value = 0, message = '';
      try { for (;;) { journal.add(attempt(++value), 'unknown', null); journal.settle('0', 'committed', 5n); } } catch (error) { message = error.message; }
      let again = '';
      try { journal.add(attempt(0), 'aborted', 3n); } catch (error) { again = error.message; }
      journal.close();
      const text = readFileSync(path, 'utf8');
      rmSync(ballast);
      const later = Journal.reserve(path);
      const { committed } = later.earlier();
      later.continue();
      later.close();
      console.log(JSON.stringify({ message, same: again === message, whole: text.endsWith('\\n'), value, committed }));
    `);
      expect([status, stderr]).toEqual([0, '']);
      const told = JSON.parse(String(stdout)) as Record<string, number>;
      expect(told['message']).toMatch(
        /full\.jsonl cannot be written: no space left on the device\. .*continue with --resume/,
      );
      expect(told).toMatchObject({ same: true, whole: true });
      expect(told['committed']! - told['value']!).toBeGreaterThanOrEqual(-1);
    },
  );
});

describe('one file', () => {
  const held = (path: string, holder: object | string): void =>
    writeFileSync(lockPathOf(path), typeof holder === 'string' ? holder : JSON.stringify(holder));
  const me = { ...processIdOf(process.pid), host: hostname(), boot: null };

  test('one file has one writer, under any name', () => {
    const { path, journal } = begun();
    const before = statSync(path).mtimeMs;
    expect(() => Journal.reserve(path)).toThrow(`Another isolab collect (process ${process.pid}) is writing`);
    expect(() => Journal.reserve(join(folder, '.', '..', folder.split('/').at(-1)!, path.split('/').at(-1)!))).toThrow(
      'Another isolab collect',
    );
    expect(statSync(path).mtimeMs).toBe(before);
    journal.close();
    Journal.reserve(path).close();
  });

  test.each([
    ['of a process that is no more', { ...me, pid: 4_194_300 }],
    ['of another process with the same number', { ...me, started: '1' }],
  ])('one file is taken over from a lock %s', (_, holder) => {
    const path = newPath();
    held(path, holder);
    Journal.reserve(path).close();
    expect(existsSync(lockPathOf(path))).toBe(false);
  });

  test.each([
    ['names another machine', { ...me, host: 'elsewhere', pid: 4_194_300 }, 'on elsewhere may be writing'],
    ['cannot be read', 'garbage', 'may be writing'],
    ['names no process', { ...me, pid: -1 }, 'may be writing'],
  ])('one file is not taken where the lock %s', (_, holder, message) => {
    const path = newPath();
    held(path, holder);
    expect(() => Journal.reserve(path)).toThrow(message);
    expect(() => Journal.reserve(path)).toThrow(`remove ${lockPathOf(path)}`);
  });

  test('one file is not continued when the machine went down while it was written', unless('linux'), () => {
    const { path, journal } = begun();
    journal.close();
    held(path, { ...me, boot: 'an earlier one' });
    const later = Journal.reserve(path);
    expect(() => later.earlier()).toThrow('The machine went down');
    later.close();
  });
});
