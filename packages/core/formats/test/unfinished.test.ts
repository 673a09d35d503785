import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { writeFileTo } from '../src/files/output.ts';
import { unfinishedName } from '../src/files/unfinished.ts';

const root = mkdtempSync(join(tmpdir(), 'isolab-unfinished-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'one-'));
});

/** The number of a process that has ended. */
const { pid: dead } = spawnSync(process.execPath, ['--version']);
/** Name of the file that a process of this machine left. */
const leftBy = (target: string, pid: number): string =>
  join(dirname(target), basename(unfinishedName(target)).replace(`-${process.pid}-`, `-${pid}-`));

describe('the remains of a killed process', () => {
  test('the remains of a killed process are removed when the same file is written again', async () => {
    const path = join(folder, 'h');
    writeFileSync(leftBy(path, dead), 'half');
    mkdirSync(leftBy(path, dead));
    // In a container, the next process has the same number again.
    writeFileSync(leftBy(path, process.pid), 'half');
    await writeFileTo(path, 'whole');
    expect(readdirSync(folder)).toEqual(['h']);
  });

  test('the remains of a killed process are removed before its parent notices the end', unless('linux'), async () => {
    const path = join(folder, 'h');
    const negligent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
    const [pid] = (await once(negligent.stdout, 'data')) as [Buffer];
    const left = leftBy(path, Number(pid));
    writeFileSync(left, 'half');
    await expect.poll(() => writeFileTo(path, 'whole').then(() => readdirSync(folder))).toEqual(['h']);
    negligent.kill();
  });

  test('the remains are kept where they may belong to another process', async () => {
    const path = join(folder, 'h');
    const others = [
      leftBy(path, process.ppid), // still runs
      leftBy(path, dead).replace('.h.', '.h.elsewhere-'), // on another machine
      leftBy(join(folder, 'h.x'), dead),
      join(folder, '.h.unfinished'),
    ];
    for (const other of others) writeFileSync(other, 'half');
    await writeFileTo(path, 'whole');
    expect(readdirSync(folder)).toEqual([...others.map((other) => basename(other)), 'h'].toSorted());
  });
});

test('an unfinished file is announced while it exists', async () => {
  const told: unknown[] = [];
  const listen = (message: unknown): number => told.push(message);
  subscribe('isolab:unfinished', listen);
  await writeFileTo(join(folder, 'h'), 'whole');
  await expect(writeFileTo(join(folder, 'none', 'h'), '')).rejects.toThrow('ENOENT');
  unsubscribe('isolab:unfinished', listen);
  const path = expect.stringContaining('.h.') as string;
  const both = [
    { path, isThere: true },
    { path, isThere: false },
  ];
  expect(told).toEqual([...both, ...both]);
});

test('a file with a name of the maximum length can be written', async () => {
  for (const name of ['x'.repeat(255), '史'.repeat(85)]) {
    await writeFileTo(join(folder, name), '');
    expect(readdirSync(folder)).toContain(name);
  }
});
