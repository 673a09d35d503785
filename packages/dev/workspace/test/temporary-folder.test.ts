import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const file = new URL('../temporary-folder.mjs', import.meta.url).href;

/** Runs tests that leave a folder behind. */
function runLeaving(name: string) {
  const tests = `mkdirSync(process.env.TMPDIR + '/${name}'); console.log(process.env.TMPDIR);`;
  const code = `import { mkdirSync } from 'node:fs'; const end = (await import('${file}')).default(); ${tests} end();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  return { status, folder: stdout.trim(), stderr };
}

test('temporary files of tests are removed after them', () => {
  const { status, folder, stderr } = runLeaving('isolab-rows-1');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(folder).toMatch(/isolab-tests-/);
  expect(existsSync(folder)).toBe(false);
});

test('a database that no test has ended fails the run', () => {
  const { status, folder, stderr } = runLeaving('isolab-engine-1');
  expect(status).toBe(1);
  expect(stderr).toMatchInlineSnapshot(`
    "The tests have left databases behind, whose servers may still run: isolab-engine-1
    "
  `);
  expect(existsSync(folder)).toBe(false);
});
