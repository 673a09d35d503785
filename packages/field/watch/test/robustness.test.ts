import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, verify } from 'isolab';
import { skipUnless } from '@isolab/needs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, type WatchFolder, watchFolder } from '../src/index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isolab-robust-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** ISOLAB_EVERY_BYTE=1 tears every file at every byte. */
const EVERY_BYTE = process.env['ISOLAB_EVERY_BYTE'] !== undefined;

type Options = Partial<Parameters<typeof watchFolder>[1]>;

const begin = (folder: string, options: Options = {}): Promise<WatchFolder> =>
  watchFolder(folder, {
    ...DEFAULTS,
    name: 'a stream',
    levels: ['serializable'],
    horizon: { transactions: 4, ms: Infinity },
    ...options,
  });

const HEADER = '{"isolab":"history","version":1,"initial":0}';

/** Counters that are increased by turns; an update is lost this many transactions before the end. */
function counters(count: number, lostAt = Infinity): string[] {
  const latest = [0, 0, 0];
  const lines = Array.from({ length: count }, (_, i) => {
    const key = i % 3;
    const seen = latest[key]! - (i === lostAt ? 1 : 0);
    latest[key] = i === lostAt ? 1000 + i : seen + 1;
    return `{"session":${i % 2},"ops":[["r","k${key}",${seen}],["w","k${key}",${latest[key]}]]}`;
  });
  return [HEADER, ...lines];
}

async function feed({ watcher, save }: WatchFolder, lines: readonly string[], saveAt = -1): Promise<void> {
  for (const [i, line] of lines.entries()) {
    watcher.take(Buffer.from(`${line}\n`));
    await watcher.judge();
    if (i === saveAt) await save();
  }
}

const logOf = (folder: string): string =>
  readdirSync(join(folder, 'log'))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => readFileSync(join(folder, 'log', name), 'utf8'))
    .join('');

describe('a read of an unwritten value', () => {
  const read = '{"session":7,"ops":[["r","x",7]]}';

  test('a read of an unwritten value accuses no transaction until the stream ends', async () => {
    const watched = await begin(join(root, 'w'));
    await feed(watched, [HEADER, read, ...counters(12).slice(1)]);
    expect(watched.watcher.status()).toMatchObject({
      unwritten: 1,
      alarms: [],
      levels: { serializable: 'undecided' },
      whyUndecided: { serializable: expect.stringContaining('line 2 read "x" = 7, which no transaction has written') },
    });
    const { levels, alarms } = await watched.watcher.finish();
    expect(levels).toEqual({ serializable: 'violated' });
    expect(alarms).toMatchObject([{ anomalies: ['thin-air-read'], line: 2 }]);
  });

  test('a read of an unwritten value accuses a writer that comes later', async () => {
    const watched = await begin(join(root, 'w'));
    await feed(watched, [HEADER, read, ...counters(12).slice(1), '{"session":8,"ops":[["w","x",7]]}']);
    expect(await watched.watcher.finish()).toMatchObject({
      lateWriters: 1,
      unwritten: 0,
      believed: 0,
      alarms: [],
      levels: { serializable: 'stands' },
    });
  });

  test('a read of an unwritten value is a violation even where the log is too long to be read again', async () => {
    const watched = await begin(join(root, 'w'), { mostReopened: 5 });
    await feed(watched, [HEADER, read, ...counters(12).slice(1)]);
    const { alarms } = await watched.watcher.finish();
    expect(alarms).toMatchObject([{ anomalies: ['thin-air-read'], line: 2 }]);
    const { history, certificate } = alarms[0]!.files!;
    expect(verify(await open(history), JSON.parse(readFileSync(certificate, 'utf8')))).toMatchObject({ ok: true });
  });

  test('a read of an unwritten value is remembered by a checkpoint', async () => {
    const lines = [HEADER, read, ...counters(12).slice(1)];
    await feed(await begin(join(root, 'w')), lines, lines.length - 1);
    const { watcher } = await begin(join(root, 'w'));
    expect(watcher.status()).toMatchObject({ unwritten: 1, sessions: 3, levels: { serializable: 'undecided' } });
    expect((await watcher.finish()).levels).toEqual({ serializable: 'violated' });
  });

  test('a read of an unwritten value is remembered where nothing else is left', async () => {
    const options: Options = { horizon: { transactions: 0, ms: Infinity } };
    await feed(await begin(join(root, 'w'), options), [HEADER, read], 1);
    const { watcher } = await begin(join(root, 'w'), options);
    expect(watcher.status().kept).toBe(0);
    expect((await watcher.finish()).levels).toEqual({ serializable: 'violated' });
  });
});

