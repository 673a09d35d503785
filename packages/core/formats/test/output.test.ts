import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { unless } from '@isolab/needs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Output, writeFileTo, writeTo } from '../src/files/output.ts';

const root = mkdtempSync(join(tmpdir(), 'isolab-output-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'one-'));
});

const pieces =
  (...texts: readonly string[]) =>
  async (output: Output): Promise<void> => {
    const sink = await output.file();
    for (const text of texts) await sink.write(text);
    await sink.close();
  };

const files =
  (contents: Readonly<Record<string, string>>) =>
  async (output: Output): Promise<void> => {
    for (const [name, text] of Object.entries(contents)) {
      const sink = await output.fileIn(name);
      await sink.write(text);
      await sink.close();
    }
  };

describe('a file', () => {
  test('a file appears when it is complete, and no other file remains', async () => {
    const path = join(folder, 'h');
    const seen: string[][] = [];
    await writeTo(path, async (output) => {
      await pieces('a'.repeat(200_000), 'b')(output);
      seen.push(readdirSync(folder));
    });
    expect(seen).toEqual([[expect.stringMatching(/^\.h\..+-\d+-\d+\.unfinished$/)]]);
    expect(readdirSync(folder)).toEqual(['h']);
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(200_000)}b`);
  });

  test('a file is unchanged when writing it fails', async () => {
    const path = join(folder, 'h');
    writeFileSync(path, 'before');
    const failing = writeTo(path, async (output) => {
      await (await output.file()).write('half');
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(readdirSync(folder)).toEqual(['h']);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  test('a file is compressed if its name says so', async () => {
    const path = join(folder, 'h.gz');
    await writeTo(path, pieces('x'.repeat(1_000_000), 'y'));
    expect(gunzipSync(readFileSync(path)).toString()).toBe(`${'x'.repeat(1_000_000)}y`);
  });

  test('a file keeps its permissions, and a link to it stays a link', async () => {
    const path = join(folder, 'h');
    writeFileSync(path, 'before');
    chmodSync(path, 0o640);
    symlinkSync('h', join(folder, 'link'));
    await writeFileTo(join(folder, 'link'), 'after');
    expect(readFileSync(path, 'utf8')).toBe('after');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    symlinkSync('later', join(folder, 'dangling'));
    await writeFileTo(join(folder, 'dangling'), 'new');
    expect(readFileSync(join(folder, 'later'), 'utf8')).toBe('new');
  });

  test('a device is written in place', async () => {
    await writeFileTo('/dev/null', 'gone');
    const full = writeFileTo('/dev/full', 'x');
    await expect(full).rejects.toThrow(/^\/dev\/full cannot be written: ENOSPC/);
    await expect(full).rejects.toMatchObject({ name: 'OutputError', code: 'ENOSPC' });
    symlinkSync('/dev/full', join(folder, 'full.gz'));
    await expect(writeTo(join(folder, 'full.gz'), pieces('x'.repeat(1_000_000)))).rejects.toThrow(/ENOSPC/);
  });

  test('a file in an absent folder is refused with that reason', async () => {
    await expect(writeFileTo(join(folder, 'none', 'h'), '')).rejects.toThrow(/none\/h cannot be written: ENOENT/);
  });
});

describe('a directory', () => {
  test('a directory appears when it is complete', async () => {
    const path = join(folder, 'd');
    await writeTo(path, files({ 'T1.log': 'one', 'T2.log': 'two' }));
    expect(readdirSync(folder)).toEqual(['d']);
    expect(readdirSync(path)).toEqual(['T1.log', 'T2.log']);
  });

  test('an empty directory is filled, and another directory is replaced', async () => {
    const path = join(folder, 'd');
    mkdirSync(path);
    await writeTo(path, files({ 'T1.log': 'one', 'T2.log': 'two' }));
    await writeTo(path, files({ 'T3.log': 'three' }));
    expect(readdirSync(folder)).toEqual(['d']);
    expect(readdirSync(path)).toEqual(['T3.log']);
  });

  test('a directory is unchanged when writing it fails', async () => {
    const path = join(folder, 'd');
    await writeTo(path, files({ 'T1.log': 'one' }));
    const failing = writeTo(path, async (output) => {
      await files({ 'T1.log': 'other' })(output);
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(readdirSync(folder)).toEqual(['d']);
    expect(readFileSync(join(path, 'T1.log'), 'utf8')).toBe('one');
  });
});

describe('a process that ends while it writes', () => {
  const run = (script: string): void => {
    const output = JSON.stringify(new URL('../dist/files/output.js', import.meta.url).href);
    const text = `const { writeTo } = await import(${output}); ${script}`;
    spawnSync(process.execPath, ['--input-type=module', '-e', text], { cwd: folder });
  };

  test('a process that ends while it writes leaves no files', () => {
    run(`await writeTo('h', async (o) => { await (await o.file()).write('half'); process.exit(0); });`);
    run(`await writeTo('d', async (o) => { await (await o.fileIn('T1.log')).write('half'); process.exit(0); });`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A disk of our own that is soon full; only root may have one. */
const disk = join(root, 'disk');
function mounted(): boolean {
  try {
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const hasDisk = process.platform === 'linux' && process.getuid?.() === 0 && mounted();

describe('a full disk', unless('small-disk', hasDisk), () => {
  afterAll(() => execFileSync('umount', [disk]));

  test.each(['h', 'h.gz'])('a full disk leaves only the earlier file: %s', async (name) => {
    const path = join(disk, name);
    writeFileSync(path, 'before');
    // Random enough not to be compressed.
    const noise = Array.from({ length: 100_000 }, (_, i) => ((i * 2_654_435_761) ^ (i << 7)).toString(36)).join('');
    await expect(writeFileTo(path, noise)).rejects.toMatchObject({ name: 'OutputError', code: 'ENOSPC' });
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(disk)).toEqual([name]);
    rmSync(path);
    await expect(writeTo(path, files({ 'T1.log': 'one', 'T2.log': noise }))).rejects.toThrow(/ENOSPC/);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(disk)).toEqual([]);
  });
});

test('standard output accepts more than a slow reader takes, without a warning', () => {
  const script = fileURLToPath(new URL('../dist/files/output.js', import.meta.url));
  const text = `const { writeTo } = await import(${JSON.stringify(script)});
    await writeTo('-', async (o) => { const s = await o.file(); for (let i = 0; i < 100; i++) await s.write('x'.repeat(100000)); await s.close(); });`;
  const line = `"$NODE" --input-type=module -e "$TEXT" | (sleep 0.3; wc -c)`;
  const env = { ...process.env, NODE: process.execPath, TEXT: text };
  const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', env });
  expect({ bytes: Number(stdout), stderr }).toEqual({ bytes: 10_000_000, stderr: '' });
});
