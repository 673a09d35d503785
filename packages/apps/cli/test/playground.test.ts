import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('playground writes a page and says where', async () => {
  const path = join(folder, 'page.html');
  const written = await isolab('new', 'playground', path);
  expect(written).toMatchObject({ code: 0, err: '' });
  expect(written.out).toContain(`${path}: open it in a browser`);
  const page = readFileSync(path, 'utf8');
  expect(page).toContain('<title>isolab playground</title>');
  const again = await isolab('new', 'playground', path, '--output', 'json');
  expect(JSON.parse(again.out)).toEqual({ path, bytes: Buffer.byteLength(page) });
});

test('playground says where it cannot write', async () => {
  const { code, err } = await isolab('new', 'playground', join(folder, 'nowhere', 'page.html'));
  expect(code).toBe(3);
  expect(err).toMatch(/page\.html cannot be written: there is no folder .*nowhere\.$/);
});