test('an open transaction that read an unwritten value would be a violation if it committed', async () => {
  const watched = await begin(join(root, 'w'));
  const unknown = '{"session":7,"status":"unknown","ops":[["r","x",7]]}';
  await feed(watched, [HEADER, unknown, ...counters(12).slice(1)]);
  expect(watched.watcher.status().whyUndecided).toEqual({
    serializable: expect.stringContaining('within the horizon; if its transaction committed, it is a violation unless'),
  });
  expect(await watched.watcher.finish()).toMatchObject({ alarms: [], levels: { serializable: 'stands' } });
});

test('an open transaction that read an unwritten value is not accused, at the end either', async () => {
  const watched = await begin(join(root, 'w'), { levels: ['read-committed-pl2'], values: 'repeated' });
  await feed(watched, [
    HEADER,
    '{"session":0,"begin":6,"end":6,"ops":[["w","x",0]]}',
    '{"session":0,"begin":12,"end":12,"ops":[["w","x",0]]}',
    '{"session":0,"status":"unknown","begin":18,"end":18,"ops":[["r","x",null],["w","x",0]]}',
    '{"session":0,"begin":24,"end":24,"ops":[["r","x",0]]}',
    '{"session":0,"status":"aborted","begin":30,"end":30,"ops":[["w","x",0]]}',
    '{"session":0,"status":"aborted","begin":36,"end":36,"ops":[["r","x",0]]}',
    '{"session":1,"begin":0,"end":0,"ops":[["w","x",0]]}',
  ]);
  expect(await watched.watcher.finish()).toMatchObject({
    alarms: [],
    levels: { 'read-committed-pl2': 'stands' },
    whyUndecided: {},
  });
});

describe('an alarm that took a value for written once', () => {
  const lost = [
    HEADER,
    '{"session":1,"ops":[["r","x",0],["w","x",1]]}',
    '{"session":2,"ops":[["r","x",0],["w","x",2]]}',
  ];
  const again = '{"session":3,"ops":[["w","x",0]]}';

  test('an alarm that took a value for written once is contested by a line that writes it again', async () => {
    const { watcher, ...watched } = await begin(join(root, 'w'));
    await feed({ watcher, ...watched }, [...lost, again]);
    expect(watcher.status()).toMatchObject({
      alarms: [{ line: 3, contestedAt: 4 }],
      levels: { serializable: 'undecided' },
      whyUndecided: {
        serializable: expect.stringContaining('alarm 1 assumed that "x" = 0 was written once, but line 4'),
      },
    });
  });

  test('an alarm that assumed a unique value is not contested after the horizon, nor after a restart by an unrelated line', async () => {
    await feed(await begin(join(root, 'w')), lost, 2);
    const watched = await begin(join(root, 'w'));
    await feed(watched, [...counters(6).slice(1), again]);
    expect(await watched.watcher.finish()).toMatchObject({
      alarms: [{ line: 3, contestedAt: null }],
      levels: { serializable: 'violated' },
    });
  });
});

test.each([
  ['forward', 1e9],
  ['back', -1e9],
])('a clock that jumps %s makes no alarm early', async (_, jump) => {
  let time = 1e12;
  const options: Options = { values: 'repeated', horizon: { transactions: Infinity, ms: 5000 }, clock: () => time };
  const { watcher } = await begin(join(root, 'w'), options);
  const lines = [
    HEADER,
    '{"session":1,"ops":[["r","x",0],["w","x",1]]}',
    '{"session":2,"ops":[["r","x",0],["w","x",2]]}',
  ];
  watcher.take(Buffer.from(`${lines.join('\n')}\n`));
  await watcher.judge();
  time += jump;
  expect((await watcher.judge()).alarms).toEqual([]);
  for (let second = 0; second < 6; second++) {
    time += 1000;
    await watcher.judge();
  }
  expect(watcher.status().alarms).toHaveLength(1);
});

