import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { programOnPath, skipUnless, unless } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-needs-'));
const bin = join(folder, 'bin');
const redis = join(bin, 'redis-server');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  vi.stubEnv('PATH', bin);
});
afterEach(() => vi.unstubAllEnvs());

function install(path: string): void {
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
}

describe('a test is skipped', () => {
  test('unless its program is on the PATH, with the command that installs it', () => {
    const why = 'no Redis (Debian: apt-get install redis-server)';
    expect(unless('redis')).toEqual({ skip: true, meta: { lack: { need: 'redis', why } } });
    writeFileSync(redis, '');
    expect(unless('redis')).toMatchObject({ skip: true });
    chmodSync(redis, 0o755);
    expect(unless('redis')).toEqual({});
  });

  test('unless accepts one of several programs, or a complete group', () => {
    expect(programOnPath('one|other')).toBeNull();
    install(join(bin, 'other'));
    expect(programOnPath('one|other')).toBe(join(bin, 'other'));
    install(join(bin, 'mariadbd'));
    expect(unless('mariadb')).toMatchObject({ skip: true });
    for (const name of ['mariadb-install-db', 'my_print_defaults']) install(join(bin, name));
    expect(unless('mariadb')).toEqual({});
  });

  test('a test is skipped unless a variable names the tool', () => {
    vi.stubEnv('ISOLAB_DATASETS', '');
    vi.stubEnv('ISOLAB_BROWSER', undefined);
    expect([unless('datasets'), unless('chromium')]).toMatchObject([{ skip: true }, { skip: true }]);
    vi.stubEnv('ISOLAB_DATASETS', folder);
    vi.stubEnv('ISOLAB_BROWSER', '/elsewhere');
    expect([unless('datasets'), unless('chromium')]).toEqual([{}, {}]);
  });

  test('unless found the tool by itself, for a reason of its own', () => {
    expect(unless('gpu', true, 'no adapter')).toEqual({});
    expect(unless('gpu', false, 'no adapter')).toMatchObject({ meta: { lack: { need: 'gpu', why: 'no adapter' } } });
  });

  test('a test is skipped while it runs', (context) => {
    skipUnless(context, 'registry', true);
    const notes: string[] = [];
    const said = { ...context, task: { ...context.task, meta: {} }, skip: (note: string) => notes.push(note) };
    skipUnless(said as never, 'registry', false);
    expect(notes).toEqual(['npm cannot reach a registry']);
    expect(said.task.meta).toEqual({ lack: { need: 'registry', why: 'npm cannot reach a registry' } });
  });
});

describe('the key of cached results changes', () => {
  const program = fileURLToPath(new URL('../dist/here-main.js', import.meta.url));
  const key = (...words: readonly string[]): string => {
    const { stdout, status } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });
    expect(status).toBe(0);
    return stdout;
  };

  test('with the installed tool and its release', () => {
    const without = key();
    expect(without).toContain('redis: missing\n');
    install(redis);
    const first = key();
    expect(first).toContain(`redis: ${redis} `);
    expect(key()).toBe(first);
    utimesSync(redis, 1, 1);
    expect(key()).not.toBe(first);
    rmSync(redis);
    expect(key()).toBe(without);
  });

  test.each(['ISOLAB_SLOW', 'ISOLAB_SEED', 'ISOLAB_DATASETS', 'ISOLATIONTESTER', 'VK_ICD_FILENAMES'])(
    'the key of cached results changes with the variable %s',
    (name) => {
      const before = key();
      vi.stubEnv(name, '/another');
      expect(key()).not.toBe(before);
    },
  );

  test('with fetched programs, where that is asked for', () => {
    vi.stubEnv('ISOLAB_CACHE', join(folder, 'cache'));
    const [before, fetched] = [key(), key('fetched')];
    mkdirSync(join(folder, 'cache/engines/h2@2.4.240-0123456789ab'), { recursive: true });
    mkdirSync(join(folder, 'cache/engines/.unfinished-1-x'));
    expect(key()).toBe(before);
    expect(key('fetched').slice(fetched.length)).toBe('h2@2.4.240-0123456789ab\n');
  });
});
