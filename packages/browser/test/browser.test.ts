import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBrowser, openBrowser } from '../src/index.ts';

const program = findBrowser();

test('the program named by the environment comes first, then what the PATH has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-browser-'));
  expect(findBrowser({ PATH: folder })).toBeUndefined();
  writeFileSync(join(folder, 'chromium'), '');
  expect(findBrowser({ PATH: folder })).toBeUndefined();
  chmodSync(join(folder, 'chromium'), 0o755);
  expect(findBrowser({ PATH: folder })).toBe(join(folder, 'chromium'));
  expect(findBrowser({ PATH: folder, ISOLAB_BROWSER: '/elsewhere' })).toBe('/elsewhere');
});

describe.skipIf(program === undefined)('in a browser', () => {
  test('errors of scripts, of the console, and requests are complaints', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-browser-'));
    const path = join(folder, 'page.html');
    writeFileSync(
      path,
      `<img src="http://elsewhere.invalid/picture.png"><script>console.error('said'); throw new Error('thrown');</script>`,
    );
    const browser = await openBrowser(program!);
    try {
      const opened = await browser.open(`file://${path}`, { width: 400, dark: true });
      expect(await opened.page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(true);
      expect(await opened.page.evaluate('innerWidth')).toBe(400);
      expect(opened.complaints).toEqual(
        expect.arrayContaining(['script: thrown', 'console: said', 'request: http://elsewhere.invalid/picture.png']),
      );
      await opened.close();
    } finally {
      await browser.close();
    }
  });
});