describe('a watch that is killed while writing', { timeout: EVERY_BYTE ? 3_600_000 : 300_000 }, () => {
  const fine = counters(16);
  const lost = counters(16, 12);

  /** Continues a folder that was left. */
  async function ending(folder: string, lines: readonly string[], notes: string[] = []) {
    const watched = await begin(folder, { onNote: (note) => notes.push(note) });
    watched.watcher.take(
      Buffer.from(
        lines
          .slice(watched.lines)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
    const status = await watched.watcher.finish();
    await watched.save();
    watched.close();
    expect(logOf(folder)).toBe(`${lines.join('\n')}\n`);
    return { ...status, lines: watched.lines };
  }

  test.each([
    ['every byte', fine, 1],
    ['many bytes, before a violation', lost, 37],
  ])('a line of the log, at %s', async (_, lines, step) => {
    const left = join(root, 'left');
    await feed(await begin(left), lines.slice(0, 12), 4);
    const segment = readdirSync(join(left, 'log'))[0]!;
    const size = statSync(join(left, 'log', segment)).size;
    const saved = Buffer.byteLength(`${lines.slice(0, 5).join('\n')}\n`);
    for (let bytes = saved; bytes <= size; bytes += EVERY_BYTE ? 1 : step) {
      const folder = join(root, `at-${bytes}`);
      cpSync(left, folder, { recursive: true });
      truncateSync(join(folder, 'log', segment), bytes);
      const { transactions, alarms } = await ending(folder, lines);
      expect([bytes, transactions, alarms.map(({ line }) => line)]).toEqual([bytes, 16, lines === lost ? [14] : []]);
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    [fine, 11],
    [lost, 97],
  ])('a checkpoint survives damage at many bytes of the next one, or of itself', async (lines, step) => {
    const left = join(root, 'left');
    await feed(await begin(left), lines.slice(0, 12), 9);
    const checkpoint = readFileSync(join(left, 'checkpoint.json'));
    for (let bytes = 0; bytes < checkpoint.length; bytes += EVERY_BYTE ? 1 : step)
      for (const name of ['checkpoint.json.new', 'checkpoint.json']) {
        const folder = join(root, `at-${bytes}`);
        cpSync(left, folder, { recursive: true });
        writeFileSync(join(folder, name), checkpoint.subarray(0, bytes));
        const notes: string[] = [];
        const { transactions, alarms } = await ending(folder, lines, notes);
        expect([bytes, transactions, alarms.map(({ line }) => line)]).toEqual([bytes, 16, lines === lost ? [14] : []]);
        expect(notes).toHaveLength(name === 'checkpoint.json' ? 1 : 0);
        rmSync(folder, { recursive: true });
      }
  });

  test('an alarm, at many bytes of its files', async () => {
    const left = join(root, 'left');
    await feed(await begin(left), lost, 9);
    const files = readdirSync(join(left, 'alarms', '1'));
    expect(files).toHaveLength(3);
    for (const name of files) {
      const content = readFileSync(join(left, 'alarms', '1', name));
      const step = EVERY_BYTE ? 1 : Math.ceil(content.length / 5);
      for (let bytes = 0; bytes < content.length; bytes += step) {
        const folder = join(root, `at-${bytes}`);
        cpSync(left, folder, { recursive: true });
        truncateSync(join(folder, 'alarms', '1', name), bytes);
        const { alarms } = await ending(folder, lost);
        expect(alarms).toHaveLength(1);
        const { history, certificate, story } = alarms[0]!.files!;
        expect(verify(await open(history), JSON.parse(readFileSync(certificate, 'utf8')))).toMatchObject({ ok: true });
        expect(readFileSync(story, 'utf8')).toMatch(/<\/html>\s*$/);
        rmSync(folder, { recursive: true });
      }
    }
  });
});

describe('a bound of the log', () => {
  const bounded: Options = { keep: { bytes: 2000, ms: Infinity }, segmentBytes: 500 };

  test('a bound of the log deletes old segments, and keeps segments that an alarm may need', async () => {
    const folder = join(root, 'w');
    const old = '{"session":5,"ops":[["w","old",1]]}';
    const before = await begin(folder, bounded);
    await feed(before, [HEADER, old, ...counters(200).slice(1)]);
    await before.watcher.judge();
    await before.save();
    expect(logOf(folder).length).toBeLessThan(3000);
    const kept = readFileSync(join(folder, 'log', 'kept.txt'), 'utf8');
    expect(kept).toContain(`1 ${HEADER}\n2 ${old}\n`);
    expect(kept.split('\n').length).toBeLessThan(10);

    const after = await begin(folder, bounded);
    expect(after.watcher.status()).toMatchObject({ transactions: 201, sessions: 3 });
    const both = [
      '{"session":6,"ops":[["r","old",1],["w","old",2]]}',
      '{"session":7,"ops":[["r","old",1],["w","old",3]]}',
    ];
    await feed(after, both);
    const { alarms } = await after.watcher.finish();
    expect(alarms).toMatchObject([{ anomalies: ['lost-update'], line: 204 }]);
    const { history, certificate } = alarms[0]!.files!;
    expect(readFileSync(history, 'utf8')).toContain('["w","old",1]');
    expect(verify(await open(history), JSON.parse(readFileSync(certificate, 'utf8')))).toMatchObject({ ok: true });
  });

  test('a bound of the log states that deleted lines cannot be read again', async () => {
    const folder = join(root, 'w');
    const watched = await begin(folder, bounded);
    await feed(watched, counters(200));
    await watched.save();
    await feed(watched, ['{"session":6,"ops":[["r","k0",3],["r","k1",2]]}', ...counters(0).slice(1)]);
    const { levels, believed } = await watched.watcher.finish();
    expect([levels, believed]).toEqual([{ serializable: 'stands' }, 2]);
    watched.close();
    writeFileSync(join(folder, 'checkpoint.json'), '{');
    await expect(begin(folder, bounded)).rejects.toThrow('is damaged, and the beginning of the log was deleted');
  });

  test('a bound of the log never deletes an unsettled line', async () => {
    const folder = join(root, 'w');
    const watched = await begin(folder, { ...bounded, horizon: { transactions: Infinity, ms: Infinity } });
    await feed(watched, counters(60));
    await watched.save();
    expect(logOf(folder)).toBe(`${counters(60).join('\n')}\n`);
  });
});

/** A file system of half a megabyte; null where it cannot be had. */
function smallDisk(path: string): ((size: string) => void) | null {
  mkdirSync(path);
  const mount = (...words: string[]): boolean => spawnSync('mount', [...words, path]).status === 0;
  if (process.platform !== 'linux' || !mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs')) return null;
  return (size) => mount('-o', `remount,size=${size}`);
}

test('a disk that is full ends the watch, which continues once there is room', async (context) => {
  const disk = join(root, 'disk');
  const resize = smallDisk(disk);
  skipUnless(context, 'small-disk', resize !== null);
  try {
    const lines = counters(1500, 1400);
    const first = await begin(join(disk, 'w'));
    await expect(feed(first, lines, 300)).rejects.toThrow(
      'no space is left on the device; free some space, and start again',
    );
    resize!('4m');
    const second = await begin(join(disk, 'w'));
    expect(second.lines).toBeGreaterThan(500);
    await feed(second, lines.slice(second.lines));
    const { alarms, transactions } = await second.watcher.finish();
    expect([transactions, alarms.map(({ line }) => line)]).toEqual([1500, [1402]]);
    second.close();
    expect(logOf(join(disk, 'w'))).toBe(`${lines.join('\n')}\n`);
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
});
