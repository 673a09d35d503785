/** The program as it is started, and the ways in which it ends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { descendantsOf } from '../src/terminal/descendants.ts';
import { until } from './support/program.ts';

const main = fileURLToPath(new URL('../isolab.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'isolab-program-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ok = file('ok.txt', 'w(1,1,0,0)\nr(1,1,1,1)\n');
const violated = file('violated.txt', 'r(1,7,0,0)\n');

const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });

/** A command line of the shell, with `isolab` in it, in a shell that reports every part of a pipe. */
const shell = (line: string): { readonly code: number | null; readonly out: string; readonly err: string } => {
  const script = `set -o pipefail; isolab() { ${process.execPath} ${main} "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder });
  return { code: status, out: stdout, err: stderr };
};

describe('a violation that was found is never lost', () => {
  test.each([
    ['because nobody reads what is printed', `isolab check ${violated} -l ser | true`],
    ['because it is found after the pipe was closed', `isolab check ${ok} ${violated} -l ser | head -1`],
    ['because another file cannot be read', `isolab check nowhere ${violated} -l ser`],
    ['because standard output is full', `isolab check ${violated} -l ser > /dev/full`],
    ['because standard error is full', `isolab check nowhere ${violated} -l ser 2> /dev/full`],
    ['because both are', `isolab check nowhere ${violated} -l ser > /dev/full 2>&1`],
  ])('%s', (_, line) => {
    expect(shell(line).code).toBe(1);
  });
});

test('an interrupted command reports the violation that it had found but not printed', () => {
  // Instead of the command's process, one that has judged and prints nothing.
  const judged = file('judged.mjs', `process.send({ kind: 'judged', code: 1 }); setInterval(() => {}, 1000);`);
  const dist = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const waiting = file(
    'waiting.mjs',
    `import { fork } from 'node:child_process';
     import { waitFor } from ${JSON.stringify(dist)};
     const command = fork(${JSON.stringify(judged)});
     command.on('message', () => setTimeout(() => process.kill(process.pid, 'SIGINT'), 100));
     waitFor(command, 'ISOLAB_TEST=1');`,
  );
  const { status, stderr } = spawnSync(process.execPath, [waiting], { encoding: 'utf8', timeout: 120_000 });
  expect(stderr).toMatch(/ended by SIGINT before it was finished; a violation had been found before\.$/m);
  expect(status).toBe(1);
});

test.each([
  ['unset', 'unset GLIBC_TUNABLES', 'undefined'],
  ['set by the user', 'export GLIBC_TUNABLES=glibc.malloc.check=0', 'glibc.malloc.check=0'],
])('plug-ins see the settings of memory as they were, %s', (_, before, seen) => {
  const plugin = file('tunables.mjs', 'throw new Error(`tunables: ${process.env.GLIBC_TUNABLES}.`);');
  const { err } = shell(`${before}; isolab check ${ok} -l ser --checker ${plugin}`);
  expect(err).toContain(`tunables: ${seen}.`);
});

test('the working process uses huge pages', unless('linux'), async () => {
  const child = start('check', '-', '--level', 'ser');
  await until(() => descendantsOf(child.pid!).length > 0);
  const [working] = descendantsOf(child.pid!);
  expect(readFileSync(`/proc/${working!.pid}/environ`, 'latin1')).toContain('GLIBC_TUNABLES=glibc.malloc.hugetlb=1');
  child.kill('SIGKILL');
});

describe('output that could not be printed is no success', () => {
  test.each([
    [2, `isolab check ${ok} -l ser | true`],
    [2, `isolab list formats | true`],
    [2, `isolab --version | true`],
    [2, `isolab --help | true`],
    [3, `isolab check ${ok} -l ser > /dev/full`],
    [3, `isolab --version > /dev/full`],
    [3, `isolab convert ${ok} - --to isolab > /dev/full`],
    [3, `isolab check ${ok} nowhere -l ser 2> /dev/full`],
    [3, `isolab stats nowhere 2> /dev/full`],
    [3, `isolab frobnicate 2> /dev/full`],
  ])('%s: %s', (code, line) => {
    expect(shell(line).code).toBe(code);
  });
});

test('an error in a history is one with any standard output', () => {
  for (const end of ['| cat', '> /dev/null', '> out.txt']) {
    const { code, err } = shell(`isolab stats ${ok} --format jepsen-edn ${end}`);
    expect({ code, err }).toEqual({ code: 3, err: `isolab: ${ok}, line 1, column 1: found 'w', expected a map\n` });
  }
});

test('the compiled program runs as it is', () => {
  const compiled = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [compiled, 'check', violated, '--level', 'ser'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stdout).toContain('violated');
});

test('a clone that was never compiled gives no verdict', () => {
  const at = mkdtempSync(join(folder, 'clone-'));
  copyFileSync(fileURLToPath(new URL('../isolab.cjs', import.meta.url)), join(at, 'isolab.cjs'));
  const { status, stderr } = spawnSync(process.execPath, [join(at, 'isolab.cjs'), 'check', violated], {
    encoding: 'utf8',
  });
  expect(status).toBe(3);
  expect(stderr).toContain('npm start');
});

describe('a plug-in', () => {
  const checker = (name: string, atLoad: string, inCheck: string): string =>
    file(
      `${name}.mjs`,
      `${atLoad}
export default {
  info: { name: '${name}', title: 'hostile', version: '1.0.0', apiVersion: 1, paper: null, levels: ['causal'],
    sound: true, complete: true, requires: [], options: {}, variants: {} },
  async check() { ${inCheck} return { status: 'satisfied' }; },
};`,
    );

  test.each([
    ['exits when it is loaded', 'process.exit(0);', '', 3],
    ['exits with the code of a violation', 'process.exit(1);', '', 3],
    ['never finishes loading', 'await new Promise(() => {});', '', 3],
    ['kills its process', 'process.kill(process.pid, "SIGKILL");', '', 3],
    [
      'throws late',
      '',
      'setTimeout(() => { throw new Error("late"); }, 1); await new Promise((r) => setTimeout(r, 300));',
      2,
    ],
    ['rejects late', '', 'Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 300));', 2],
    ['leaves a timer', '', 'setInterval(() => {}, 1000);', 0],
    [
      'leaves a process',
      'import { spawn } from "node:child_process";',
      'spawn("sleep", ["600"], { stdio: "inherit" });',
      0,
    ],
  ])('a plug-in that %s is met', (name, atLoad, inCheck, code) => {
    const plugin = checker(name.replaceAll(' ', '-'), atLoad, inCheck);
    const begin = Date.now();
    const ended = shell(`isolab check ${ok} -l causal -c ${plugin} --place thread`);
    expect(ended).toMatchObject({ code });
    expect(Date.now() - begin).toBeLessThan(10_000);
    if (code === 3) expect(ended.err).toMatch(/^isolab: /m);
  });
});

describe('a signal', () => {
  const ended = (child: ChildProcess): Promise<number | string | null> =>
    new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  /** Resolves as soon as the program has printed something. */
  const speaks = (child: ChildProcess): Promise<unknown> =>
    new Promise((resolve) => child.stdout!.once('data', resolve));

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends a program that waits for input, with 2',
    async (signal) => {
      const child = start('check', ok, '-', '-l', 'ser');
      await speaks(child);
      child.kill(signal);
      expect(await ended(child)).toBe(2);
    },
  );

  test('a signal does not lose the violation', async () => {
    const child = start('check', violated, '-', '-l', 'ser');
    await speaks(child);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(1);
  });

  const computing = ['generate', 'general', '/dev/null', '--to', 'isolab', '--transactions', '1000000'];
  /** The process that works, once it does. */
  const worksAs = async ({ pid }: ChildProcess): Promise<number> => {
    for (;;) {
      const found = descendantsOf(pid!)[0]?.pid;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      if (found !== undefined) return found;
    }
  };

  test('a signal is heard by a program that only computes', async () => {
    const child = start(...computing);
    await worksAs(child);
    const begin = Date.now();
    child.kill('SIGINT');
    expect(await ended(child)).toBe(2);
    expect(Date.now() - begin).toBeLessThan(5000);
  });

  test('a signal that kills the program ends the process that works for it, too', async () => {
    const child = start(...computing);
    const worker = await worksAs(child);
    child.kill('SIGKILL');
    expect(await ended(child)).toBe('SIGKILL');
    await expect.poll(() => isRunning(worker), { timeout: 60_000, interval: 100 }).toBe(false);
  });

  test('a signal that kills only that process is no success', async () => {
    const child = start(...computing);
    process.kill(await worksAs(child), 'SIGKILL');
    expect(await ended(child)).toBe(2);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('the tarball of the command holds nothing of the compiler', () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd, encoding: 'utf8' });
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/main.js');
  expect(paths.filter((path) => path.endsWith('.tsbuildinfo'))).toEqual([]);
});
