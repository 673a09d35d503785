import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

function start(...words: readonly string[]) {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: () => text, ended: once(child, 'close').then(([code]) => code as number) };
}

test('attempts are divided over processes, and none is lost', async () => {
  const { said, ended } = start('rows', '1100', '--jobs', '2');
  expect(await ended).toBe(0);
  expect(said()).toMatch(/^ {2}all +1100 survived$/m);
});

test('an interrupted run prints the counts of its finished parts, and ends with 2', async () => {
  const { child, said, ended } = start('rows', '1000000');
  while (!said().includes('attempts')) await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await ended).toBe(2);
  expect(said()).toMatch(/^ {2}all +0 survived$/m);
  expect(said()).toContain('interrupted');
});

test.each([['nothing'], ['rows', '0'], ['rows', '10', '--jobs', '0'], ['rows', '10', '--seed', 'x']])(
  'the call %s %s %s is refused',
  async (...words) => {
    const { said, ended } = start(...words);
    expect(await ended).toBe(3);
    expect(said()).toContain('npm run torture');
  },
);
