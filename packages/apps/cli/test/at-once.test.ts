/** A small history is checked in the first process: its result is that of the two processes. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { start, workplace, write } from './support/program.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const main = join(root, 'isolab.cjs');
const { folder, place, ok, violated } = workplace('at-once');
const file = (name: string, text: string): string => write(join(folder, name), text);
const example = (name: string): string => fileURLToPath(new URL(`../../../../datasets/${name}`, import.meta.url));
const transfer = example('histories/aborted-transfer.jsonl');

/** Thirty writes at the same time, and two reads after them in the wrong order: no search ends soon. */
const hard = file(
  'hard.jsonl',
  [
    '{"isolab":"history","version":1,"initial":0,"times":"events"}',
    ...Array.from(
      { length: 30 },
      (_, i) => `{"session":${i},"begin":${i},"end":${100 + i},"ops":[["w","x",${i % 3}]]}`,
    ),
    '{"session":40,"begin":200,"end":210,"ops":[["r","x",1]]}',
    '{"session":40,"begin":220,"end":230,"ops":[["r","x",2]]}',
  ].join('\n'),
);

/** A megabyte of writes before a violation. */
const medium = file(
  'medium.txt',
  `${Array.from({ length: 60_000 }, (_, i) => `w(${i},1,0,${i})\n`).join('')}r(1,7,0,60000)\n`,
);

/** The exit code of a check at once; null where it was left to a second process. */
function atOnce(...words: readonly string[]): number | null {
  const script = `const { folder } = require('./bundle/compiled.json');
    require('./bundle/' + folder + '/start.cjs').atOnce()
    .then(({ tryAtOnce }) => tryAtOnce(${JSON.stringify(['check', ...words])}, 250))
    .then((done) => process.stdout.write(JSON.stringify(done && done.code)));`;
  return JSON.parse(spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }).stdout) as
    | number
    | null;
}

function check(nodeOptions: readonly string[], words: readonly string[]): object {
  const args = [...nodeOptions, main, 'check', ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const timeless = stdout.replaceAll(
    /in \d+ ms|(time|timestamp)="[^"]*"|"(?:wallMs|ms|parseMs|cpuMs|peakRssBytes)":[\d.]+/g,
    '',
  );
  return { status, out: timeless, err: stderr };
}

/** Names of checks, with the exit code at once (null: by a second process) and the arguments; the quick run takes a third. */
const CHECKS: readonly (readonly [name: string, code: number | null, words: readonly string[]])[] = [
  ['that is valid', 0, [ok, '--level', 'ser']],
  ['of two sessions', 1, [example('examples/isolab/two-sessions.jsonl'), '-l', 'ser']],
  ['that is violated', 1, [transfer, '-l', 'si']],
  ['that is violated, as JSON', 1, [transfer, '-l', 'si', '--output', 'json']],
  ['that is valid, as Markdown', 0, [ok, '-l', 'ser', '--output', 'markdown']],
  ['that is violated, as JUnit', 1, [violated, '-l', 'ser', '--output', 'junit']],
  ['at all levels', 0, [violated]],
  ['that is broken', 3, [file('broken.jsonl', '{"isolab":"history","version":1}\n{"session":}\n'), '-l', 'ser']],
  ['that is broken, as JSON', 3, [file('other.txt', 'w(1,1,0\n'), '-l', 'ser', '--output', 'json']],
  ['of another format than it says', 3, [ok, '-l', 'ser', '--format', 'jepsen-edn']],
  ['of no format', 3, [ok, '-l', 'ser', '--format', 'nothing']],
  ['at no level', 3, [ok, '-l', 'nothing']],
  ['printed as nothing', 3, [ok, '-l', 'ser', '--output', 'nothing']],
  ['that is empty', 3, [file('empty.txt', ''), '-l', 'ser']],
  ['without anything to judge', null, [file('vacuous.txt', 'w(1,1,0,0)\n'), '-l', 'ser']],
  ['that is missing', 3, ['missing.txt', '-l', 'ser']],
  ['that is a directory', 3, [folder, '-l', 'ser']],
];
const isSlow = process.env['ISOLAB_SLOW'] !== undefined;

describe('a small history', () => {
  test.each(CHECKS.filter((_, i) => isSlow || i % 3 === 2))('%s', (_, code, words) => {
    // A busy machine may leave one to the second process.
    const tries = code === null ? 1 : 20;
    let done: number | null = null;
    for (let i = 0; i < tries && done === null; i++) {
      if (i > 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      done = atOnce(...words);
    }
    expect(done).toBe(code);
    // An option of Node's own is reason enough for two processes.
    expect(check([], words)).toEqual(check(['--no-warnings'], words));
  });

  test('a medium history has the result of two processes', () => {
    const words = [medium, '-l', 'ser'];
    expect(check([], words)).toEqual(check(['--no-warnings'], words));
  });

  test('a small history that takes long is left to a second process', () => {
    expect(atOnce(hard, '--level', 'linearizable')).toBeNull();
  });

  test('a small history that takes long ends soon after a signal', unless('posix'), async () => {
    // On a busy machine the program may not listen yet.
    for (const waitMs of [1500, 5000, 15_000]) {
      const { child, ended } = start(['check', hard, '-l', 'linearizable'], place());
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const begin = Date.now();
      child.kill('SIGTERM');
      const end = await ended;
      if (end.code === 'SIGTERM' && waitMs < 15_000) continue;
      expect(end).toMatchObject({ code: 2, err: expect.stringContaining('ended by SIGTERM') as string });
      expect(Date.now() - begin).toBeLessThan(5000);
      return;
    }
  });

  test.each([
    ['small', violated, 400],
    ['medium', medium, 600],
  ])(
    'a %s history ends with its verdict or with 2, whenever a signal comes',
    unless('posix'),
    async (_, path, lastMs) => {
      for (let ms = 0; ms < lastMs; ms += lastMs / 5) {
        const { child, ended } = start(['check', path, '-l', 'ser'], place());
        await new Promise((resolve) => setTimeout(resolve, ms));
        child.kill('SIGINT');
        const { code, out } = await ended;
        // Before it could say so, the system ends it.
        expect([1, 2, 'SIGINT']).toContain(code);
        if (code === 1) expect(out).toContain('violated');
      }
    },
  );
});
