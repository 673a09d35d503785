import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { skipUnless } from '@isolab/needs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClaimOptions, DEFAULTS, claim, keepInFolder, watchFolder } from '../src/index.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isolab-claim-'));
  folder = join(root, 'w');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const LINES = '{"isolab":"history","version":1,"initial":0}\n{"session":1,"ops":[["r","x",0],["w","x",1]]}\n';
const LOST = '{"session":2,"ops":[["r","x",0],["w","x",2]]}\n';

const options = (way: ClaimOptions['way'], source = 'tcp://127.0.0.1:1'): ClaimOptions => ({ folder, source, way });

/** Watches some lines of a source, and leaves. */
async function left(source?: string): Promise<void> {
  const own = claim(options('begin', source));
  const watched = await watchFolder(folder, { ...DEFAULTS, name: 'a stream', levels: ['serializable'] });
  watched.watcher.take(Buffer.from(LINES + LOST));
  await watched.watcher.judge();
  await watched.save();
  watched.close();
  own.release();
}

describe('a folder', () => {
  test('a free folder can be claimed, and keeps no later claimant out', () => {
    const own = claim(options('begin'));
    expect(own).toMatchObject({ folder, hasLines: false });
    own.release();
    expect(claim(options('begin', 'standard input')).hasLines).toBe(false);
  });

  test('with lines is continued by those who say so, and watch the same source', async () => {
    await left();
    expect(() => claim(options('begin'))).toThrow(
      `${folder} holds the lines of tcp://127.0.0.1:1; --resume continues this stream, another --out begins a new one`,
    );
    for (const way of ['resume', 'compare'] as const)
      expect(() => claim(options(way, 'standard input'))).toThrow(
        `${folder} holds the lines of tcp://127.0.0.1:1, found standard input; watch the earlier source, or use another folder.`,
      );
    expect(claim(options('resume')).hasLines).toBe(true);
  });

  test('a folder of an earlier version, which noted no source, is continued as well', async () => {
    await left();
    rmSync(join(folder, 'source.json'));
    expect(() => claim(options('begin'))).toThrow('holds the lines of another stream; --resume continues this stream');
    expect(claim(options('resume')).hasLines).toBe(true);
  });

  test('a folder that is cleared has a lock, and nothing else', async () => {
    await left();
    const own = claim(options('resume'));
    own.clear();
    expect(readdirSync(folder).toSorted()).toEqual(['lock', 'source.json']);
    own.release();
    expect(claim(options('begin')).hasLines).toBe(false);
  });
});

describe('the lock of a folder', () => {
  const hold = `
    import { claim } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
    const { FOLDER: folder } = process.env;
    claim({ folder, source: 'standard input', way: 'begin' });
    setInterval(() => {}, 1e6);`;

  test('the lock of a folder refuses another watcher that lives', () => {
    const own = claim(options('begin'));
    expect(() => claim(options('begin'))).toThrow(
      `Another isolab watch (process ${process.pid}) is writing ${folder}.`,
    );
    own.release();
    claim(options('begin')).release();
  });

  test('the lock of a folder of a process that was killed is taken over, also where this one has its number', async () => {
    const env = { ...process.env, FOLDER: folder };
    const holder = spawn(process.execPath, ['--input-type=module', '-e', hold], { env, stdio: 'inherit' });
    while (!existsSync(join(folder, 'lock'))) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(() => claim(options('begin'))).toThrow(`Another isolab watch (process ${holder.pid}) is writing`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const own = claim(options('begin'));
    const holding = JSON.parse(readFileSync(join(folder, 'lock'), 'utf8')) as object;
    own.release();
    writeFileSync(join(folder, 'lock'), JSON.stringify({ ...holding, started: 'earlier' }));
    claim(options('begin')).release();
  });
});

describe('without a named folder', () => {
  const free = (way: ClaimOptions['way'], source = 'standard input') =>
    claim({ folder: null, base: join(root, 'w'), source, way });
  const watched = (way: ClaimOptions['way'], source?: string): string => {
    const own = free(way, source);
    mkdirSync(join(own.folder, 'log'), { recursive: true });
    writeFileSync(join(own.folder, 'log', '000000000001.jsonl'), LINES);
    own.release();
    return own.folder.slice(root.length + 1);
  };

  test('each stream has one of its own, and the latest of a source is continued', () => {
    expect(watched('resume')).toBe('w');
    expect(watched('begin')).toBe('w-2');
    expect(watched('begin', 'tcp://127.0.0.1:1')).toBe('w-3');
    expect(watched('resume')).toBe('w-2');
    expect(watched('compare', 'redis://127.0.0.1:1/a')).toBe('w-4');
    expect(watched('compare', 'redis://127.0.0.1:1/a')).toBe('w-4');
    expect(watched('compare', 'redis://127.0.0.1:1/b')).toBe('w-5');
  });

  test('one where another watcher has just begun is left to it, and one that is to be gone on with is waited for', () => {
    const own = free('begin');
    expect(watched('begin')).toBe('w-2');
    expect(watched('resume')).toBe('w-2');
    const second = free('resume');
    expect(() => free('resume')).toThrow(`is writing ${join(root, 'w-2')}.`);
    second.release();
    own.release();
  });
});

test('a claimed folder is its owner’s alone', async () => {
  await left();
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const open = all.filter((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o77) !== 0);
  expect(open.map(({ name }) => name)).toEqual([]);
  expect(all.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['source.json', 'checkpoint.json', '000000000001.jsonl', 'story.html', 'history.jsonl']),
  );
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be made is said with the reason of the system', async (context) => {
  mkdirSync(join(root, 'disk'));
  const mount = (...words: string[]): boolean => spawnSync('mount', [...words, join(root, 'disk')]).status === 0;
  const isMounted = process.platform === 'linux' && mount('-t', 'tmpfs', '-o', 'ro', 'tmpfs');
  skipUnless(context, 'small-disk', isMounted);
  try {
    folder = join(root, 'disk', 'w');
    expect(() => claim(options('begin'))).toThrow(/w cannot be written: EROFS: read-only file system, mkdir '/);
  } finally {
    spawnSync('umount', ['-l', join(root, 'disk')]);
  }
});

test('streams whose names differ by case alone are distinguished, or refused', async () => {
  const keep = keepInFolder(folder, { ...DEFAULTS, levels: ['serializable'] });
  const status = join(folder, 'streams', 'eu', 'status.json');
  const opened = await keep.open('eu', () => {}, false);
  opened.close();
  writeFileSync(status, readFileSync(status, 'utf8').replace('"name":"eu"', '"name":"EU"'));
  await expect(keep.open('eu', () => {}, false)).rejects.toThrow('is the folder of EU; rename one of the two streams.');
});
