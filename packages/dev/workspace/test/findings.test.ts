import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../../..');

test('findings name no folder of the machine that found them', () => {
  const listed = execFileSync('git', ['ls-files', 'reports/field'], { cwd: root, encoding: 'utf8' });
  const texts = listed.split('\n').filter((file) => /\.(json|jsonl|md|mjs)$/.test(file));
  expect(texts.length).toBeGreaterThan(50);
  const named = texts.filter((file) =>
    /\/packages\/\w+\/\w+\/dist\//.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(named).toEqual([]);
});
