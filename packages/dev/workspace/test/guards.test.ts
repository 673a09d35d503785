import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeViolation } from '../src/violation.ts';
import { checkGuards, unlockedIn } from '../src/guards.ts';
import { openWritesOf } from '../src/open-writes.ts';
import { unheardStartsOf } from '../src/unheard-starts.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

test('this workspace keeps them', () => {
  expect(checkGuards(root).map((each) => describeViolation(each))).toEqual([]);
});

test('a package that npm would install unseen is found', () => {
  const packages = {
    '': { name: 'root' },
    'packages/own': { version: '1.0.0' },
    'node_modules/own': { resolved: 'packages/own', link: true },
    'node_modules/good': { version: '1.0.0', integrity: 'sha512-x' },
    'node_modules/bad': { version: '1.0.0', optional: true },
    'node_modules/good/node_modules/worse': { version: '2.0.0' },
  };
  expect(unlockedIn(JSON.stringify({ packages }, null, 2)).map(({ line, found }) => [line, found])).toEqual([
    [17, 'node_modules/bad has no integrity'],
    [21, 'node_modules/good/node_modules/worse has no integrity'],
  ]);
});

describe('a process or thread whose failure to start is unheard', () => {
  const processes = `import { fork, spawn as run } from 'node:child_process';`;
  const threads = `import { Worker } from 'node:worker_threads';`;
  test.each([
    ['a process', `${processes} const child = run('x');`],
    ['a process by fork', `${processes} export const child = fork('x').on('exit', f);`],
    ['a thread', `${threads} this.thread = new Worker(url).unref();`],
    ['another one beside it', `${threads} started(new Worker(url), f); new Worker(url);`],
  ])('%s is found', (_, text) => {
    expect(unheardStartsOf('x.ts', text)).toHaveLength(1);
  });

  test.each([
    ['it is handed on', `${processes} started(run('x'), f).unref();`],
    ['its variable is', `${threads} const thread = new Worker(url); started(thread, f);`],
    ['it is a thread of a page', `const thread = new Worker(url);`],
    ['it is something else of that name', `const child = random.fork('label'); spawn('x');`],
  ])('none where %s', (_, text) => {
    expect(unheardStartsOf('x.ts', text)).toEqual([]);
  });
});

describe('a file that others may read', () => {
  const whole = `import { appendFileSync as append, createWriteStream, openSync, writeFileSync } from 'node:fs';`;
  const promised = `import { open, writeFile } from 'node:fs/promises';`;
  test.each([
    ['written whole', `${whole} writeFileSync(path, text);`],
    ['written whole, later', `${promised} await writeFile(path, text, { flag: 'wx' });`],
    ['added to', `${whole} append(path, text, 'utf8');`],
    ['written piece by piece', `${whole} const out = createWriteStream(path);`],
    ['opened', `${whole} openSync(path, 'wx');`],
    ['opened with flags that are not known', `${promised} await open(path, flags);`],
  ])('a file that others may read is found: %s', (_, text) => {
    expect(openWritesOf('x.ts', text)).toHaveLength(1);
  });

  test.each([
    ['with a mode', `${whole} writeFileSync(path, text, { mode: PRIVATE }); openSync(path, 'a', 0o600);`],
    ['that is there', `${whole} openSync(path, 'r'); openSync(path, 'r+');`],
    ['of another module', `import { writeFile } from './mine.ts'; writeFile(path, text);`],
  ])('a file that others may read is not found: one %s', (_, text) => {
    expect(openWritesOf('x.ts', text)).toEqual([]);
  });
});
