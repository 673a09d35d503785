import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PREBUILT } from '../src/index.ts';

test('a page that was made before, beside the compiled code, is taken as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-playground-'));
  copyFileSync(fileURLToPath(new URL('../dist/index.js', import.meta.url)), join(folder, 'index.mjs'));
  writeFileSync(join(folder, PREBUILT), 'made before');
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { playgroundPage } from './index.mjs'; process.stdout.write(await playgroundPage());`,
  );
  expect(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' })).toBe('made before');
  rmSync(folder, { recursive: true });
});
