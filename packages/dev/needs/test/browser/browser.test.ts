import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEEDS, unless } from '../../src/index.ts';
import { describe, expect, test } from 'vitest';
import { findBrowser, findFirefox, openBrowser, openFirefox } from '../../src/browser/index.ts';

const program = findBrowser();
const foxProgram = findFirefox();

test('the program named by the environment comes first, then the one on the PATH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-browser-'));
  expect(findBrowser({ PATH: folder })).toBeUndefined();
  writeFileSync(join(folder, 'chromium'), '');
  expect(findBrowser({ PATH: folder })).toBeUndefined();
  chmodSync(join(folder, 'chromium'), 0o755);
  expect(findBrowser({ PATH: folder })).toBe(join(folder, 'chromium'));
  expect(findBrowser({ PATH: folder, ISOLAB_BROWSER: '/elsewhere' })).toBe('/elsewhere');
  expect(findFirefox({ PATH: folder })).toBeUndefined();
  expect(findFirefox({ PATH: folder, ISOLAB_FIREFOX: '/elsewhere' })).toBe('/elsewhere');
});

test.each([
  ['chromium', findBrowser],
  ['firefox', findFirefox],
] as const)('each program that counts as %s is found', (need, find) => {
  for (const name of NEEDS[need].programs!.flatMap((names) => names.split('|'))) {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-browser-'));
    writeFileSync(join(folder, name), '', { mode: 0o755 });
    expect(find({ PATH: folder })).toBe(join(folder, name));
  }
});

// Firefox takes its colours from how it is started, and has no window that is narrower.
const BROWSERS = [
  { name: 'Chromium', need: 'chromium', program, launch: openBrowser, width: 400 },
  {
    name: 'Firefox',
    need: 'firefox',
    program: foxProgram,
    launch: (path: string) => openFirefox(path, { dark: true }),
    width: 500,
  },
] as const;

describe.each(BROWSERS)('in $name', ({ need, program: path, launch, width }) => {
  test('errors of scripts, of the console, and requests are complaints', unless(need), async () => {
    const browser = await launch(path!);
    try {
      const opened = await browser.open(bad(), { width, dark: true });
      expect(await opened.page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(true);
      expect(await opened.page.evaluate('innerWidth')).toBe(width);
      expect(opened.complaints).toEqual(COMPLAINTS);
      await opened.close();
    } finally {
      await browser.close();
    }
  });
});

/** A page with behaviour that no page of ours has. */
function bad(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'isolab-browser-')), 'page.html');
  writeFileSync(
    path,
    `<!doctype html><img src="https://elsewhere.invalid/picture.png"><script>console.error('said'); throw new Error('thrown');</script>`,
  );
  return `file://${path}`;
}

const COMPLAINTS = expect.arrayContaining([
  'script: thrown',
  'console: said',
  'request: https://elsewhere.invalid/picture.png',
]);
