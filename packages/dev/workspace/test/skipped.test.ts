import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NEEDS } from '@isolab/needs';
import { expect, test } from 'vitest';
import { mayBeSkipped, reasonsIn, skippedOf, wronglySkipped } from '../src/skipped.ts';
import { workspaceFolders } from '../src/packages.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const redis = { need: 'redis', why: 'no Redis (Debian: apt-get install redis-server)\nmore' };
const datasets = { need: 'datasets', why: 'no real histories' };
const report = (status: string) => ({
  testResults: [
    {
      name: '/somewhere/packages/field/watch/test/some.test.ts',
      status,
      assertionResults: [
        { fullName: 'runs', status: 'passed', meta: {} },
        { fullName: 'asks a Redis', status: 'skipped', meta: { lack: redis } },
        { fullName: 'asks it again', status: 'skipped', meta: { lack: redis } },
        { fullName: 'reads histories', status: 'pending', meta: { lack: datasets } },
        { fullName: 'says nothing', status: 'skipped', meta: {} },
        { fullName: 'is to be written', status: 'todo' },
      ],
    },
  ],
});
const skipped = skippedOf(report('passed'), '/somewhere', 'packages/field/watch');

test('every skipped test is listed with its reason', () => {
  expect(skipped).toHaveLength(5);
  expect(skipped[0]).toEqual({
    test: 'packages/field/watch/test/some.test.ts > asks a Redis',
    folder: 'packages/field/watch',
    need: 'redis',
    why: 'no Redis (Debian: apt-get install redis-server)',
  });
  expect(reasonsIn(skipped).slice(0, 2)).toEqual([
    'skipped: 2 tests of watch: no Redis (Debian: apt-get install redis-server)',
    'skipped: 1 test of watch: no real histories',
  ]);
});

test('tests that did not run because their file failed are not skipped', () => {
  expect(skippedOf(report('failed'), '/somewhere', 'packages/field/watch')).toEqual([]);
});

test('a test that is skipped without a reason fails every run; one that is not on the list fails CI', () => {
  const names = (allowed: ReadonlyMap<string, string> | null): string[] =>
    wronglySkipped(skipped, allowed).map(({ test: name }) => name.split(' > ')[1]!);
  expect(names(null)).toEqual(['says nothing', 'is to be written']);
  expect(names(new Map([['datasets', 'they are not in the repository']]))).toEqual([
    'asks a Redis',
    'asks it again',
    'says nothing',
    'is to be written',
  ]);
});

const FORMS = [
  /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only)\b/,
  /\b(?:context|ctx)\.skip\(|\(\{[^)}]*\bskip\b[^)}]*\}\) =>/,
];

test('no test is skipped in another way, which would hide the reason', () => {
  const files = workspaceFolders(root).flatMap((folder) => {
    const tests = path.join(root, folder, 'test');
    const names = existsSync(tests) ? readdirSync(tests, { recursive: true, encoding: 'utf8' }) : [];
    return names.filter((name) => /\.m?ts$/.test(name)).map((name) => path.join(tests, name));
  });
  expect(files.length).toBeGreaterThan(300);
  const hidden = files.filter((file) => FORMS.some((form) => form.test(readFileSync(file, 'utf8'))));
  expect(hidden.map((file) => path.relative(root, file))).toEqual([]);
});

test('the list names the tools of tests, each with a reason', () => {
  const allowed = mayBeSkipped(root);
  expect([...allowed.keys()].filter((need) => !Object.hasOwn(NEEDS, need))).toEqual([]);
  for (const reason of allowed.values()) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
});
