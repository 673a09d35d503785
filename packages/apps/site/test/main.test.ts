import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

test.each([[['--help']], [['a', 'b']]])('the site has one folder, so %j is refused', (words) => {
  const cwd = mkdtempSync(join(tmpdir(), 'isolab-site-'));
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('expected at most one folder') });
  expect(existsSync(join(cwd, words[0]!))).toBe(false);
});
