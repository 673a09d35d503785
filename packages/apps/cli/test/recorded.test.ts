// Histories as `isolab record` writes them, in every output: versions differ in a hidden column, most rows are never read.
import { copyFileSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const FORMS = ['text', 'json', 'markdown', 'html', 'svg', 'dot', 'junit'];
const FILES = [
  ['recorded-lost-updates.jsonl', 'Non-repeatable read: T3 reads items/5 = {n: 0}, and later reads items/5 = {n: 1}'],
  ['recorded-odd-names.jsonl', 'Thin air read: T1 reads <_script>'],
] as const;

describe.each(FILES)('%s', (name, summary) => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-recorded-'));
  const path = join(folder, 'h.jsonl');
  copyFileSync(join(import.meta.dirname, 'fixtures', name), path);

  test.each([[], ['--shrink'], ['--find-all']])('check, in every form, %j', async (...flags) => {
    const outputs = FORMS.flatMap((form) => ['--output', `${form}=${join(folder, `check.${form}`)}`]);
    const said = await isolab('check', path, '-l', 'si', ...flags, ...outputs, '--force');
    expect(said.code).toBe(1);
    expect(said.err).not.toContain('bug in isolab');
    expect(readFileSync(join(folder, 'check.text'), 'utf8')).toContain(summary.slice(0, 40).split(':')[0]);
    for (const form of FORMS) expect(readFileSync(join(folder, `check.${form}`), 'utf8')).not.toMatch(/\bxmin\b/);
  });

  test('the text names the columns that clients saw', async () => {
    const { out } = await isolab('check', path, '-l', 'si');
    expect(out).toContain(summary);
  });

  test('every other command that reports it', async () => {
    const certificate = join(folder, 'c.json');
    const small = join(folder, 'small.jsonl');
    const page = join(folder, 'page.html');
    expect((await isolab('check', path, '-l', 'si', '--certificate', certificate)).code).toBe(1);
    expect((await isolab('verify', path, certificate)).code).toBe(0);
    expect((await isolab('explain', path, small, '-l', 'si')).code).toBe(1);
    expect((await isolab('check', small, '-l', 'si')).code).toBe(1);
    expect((await isolab('explain', path, page, '-l', 'si')).code).toBe(1);
    for (const [command, ...flags] of [['stats'], ['check', '-l', 'si', '-c', 'all']])
      expect((await isolab(command!, path, ...flags)).code).toBeLessThan(2);
    const written = readdirSync(folder).filter((each) => !each.startsWith('h.') && !each.startsWith('check'));
    for (const each of written) expect(readFileSync(join(folder, each), 'utf8')).not.toMatch(/\bxmin\b/);
  });
});
