/** Where the system has no room for another file, process or thread, a command fails: it never says that a level is violated. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { write } from './support/program.ts';

const main = fileURLToPath(new URL('../isolab.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'isolab-starts-'));
const file = (name: string, text: string): string => write(join(folder, name), text);

const lines = Array.from({ length: 100 }, (_, i) => `{"session":${i % 2},"ops":[["r","x",${i}],["w","x",${i + 1}]]}`);
const ok = file('ok.jsonl', ['{"isolab":"history","version":1,"initial":0}', ...lines].join('\n'));
/** Several histories are never checked in the first process. */
const check = [main, 'check', ok, ok, '-l', 'ser'];

const under = (files: number, words: readonly string[]) =>
  spawnSync('bash', ['-c', `ulimit -n ${files} && exec "$0" "$@"`, process.execPath, ...words], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 300_000,
  });

describe('too few files', unless('posix'), () => {
  test('isolab check ends with 3, or as it should', () => {
    // Ends with 3 wherever Node itself can open a program: under fewer files it fails before any code of ours.
    const control = file('control.cjs', 'process.exitCode = 3;');
    const codes = new Set<number | null>();
    for (let files = 16; files <= 24; files++) {
      if (under(files, [control]).status !== 3) continue;
      const { status, stderr } = under(files, check);
      expect(stderr).not.toMatch(/Unhandled/);
      codes.add(status);
    }
    expect(codes).toContain(3);
    expect(under(500, check).status).toBe(0);
    codes.delete(0); // the last of them may be enough
    expect([...codes]).toEqual([3]);
  });

  test.each([
    ['a process', ['check', ok, '-l', 'ser', '--place', 'process']],
    ['a thread', ['check', ok, '-l', 'ser', '--place', 'worker']],
    ['a program of one’s own', ['collect', 'c.jsonl', '--force', '--db', 'exec:true', '--transactions', '1']],
    ['a server', ['collect', 's.jsonl', '--force', '--db', 'embedded', '--transactions', '1']],
    ['an application', ['record', 'r.jsonl', '--force', '--', 'true']],
  ])('%s', (_, words) => {
    const { status, stderr } = under(25, [main, ...words]);
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/^isolab: [^\n]*(?:EMFILE|too many files)[^\n]*\n$/) as string,
    });
  });
});

describe('a process that could not be started', () => {
  const failing = `
    const children = require('node:child_process');
    const { EventEmitter } = require('node:events');
    const { CODE: code, WHEN: when } = process.env;
    const error = Object.assign(new Error('spawn node ' + code), { code, syscall: 'spawn node' });
    children.fork = () => {
      if (when === 'at once') throw error;
      const child = Object.assign(new EventEmitter(), { kill() {}, connected: false, exitCode: null, signalCode: null });
      const delay = { soon: process.nextTick, later: setImmediate, late: (act) => setTimeout(act, 500) }[when];
      delay(() => child.emit('error', error));
      return child;
    };`;
  const fake = file('failing.cjs', failing);

  test.each([
    ['EMFILE', 'soon'],
    ['EAGAIN', 'soon'],
    ['ENOENT', 'later'],
    ['EACCES', 'late'],
    ['ENOMEM', 'at once'],
  ])('%s, %s: the command ends with 3', (code, when) => {
    const env = { ...process.env, NODE_OPTIONS: `--require ${fake}`, CODE: code, WHEN: when };
    const { status, stderr } = spawnSync(process.execPath, check, { env, encoding: 'utf8', timeout: 300_000 });
    expect({ status, stderr }).toEqual({ status: 3, stderr: `isolab: spawn node ${code}\n` });
  });
});
