import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspaceFolders } from '../src/packages.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const slow = workspaceFolders(root)
  .map((folder) => path.join(root, folder, 'test'))
  .flatMap((folder) => filesIn(folder).map((name) => path.join(folder, name)))
  .filter((file) => file.endsWith('.slow.test.ts'));

test.each(slow.map((file) => path.relative(root, file)))('%s states why it is slow', (file) => {
  expect(readFileSync(path.join(root, file), 'utf8')).toMatch(/^\/\/ Slow: [a-z].+\.\n/);
});

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return []; // it has no tests
  }
}
