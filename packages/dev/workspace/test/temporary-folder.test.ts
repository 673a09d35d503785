import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const file = new URL('../temporary-folder.mjs', import.meta.url).href;

/** Larger than the number of any process. */
const NO_PROCESS = 2 ** 30;

/** Runs tests that leave a folder behind, with the number of a process in a file. */
function runLeaving(name: string, pid: number | 'own') {
  const written = pid === 'own' ? 'process.pid' : pid;
  const tests = `const place = process.env.TMPDIR + '/${name}/data'; mkdirSync(place, { recursive: true });
    writeFileSync(place + '/postmaster.pid', ${written} + '\\n/data\\n'); console.log(process.env.TMPDIR);`;
  const code = `import { mkdirSync, writeFileSync } from 'node:fs'; const end = (await import('${file}')).default(); ${tests} end();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  return { status, folder: stdout.trim(), stderr };
}

test.each([
  ['isolab-rows-1', 'own'],
  ['isolab-engine-1', NO_PROCESS],
] as const)('temporary files of tests, such as %s, are removed after them', (name, pid) => {
  const { status, folder, stderr } = runLeaving(name, pid);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(folder).toMatch(/isolab-tests-/);
  expect(existsSync(folder)).toBe(false);
});

test('a server that no test has ended fails the run', () => {
  const { status, folder, stderr } = runLeaving('isolab-engine-1', 'own');
  expect(status).toBe(1);
  expect(stderr).toMatchInlineSnapshot(`
    "The tests have not ended the servers of these databases: isolab-engine-1
    "
  `);
  expect(existsSync(folder)).toBe(false);
});
