import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-targets-'));
const TEXT = 'w(1,1,0,0)\nr(1,1,1,1)\n';
const VIOLATED = 'r(1,7,0,0)\n';
let numFiles = 0;
const history = (text: string = TEXT): string => {
  const path = join(folder, `h${++numFiles}.txt`);
  writeFileSync(path, text);
  return path;
};

/** The commands that read a history and write something else. */
const WRITING: readonly (readonly [name: string, args: (from: string, to: string) => string[]])[] = [
  ['convert', (from, to) => ['convert', from, to, '--to', 'isolab']],
  ['shrink', (from, to) => ['explain', from, to, '-l', 'ser']],
  ['view', (from, to) => ['explain', from, to, '-l', 'ser']],
  ['check --certificate', (from, to) => ['check', from, '-l', 'ser', '--certificate', to]],
  ['check --summary', (from, to) => ['check', from, '-l', 'ser', '--summary', to]],
];

describe.each(WRITING)('isolab %s', (name, args) => {
  test('isolab never overwrites its input, under any name', async () => {
    const from = history(VIOLATED);
    const [link, hard] = [`${from}.link`, `${from}.hard`];
    symlinkSync(from, link);
    linkSync(from, hard);
    const force = name === 'check --summary' ? [] : ['--force'];
    for (const to of [from, link, hard, join(folder, '.', '..', from.slice(tmpdir().length))]) {
      const { code, err } = await isolab(...args(from, to), ...force);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('is an input and would be overwritten') });
    }
    expect(readFileSync(from, 'utf8')).toBe(VIOLATED);
  });

  test('isolab %s reports a missing folder before it judges anything', async () => {
    const { code, out, err } = await isolab(...args(history(VIOLATED), join(folder, 'none', 'x')));
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('there is no folder');
  });
});

describe('a file that is there', () => {
  const other = (): string => {
    const path = join(folder, `other${++numFiles}.txt`);
    writeFileSync(path, 'w(9,9,9,9)\n');
    return path;
  };
  const producing = [
    ...WRITING.filter(([name]) => name !== 'check --summary'),
    ['generate', (_: string, to: string) => ['generate', 'general', to, '--to', 'isolab', '--transactions', '1']],
    ['playground', (_: string, to: string) => ['new', 'playground', to]],
  ] as const;

  test.each(producing)('a file that is there is replaced only with --force: %s', async (_, args) => {
    const [from, to] = [history(VIOLATED), other()];
    const refused = await isolab(...args(from, to));
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('exists already; --force replaces it') });
    expect(readFileSync(to, 'utf8')).toBe('w(9,9,9,9)\n');
    expect((await isolab(...args(from, to), '--force')).code).toBeLessThan(2);
    expect(readFileSync(to, 'utf8')).not.toBe('w(9,9,9,9)\n');
  });

  test('a file that is there is replaced if it is a page by a page, a certificate by a certificate, or empty', async () => {
    const [page, certificate, empty] = ['p.html', 'c.json', 'e.jsonl'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(empty, '');
    for (const from of [history(VIOLATED), history(VIOLATED)]) {
      expect(await isolab('explain', from, page, '-l', 'ser')).toMatchObject({ code: 1 });
      expect(readFileSync(page, 'utf8')).toContain(from);
      expect(await isolab('check', from, '-l', 'ser', '--certificate', certificate)).toMatchObject({ code: 1 });
    }
    expect(await isolab('convert', history(), empty)).toMatchObject({ code: 0 });
    expect(await isolab('explain', history(VIOLATED), certificate, '-l', 'ser')).toMatchObject({ code: 3 });
    expect(await isolab('check', history(), '-l', 'ser', '--certificate', page)).toMatchObject({ code: 3 });
  });
});

describe('a directory of a history', () => {
  const convert = (from: string, to: string, ...more: readonly string[]) =>
    isolab('convert', from, to, '--to', 'cobra-log', '--allow-lossy', ...more);

  test('a directory of a history is replaced whole, with --force', async () => {
    const path = join(folder, 'logs');
    expect(await convert(history('w(1,1,0,0)\nr(1,1,1,1)\nw(2,2,2,2)\n'), path)).toMatchObject({ code: 0 });
    const [more] = readdirSync(path).slice(-1);
    expect(await convert(history(), path)).toMatchObject({ code: 3, err: expect.stringContaining('is not empty') });
    expect(await convert(history(), path, '--force')).toMatchObject({ code: 0 });
    expect(readdirSync(path)).not.toContain(more);
    expect(await isolab('stats', path)).toMatchObject({ code: 0 });
  });

  test('a directory of a history that holds something else, or is the input, is left alone', async () => {
    const path = join(folder, 'mixed');
    mkdirSync(path);
    const from = history();
    copyFileSync(from, join(path, 'h.txt'));
    expect(await convert(from, path, '--force')).toMatchObject({
      code: 3,
      err: expect.stringContaining('contains h.txt, which is not a T<n>.log'),
    });
    expect(await convert(join(path, 'h.txt'), path, '--force')).toMatchObject({
      code: 3,
      err: expect.stringContaining('contains an input'),
    });
    expect(existsSync(join(path, 'h.txt'))).toBe(true);
    const logs = join(folder, 'read');
    await convert(from, logs);
    const [log] = readdirSync(logs) as [string];
    expect(await isolab('convert', logs, join(logs, log), '--to', 'isolab', '--force')).toMatchObject({ code: 3 });
    expect(await convert(logs, logs, '--force')).toMatchObject({ code: 3 });
  });
});
