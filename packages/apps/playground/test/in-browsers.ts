/** Opens the page in each browser that is here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Browser,
  type PageSettings,
  findBrowser,
  findFirefox,
  openBrowser,
  openFirefox,
} from '@isolab/needs/browser';
import { type Skipping, unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { buildPage } from '../src/build-page.ts';
import type { Page } from './on-page.ts';

const BROWSERS = [
  { name: 'Chromium', need: 'chromium', program: findBrowser(), launch: openBrowser },
  { name: 'Firefox', need: 'firefox', program: findFirefox(), launch: openFirefox },
] as const;

/** Tools of a test of the page. */
export interface InBrowser {
  readonly browserName: string;
  /** Options that skip a test where the browser is not installed. */
  readonly here: Skipping;
  /** `test.each(once)`: a test of behaviour that is the same in every browser, in one of them. */
  readonly once: readonly string[];
  /** Address and contents of the page. */
  readonly path: string;
  readonly html: () => string;
  /** Opens the page again, and insists that nothing complained. */
  readonly withPage: (use: (page: Page) => Promise<void>, settings?: PageSettings) => Promise<void>;
}

/** Both browsers open the same page. */
let built: Promise<string> | undefined;

export function inBrowsers(title: string, tests: (given: InBrowser) => void): void {
  describe.each(BROWSERS)(`${title} in $name`, ({ name: browserName, need, program, launch }) => {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-playground-'));
    const path = join(folder, 'playground.html');
    let html = '';
    let browser: Browser | undefined;

    beforeAll(async () => {
      html = await (built ??= buildPage());
      writeFileSync(path, html);
      if (program !== undefined) browser = await launch(program);
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true });
    });

    async function withPage(use: (page: Page) => Promise<void>, settings: PageSettings = {}): Promise<void> {
      const { page, complaints, close } = await browser!.open(pathToFileURL(path), settings);
      page.setDefaultTimeout(20_000);
      try {
        await use(page);
        expect(complaints).toEqual([]);
      } finally {
        await close();
      }
    }

    tests({
      browserName,
      here: unless(need),
      once: browserName === 'Chromium' ? [browserName] : [],
      path,
      html: () => html,
      withPage,
    });
  });
}
