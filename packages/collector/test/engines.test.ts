import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Engine,
  type MavenOrigin,
  ENGINES,
  isEngineAddress,
  nameOf,
  parseEngineAddress,
} from '../src/engines/known.ts';
import { mavenPrograms } from '../src/engines/maven.ts';
import { driverFor } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the releases that isolab knows', () => {
  test('have a name each, and a checksum where they come from elsewhere', () => {
    expect(new Set(ENGINES.map(nameOf)).size).toBe(ENGINES.length);
    for (const { from, version } of ENGINES) {
      if (from.kind === 'npm') continue;
      expect(from.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(from.artifact).toContain(`:${version}.`);
    }
  });

  test('are told by their addresses from servers of other people', () => {
    const own = ['embedded', 'embedded:', 'embedded?deadlock_timeout=1s', 'postgres@12.3', 'postgres@12.3?fsync=on'];
    expect(own.filter((address) => !isEngineAddress(address))).toEqual([]);
    const others = ['postgres://me@host/db', 'postgres://me:secret@host', 'exec:a@b', 'sqlite:a@b', 'mysql://a@b?c=d'];
    expect(others.filter(isEngineAddress)).toEqual([]);
  });

  test('take settings of the server that are numbers and switches', () => {
    expect(parseEngineAddress('postgres@12.3?deadlock_timeout=1s&fsync=on')).toMatchObject({
      engine: { version: '12.3' },
      settings: { deadlock_timeout: '1s', fsync: 'on' },
    });
  });

  test.each([
    ['postgres@13.1', 'isolab cannot start postgres@13.1, only postgres@18.4, postgres@12.3'],
    ['embedded?listen_addresses=0', 'The setting listen_addresses of the server cannot be changed'],
    ['embedded?port=1', 'The setting port of the server cannot be changed'],
    ['embedded?archive_command=rm', 'The setting archive_command is rm, expected a number'],
  ])('%s is refused', async (address, message) => {
    const driver = await driverFor(address);
    await expect(driver.open(address, { connectMs: 1000 })).rejects.toThrow(message);
  });
});

test(
  'the server of the npm package is the release that its name says, with the settings of its address',
  { timeout: 60_000 },
  async () => {
    const address = 'postgres@18.4?deadlock_timeout=1234ms';
    const driver = await driverFor(address);
    const database = await driver.open(address, { connectMs: 10_000 });
    try {
      expect(database.description).toBe('PostgreSQL 18.4');
    } finally {
      await database.close();
    }
  },
);

describe.skipIf(process.platform === 'win32')('a release of Maven Central', () => {
  const bin = join(folder, 'bin');
  const archive = join(folder, 'programs.txz');
  let engine: Engine & { readonly from: MavenOrigin };

  beforeEach(() => {
    mkdirSync(bin, { recursive: true });
    vi.stubEnv('ISOLAB_CACHE', mkdtempSync(join(folder, 'cache-')));
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
    const tree = join(folder, 'tree', 'bin');
    mkdirSync(tree, { recursive: true });
    for (const name of ['initdb', 'postgres']) writeFileSync(join(tree, name), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync('tar', ['-C', join(folder, 'tree'), '-cJf', archive, 'bin']);
    const from = {
      kind: 'maven',
      artifact: 'org.example:programs:1.0',
      platform: `${process.platform}-${process.arch}`,
      archive: 'programs.txz',
      sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'),
    } as const;
    engine = { database: 'postgres', version: '1.0', from };
    // Unpacks what Maven would have downloaded, and counts how often it is asked.
    program(
      'mvn',
      `for o; do case $o in -DoutputDirectory=*) mkdir -p "\${o#*=}"; cp '${archive}' "\${o#*=}";; esac; done
echo "$@" >> '${folder}/asked'`,
    );
    rmSync(join(folder, 'asked'), { force: true });
  });
  afterEach(() => vi.unstubAllEnvs());

  function program(name: string, script: string): void {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }

  test('is fetched once, by name, and kept', async () => {
    const found = await mavenPrograms(engine, engine.from);
    expect(existsSync(found.postgres)).toBe(true);
    expect(found.folder).toBe(join(process.env['ISOLAB_CACHE']!, 'engines', 'postgres@1.0'));
    await mavenPrograms(engine, engine.from);
    const asked = readFileSync(join(folder, 'asked'), 'utf8');
    expect(asked.match(/-Dartifact=org\.example:programs:1\.0/g)).toHaveLength(1);
  });

  test('is refused where its checksum is another one, and leaves nothing', async () => {
    const other = { ...engine.from, sha256: '0'.repeat(64) };
    await expect(mavenPrograms({ ...engine, from: other }, other)).rejects.toThrow(
      /programs\.txz of org\.example:programs:1\.0 has the checksum [0-9a-f]{64}, expected 0{64}\. It is not run.*~\/\.m2\/repository\/org\/example\/programs\/1\.0/,
    );
    expect(existsSync(join(process.env['ISOLAB_CACHE']!, 'engines', 'postgres@1.0'))).toBe(false);
  });

  test('names Maven where it is missing', async () => {
    vi.stubEnv('PATH', join(folder, 'empty'));
    await expect(mavenPrograms(engine, engine.from)).rejects.toThrow(
      'postgres@1.0 is fetched from Maven Central with mvn and unpacked with tar and xz; there is no mvn on the PATH. Install it',
    );
  });

  test('says what Maven says when it fails', async () => {
    program('mvn', 'echo "[ERROR] Could not find artifact org.example:programs"; exit 1');
    await expect(mavenPrograms(engine, engine.from)).rejects.toThrow(
      'postgres@1.0 cannot be fetched: mvn failed: [ERROR] Could not find artifact org.example:programs',
    );
  });

  test('is not tried on another platform', async () => {
    const other = { ...engine.from, platform: 'plan9-mips' };
    await expect(mavenPrograms({ ...engine, from: other }, other)).rejects.toThrow('for plan9-mips only, and this is');
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });
});
