// Slow: draws stories in a browser.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type OpenedPage, findBrowser, openBrowser } from '@isolab/needs/browser';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Story } from '../src/story/story.ts';
import { viewHtml } from '../src/view/view-html.ts';
import { hostile, large, longFork, lostUpdate, staged, witnessed } from './stories.ts';

type Settings = Parameters<Browser['open']>[1];
type Page = OpenedPage['page'];

const program = findBrowser();
const folder = mkdtempSync(join(tmpdir(), 'isolab-view-'));

describe('the page of a story in a browser', unless('chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(program!);
  });
  afterAll(() => browser?.close());

  /** Opens the page from a file, does something with it, and wants no complaint. */
  async function withPage(story: Story, use: (page: Page) => Promise<void>, settings: Settings = {}): Promise<void> {
    const path = join(folder, `${Math.random()}.html`);
    writeFileSync(path, viewHtml(story));
    const { page, complaints, close } = await browser.open(pathToFileURL(path), settings);
    try {
      await use(page);
      expect(complaints).toEqual([]);
    } finally {
      await close();
    }
  }

  const stories: readonly (readonly [string, Story])[] = [
    ['a lost update', staged],
    ['a long fork', longFork],
    ['a witness', witnessed],
    ['two hundred transactions', large(200)],
    ['hostile names', hostile(lostUpdate)],
  ];
  test.each(stories)('%s: wide and narrow, light and dark, nothing stands out to the side', async (_, story) => {
    for (const dark of [false, true]) {
      for (const width of [1280, 360]) {
        const look = async (page: Page): Promise<void> => {
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
          const shade = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(shade).toBe(dark ? 'rgb(21, 23, 26)' : 'rgb(255, 255, 255)');
          const picture = await page.evaluate(`getComputedStyle(document.querySelector('svg.story rect.page')).fill`);
          expect(picture).toBe(shade);
        };
        await withPage(story, look, { width, dark });
      }
    }
  });

  test('two hundred transactions are there in less than a second', async () => {
    const times: number[] = [];
    const look = async (page: Page): Promise<void> => {
      expect(await page.locator('#whole .cell').count()).toBe(200);
      times.push(await page.evaluate(`performance.getEntriesByType('navigation')[0].loadEventEnd`));
    };
    for (let i = 0; i < 3; i++) await withPage(large(200), look);
    expect(Math.min(...times)).toBeLessThan(1000);
  });

  test('a sentence lights its edges, an edge its sentences; a click keeps them, Escape lets go', () =>
    withPage(lostUpdate, async (page) => {
      const lit = page.locator('#whole .wide .edge.on:not(.label)');
      const sentence = page.locator('.prose>li').first();
      const expected = (await sentence.getAttribute('data-edges'))!.split(' ');
      await sentence.hover({ position: { x: 4, y: 4 } });
      expect(await indexes(page, '#whole .wide .edge.on:not(.label)')).toEqual(expected.map(Number).toSorted());
      await page.mouse.move(1, 1);
      expect(await lit.count()).toBe(0);
      await page.locator('#whole .wide .edge.label[data-edge="2"]').hover();
      expect(await page.locator('.prose>li.on').count()).toBeGreaterThan(0);
      await page.locator('#whole .wide .edge.label[data-edge="2"]').click();
      await page.mouse.move(1, 1);
      expect(await indexes(page, '#whole .wide .edge.on:not(.label)')).toEqual([2]);
      await page.keyboard.press('Escape');
      expect(await lit.count()).toBe(0);
    }));

  test('the keyboard goes through sentences and edges', () =>
    withPage(lostUpdate, async (page) => {
      await page.locator('.prose>li').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate(`[...document.querySelectorAll('.prose>li')].indexOf(document.activeElement)`)).toBe(
        1,
      );
      expect(await page.locator('#whole .wide .edge.on').count()).toBeGreaterThan(0);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.locator('#cycle-only').focus();
      expect(await page.locator('#whole .wide .edge.on').count()).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      await page.locator('#whole .wide .edge:not(.label)').first().focus();
      expect(await indexes(page, '#whole .wide .edge.on:not(.label)')).toEqual([0]);
    }));

  test('a derivation opens with the refuted alternative, which closes with it', () =>
    withPage(lostUpdate, async (page) => {
      const refuted = page.locator('#whole .wide .edge.refuted:not(.label) .line').first();
      expect(await refuted.isVisible()).toBe(false);
      await page.locator('details.why summary').first().click();
      await expect.poll(() => refuted.isVisible()).toBe(true);
      expect(await page.locator('details.why .refuted').first().isVisible()).toBe(true);
      await page.locator('details.why summary').first().click();
      await expect.poll(() => refuted.isVisible()).toBe(false);
    }));

  test('switches: the cycle only, context, key timelines', () =>
    withPage(lostUpdate, async (page) => {
      const isSeen = (selector: string): Promise<boolean> => page.locator(selector).first().isVisible();
      await page.click('#cycle-only');
      expect([await isSeen('#whole'), await isSeen('#cycle')]).toEqual([false, true]);
      expect(await page.locator('#cycle .wide .cell').count()).toBe(2);
      await page.click('#cycle-only');
      expect([await isSeen('#whole'), await isSeen('#cycle')]).toEqual([true, false]);
      await page.click('#context');
      expect(await isSeen('#whole .wide .cell.context')).toBe(false);
      expect(await page.textContent('#said')).toBe('1 transaction hidden.');
      await page.click('#context');
      expect(await isSeen('#whole .wide .cell.context')).toBe(true);
      await page.click('#timelines-button');
      expect(await isSeen('#timelines')).toBe(false);
    }));

  test('the page of a story in a browser stages show their content, with uncertain parts dashed, and all of it inside', () =>
    withPage(staged, async (page) => {
      const tried = page.locator(`#whole .wide .edge.staged:not(.label) .line`);
      const cells = (): Promise<number> =>
        page.evaluate(
          `[...document.querySelectorAll('#whole .wide .cell')].filter((c) => getComputedStyle(c).display !== 'none').length`,
        );
      expect([await tried.isVisible(), await cells()]).toEqual([false, 4]);
      await page.selectOption('#stage', { label: 'raw' });
      expect([await tried.isVisible(), await cells()]).toEqual([false, 2]);
      expect(await page.textContent('#stage-note')).toBe('The cycle that the solver found.');
      await page.selectOption('#stage', { label: 'restored' });
      expect([await tried.isVisible(), await cells()]).toEqual([true, 3]);
      expect(await page.locator('#whole .wide .edge.uncertain:not(.label)').count()).toBe(2);
      await page.selectOption('#stage', { label: 'finalized' });
      expect([await tried.isVisible(), await page.locator('.edge.uncertain').count()]).toEqual([false, 0]);
      await page.selectOption('#stage', { label: 'all' });
      expect(await cells()).toBe(4);
    }));

  test.each(['allowed', 'forbidden'])('copies, with the clipboard %s', (clipboard) =>
    withPage(lostUpdate, async (page) => {
      await page.evaluate(`
        window.copied = [];
        document.addEventListener('copy', () => window.copied.push(document.activeElement.value));
        navigator.clipboard.writeText = ${clipboard === 'allowed' ? '(text) => (window.copied.push(text), Promise.resolve())' : '() => Promise.reject(new Error())'};`);
      for (const what of ['notation', 'markdown', 'history']) await page.click(`[data-copy="${what}"]`);
      const [notation, markdown, history] = await page.evaluate<string[]>('window.copied');
      expect(notation).toBe(lostUpdate.copies!.notation);
      expect(markdown).toContain('## Lost update: snapshot-isolation is violated');
      expect(history).toBe(lostUpdate.copies!.history!.text);
      expect(await page.textContent('#said')).toBe('Copied: Copy history file.');
    }),
  );

  test('the page of a story in a browser saves the history as a file', () =>
    withPage(lostUpdate, async (page) => {
      const download = page.waitForEvent('download');
      await page.click('[data-save]');
      const file = await download;
      expect(file.suggestedFilename()).toBe('lost-update.txt');
      expect(readFileSync(await file.path(), 'utf8')).toBe(lostUpdate.copies!.history!.text);
    }));

  test('the cycle is shown edge by edge, by buttons and keys, and plays only where motion is welcome', () =>
    withPage(lostUpdate, async (page) => {
      const note = (): Promise<string | null> => page.textContent('#cycle-note');
      expect(await note()).toBe('The cycle has 2 edges.');
      await page.click('[data-cycle="1"]');
      expect(await note()).toMatch(/^1 of 2: /);
      expect(await page.locator('#whole .wide .edge.now .line').count()).toBe(1);
      await page.keyboard.press('ArrowRight');
      expect(await note()).toMatch(/^2 of 2: /);
      await page.keyboard.press('ArrowRight');
      expect(await note()).toContain('which the level forbids');
      expect(await page.isVisible('#play')).toBe(true);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.reload();
      expect(await page.isVisible('#play')).toBe(false);
    }));

  test('the slider goes through the witness order, with the state after each step', () =>
    withPage(witnessed, async (page) => {
      const state = (): Promise<string[]> => page.locator('#state td').allTextContents();
      const before = await state();
      expect(await page.textContent('#step-note')).toBe('0 of 3: Before the first transaction.');
      await page.click('[data-move="1"]');
      await page.click('[data-move="1"]');
      expect(await page.textContent('#step-note')).toBe('2 of 3: T2 reads x = 1, writes y = 2');
      expect(await page.locator('#state td.changed').textContent()).toBe('2');
      expect(await indexes(page, '#whole .wide .cell.now', 'transaction')).toEqual([2]);
      await page.locator('#step').focus();
      for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
      expect(await state()).toEqual(before);
    }));
});

/** The numbers of edges, or transactions, that a selector finds. */
const indexes = (page: Page, selector: string, of = 'edge'): Promise<number[]> =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((el) => +el.dataset[${JSON.stringify(of)}]).sort()`,
  );
