// Slow: starts every command with too little memory, time or room.
/** Every command that meets a limit: a disk that is full, or one of time, memory or steps. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, describe, expect, test } from 'vitest';
import { fifo, leftOf, start, workplace, write } from './support/program.ts';
import { client, lab, slowChecker } from './support/subjects.ts';

const { folder, place, ok, violated } = workplace('cut-by-limits');
const slow = slowChecker(folder);
lab(folder);

/** A disk of our own that is soon full; only root may have one. */
const disk = join(folder, 'disk');
function isMounted(): boolean {
  try {
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
afterAll(() => {
  if (hasDisk) execFileSync('umount', ['-l', disk]);
});
const hasDisk = process.platform === 'linux' && process.getuid?.() === 0 && isMounted();

describe('files on a full disk', unless('small-disk', hasDisk), () => {
  const long = join(folder, 'long.txt');
  writeFileSync(long, Array.from({ length: 5000 }, (_, i) => `w(${i},1,${i % 7},${i})\n`).join(''));

  const WRITING: Readonly<Record<string, readonly [code: number, ...args: readonly string[]]>> = {
    convert: [3, 'convert', long, 'out.jsonl'],
    'convert to a directory': [3, 'convert', long, 'out', '--to', 'cobra-log', '--allow-lossy'],
    generate: [3, 'generate', 'general', 'out.jsonl'],
    playground: [3, 'new', 'playground', 'out.html'],
    view: [1, 'explain', violated, 'out.html', '-l', 'ser'],
    shrink: [1, 'explain', violated, 'out.jsonl', '-l', 'ser'],
    'check --certificate': [3, 'check', ok, '-l', 'ser', '--certificate', 'out.json'],
    'check --summary': [3, 'check', ok, '-l', 'ser', '--summary', 'out.md'],
    collect: [3, 'collect', 'out.jsonl', '--db', client(folder, 0), '--sessions', '1'],
    run: [3, 'run', 'out.jsonl', '--db', client(folder, 0), '--sessions', '1'],
    report: [3, 'bench', 'report', '--root', 'lab', '--skip', 'png'],
    bench: [3, 'bench', 'all', '--root', 'lab', '--out', 'out.jsonl'],
    'datasets add': [3, 'bench', 'datasets', 'add', ok, '--name', 'a/b', '--root', 'lab'],
  };
  const JOURNALS = new Set(['collect', 'run', 'bench']);

  test.each(Object.keys(WRITING))('files on a full disk are not there after isolab %s', async (name) => {
    const [code, ...args] = WRITING[name]!;
    for (const each of readdirSync(disk)) rmSync(join(disk, each), { recursive: true });
    if (args.includes('lab')) cpSync(join(folder, 'lab'), join(disk, 'lab'), { recursive: true });
    const before = snapshot(disk);
    try {
      writeFileSync(join(disk, 'rest'), Buffer.alloc(1 << 20));
    } catch {
      // Now it is full.
    }
    const running = start(args, disk);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code });
    expect(ended.err).toMatch(/ENOSPC|no space left/);
    rmSync(join(disk, 'rest'));
    if (!JOURNALS.has(name)) expect(snapshot(disk)).toEqual(before);
    expect(leftOf(running.mark)).toEqual([]);
  });
});

function snapshot(at: string): string[] {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(at, name)).isFile()).toSorted();
}

describe.concurrent('a limit', () => {
  const judging = [
    ['check', 'PATH', '-l', 'causal'],
    ['explain', 'PATH', 'out.jsonl', '-l', 'causal'],
    ['explain', 'PATH', 'out.html', '-l', 'causal'],
  ];
  test.each(judging)('a limit of time: isolab %s', async (command, ...rest) => {
    const args = rest.map((word) => (word === 'PATH' ? ok : word));
    const at = place();
    expect((await start([command, ...args, '-c', slow, '--time', '300ms'], at).ended).code).toBe(2);
    expect(readdirSync(at)).toEqual([]);
  });

  test.each(judging)('a limit of memory: isolab %s', async (command, ...rest) => {
    const args = rest.map((word) => (word === 'PATH' ? ok : word));
    expect((await start([command, ...args, '--memory', '1MB'], place()).ended).code).toBe(2);
  });

  describe('a limit of time, while a history is read', unless('posix'), () => {
    const reading = [...judging, ['check', 'PATH', '-l', 'ser', '--checker', 'weave,']];
    test.each(reading)(
      'a history that is no longer written is cut off by a limit of time: isolab %s',
      async (command, ...rest) => {
        const at = place();
        const path = fifo(at);
        const args = rest.map((word) => (word === 'PATH' ? path : word));
        const { code, err } = await start([command, ...args, '--time', '300ms'], at).ended;
        expect({ code, err }).toEqual({
          code: 2,
          err: `isolab: unknown: ${path}: reading took longer than the limit of 0.3 s\n`,
        });
        expect(readdirSync(at)).toEqual(['fifo']);
      },
    );

    test('a limit of time, while a history is read that is long, and each output says that it is unknown', async () => {
      const at = place();
      const long = write(join(at, 'long.txt'), 'w(1,1,1,1)\n'.repeat(200_000));
      const said = async (output: string): Promise<string> => {
        const { code, out } = await start(['check', ok, long, '-l', 'ser', '--time', '1ms', '--output', output], at)
          .ended;
        expect(code).toBe(2);
        return out;
      };
      const [, last] = (await said('json')).trim().split('\n');
      expect(JSON.parse(last!)).toMatchObject({ path: long, verdict: 'unknown', reason: 'timeout' });
      expect(await said('junit')).toMatch(/<error message="unknown: [^"]*took longer[^"]*" type="unknown">/);
      expect(await said('markdown')).toContain('could not be checked: unknown: ');
    });
  });

  test('a limit of steps', async () => {
    expect((await start(['check', ok, '-l', 'ser', '--steps', '0'], place()).ended).code).toBe(2);
  });

  test('a limit of one checker among several', async () => {
    const args = ['check', ok, '-l', 'causal', '--checker', `${slow},`, '--time', '300ms'];
    expect((await start(args, place()).ended).code).toBe(2);
  });
});
