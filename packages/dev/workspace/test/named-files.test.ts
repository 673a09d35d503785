import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');

describe.each(['CONTRIBUTING.md', 'benchmarks/README.md'])('%s', (page) => {
  const text = readFileSync(path.join(root, page), 'utf8');
  const folder = path.join(root, path.dirname(page));

  test('its relative links lead to files', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
    const relative = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(relative.length).toBeGreaterThan(0);
    expect(relative.filter((link) => !existsSync(path.join(folder, link)))).toEqual([]);
  });

  test('the files of packages that it names are there', () => {
    const names = [...text.matchAll(/`(packages\/[\w./-]+)(?=`)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });
});
