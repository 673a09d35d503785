import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine, NpmOrigin } from '../src/engine/engine.ts';
import { findEngine, get } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a package of npm', unless('posix'), () => {
  const bin = join(folder, 'bin');
  const origin: NpmOrigin = { kind: 'npm', package: 'db', version: '1.0.0', pins: { 'db@1.0.0': 'sha512-good' } };
  const engine: Engine = { ...findEngine('turso'), name: 'db', version: '1.0', origin };
  const asked = (): string => readFileSync(join(folder, 'asked'), 'utf8');

  beforeEach(() => {
    mkdirSync(bin, { recursive: true });
    vi.stubEnv('ISOLAB_CACHE', mkdtempSync(join(folder, 'cache-')));
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
    rmSync(join(folder, 'asked'), { force: true });
  });
  afterEach(() => vi.unstubAllEnvs());

  /** An npm that installs the given packages, and knows three versions. */
  function npm(packages: object): void {
    writeFileSync(join(folder, 'lock.json'), JSON.stringify({ packages }));
    const script = `#!/bin/sh
echo "$@" >>'${folder}/asked'
case $1 in
  view) echo '["0.9.0","1.0.0-beta.1","1.0.0-beta.2"]' ;;
  install) mkdir -p node_modules; cp '${folder}/lock.json' node_modules/.package-lock.json; cp package.json '${folder}/manifest' ;;
esac
`;
    writeFileSync(join(bin, 'npm'), script);
    chmodSync(join(bin, 'npm'), 0o755);
  }

  const installed = { 'node_modules/db': { version: '1.0.0', integrity: 'sha512-good' } };

  test('a package of npm is installed once, without scripts, and kept', async () => {
    npm(installed);
    expect(await get(engine)).toBe(join(process.env['ISOLAB_CACHE']!, 'engines', 'db@1.0'));
    await get(engine);
    expect(asked().match(/^install/gm)).toHaveLength(1);
    expect(asked()).toContain('--ignore-scripts');
  });

  test.each([
    ['its checksum is another one', { 'node_modules/db': { version: '1.0.0', integrity: 'sha512-bad' } }],
    ['something comes with it', { ...installed, 'node_modules/x': { version: '2.0.0', integrity: 'sha512-bad' } }],
  ])('a package of npm is refused where %s, and leaves nothing', async (_, packages) => {
    npm(packages);
    await expect(get({ ...engine, origin: { ...origin, builds: true } })).rejects.toThrow(
      /a part of db@1\.0, has the checksum sha512-bad, expected .*\. isolab does not run it\./,
    );
    expect(asked()).not.toContain('rebuild');
    expect(existsSync(join(process.env['ISOLAB_CACHE']!, 'engines', 'db@1.0'))).toBe(false);
  });

  test('a package of npm may have parts for other platforms than those that were pinned', async () => {
    npm({ ...installed, 'node_modules/db-plan9': { version: '1.0.0', integrity: 'sha512-x', os: ['plan9'] } });
    await get(engine);
    expect(asked()).toContain('install');
  });

  test('a package of npm that is not in the list has the newest build of its version, and it is said who vouches for it', async () => {
    npm({});
    const said: string[] = [];
    const other = { ...engine, origin: { ...origin, version: '1.0', pins: null } };
    await get(other, undefined, (line) => said.push(line));
    expect(JSON.parse(readFileSync(join(folder, 'manifest'), 'utf8'))).toMatchObject({
      dependencies: { db: '1.0.0-beta.2' },
    });
    expect(said[0]).toContain('db@1.0 is not in isolab’s list');
  });

  test('a package of npm that npm does not have is refused with the releases of npm', async () => {
    npm({});
    const other = { ...engine, version: '7', origin: { ...origin, version: '7', pins: null } };
    await expect(get(other)).rejects.toThrow('npm has no db 7; the newest are 0.9.0, 1.0.0-beta.1, 1.0.0-beta.2.');
  });
});
