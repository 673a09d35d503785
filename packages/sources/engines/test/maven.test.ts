import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine, MavenOrigin } from '../src/engine/engine.ts';
import { findEngine, get } from '../src/index.ts';

const HERE = `${process.platform}-${process.arch}`;
const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a release of Maven Central', { ...unless('posix'), ...unless('xz') }, () => {
  const bin = join(folder, 'bin');
  const archive = join(folder, 'programs.txz');
  let engine: Engine & { readonly origin: MavenOrigin };

  beforeEach(() => {
    mkdirSync(bin, { recursive: true });
    vi.stubEnv('ISOLAB_CACHE', mkdtempSync(join(folder, 'cache-')));
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
    const tree = join(folder, 'tree', 'bin');
    mkdirSync(tree, { recursive: true });
    for (const name of ['initdb', 'postgres']) writeFileSync(join(tree, name), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync('tar', ['-C', join(folder, 'tree'), '-cJf', archive, 'bin']);
    const origin = {
      kind: 'maven',
      artifact: 'org.example:programs:1.0',
      archive: 'programs.txz',
      sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'),
    } as const;
    engine = { ...findEngine('postgres@12.3'), version: '1.0', origin, platforms: [HERE] };
    // Unpacks the files that Maven would have downloaded, and counts its calls.
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

  test('a release of Maven Central is fetched once, by name, and kept', async () => {
    const found = await get(engine);
    expect(existsSync(join(found, 'bin', 'postgres'))).toBe(true);
    expect(found).toBe(join(process.env['ISOLAB_CACHE']!, 'engines', 'postgres@1.0'));
    await get(engine);
    const asked = readFileSync(join(folder, 'asked'), 'utf8');
    expect(asked.match(/-Dartifact=org\.example:programs:1\.0/g)).toHaveLength(1);
  });

  test('a release of Maven Central is refused where its checksum is another one, and leaves nothing', async () => {
    const origin = { ...engine.origin, sha256: '0'.repeat(64) };
    await expect(get({ ...engine, origin })).rejects.toThrow(
      /programs\.txz of org\.example:programs:1\.0 has the checksum [0-9a-f]{64}, expected 0{64}\. isolab does not run it.*~\/\.m2\/repository\/org\/example\/programs\/1\.0/,
    );
    expect(existsSync(join(process.env['ISOLAB_CACHE']!, 'engines', 'postgres@1.0'))).toBe(false);
  });

  test('a release of Maven Central names Maven where it is missing', async () => {
    vi.stubEnv('PATH', join(folder, 'empty'));
    await expect(get(engine)).rejects.toThrow('postgres@1.0 needs mvn and tar and xz, which are not installed.');
  });

  test('a release of Maven Central reports the error of Maven', async () => {
    program('mvn', 'echo "[ERROR] Could not find artifact org.example:programs"; exit 1');
    await expect(get(engine)).rejects.toThrow(
      'postgres@1.0 cannot be fetched: mvn failed: [ERROR] Could not find artifact org.example:programs',
    );
  });

  test('a release of Maven Central is not tried on another platform', async () => {
    await expect(get({ ...engine, platforms: ['plan9-mips'] })).rejects.toThrow(
      'runs only on plan9-mips; this machine is',
    );
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });
});
