import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run } from '../src/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function isolab(...args: string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const plain = (text: string): string => text;
  const style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
  const code = await run(args, { out: (text) => out.push(text), note: (text) => notes.push(text), style });
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}

test('playground writes a page and says where', async () => {
  const path = join(folder, 'page.html');
  const written = await isolab('playground', path);
  expect(written).toMatchObject({ code: 0, notes: '' });
  expect(written.out).toContain(`${path}: open it in a browser`);
  const page = readFileSync(path, 'utf8');
  expect(page).toContain('<title>isolab playground</title>');
  const again = await isolab('playground', path, '--output', 'json');
  expect(JSON.parse(again.out)).toEqual({ path, bytes: Buffer.byteLength(page) });
});

test('playground says where it cannot write', async () => {
  const { code, notes } = await isolab('playground', join(folder, 'nowhere', 'page.html'));
  expect(code).toBe(3);
  expect(notes).toMatch(/page\.html cannot be written: ENOENT/);
});
