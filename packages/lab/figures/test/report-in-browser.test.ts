/// <reference lib="dom" />
import { type Browser, findBrowser, openBrowser } from '@isolab/needs/browser';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { figureSvg } from '../src/chart/figure.ts';
import { experimentPage } from '../src/report/experiment-page.ts';
import { indexPage, summaryPage } from '../src/report/index-page.ts';
import { leaderboardPage } from '../src/report/leaderboard-page.ts';
import { claim, experiment, row, rows } from './experiments.ts';

/** Pages are examined in a real browser, where there is one. */
const program = findBrowser();

describe('in a browser', unless('chromium'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-report-'));
  const address = (name: string): URL => pathToFileURL(join(folder, `${name}.html`));
  const pages = ['index', 'summary', 'leaderboard', 'experiment'];
  let browser: Browser;

  beforeAll(async () => {
    const full = experiment({
      holds: [claim('PolySI is faster.', { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 1, at: 'all' })],
      deviations: ['a-very-long-word-'.repeat(12)],
    });
    const svg = await figureSvg(full, rows);
    const many = Array.from({ length: 14 }, (_, i) => row('weave', i, 1, { checker: `checker-number-${i}` }));
    const wrong = [row('weave', 5, 1), row('polysi', 5, 2, { verdict: 'violated' })];
    const entries = [{ experiment: full, rows, href: 'experiment.html', svg }];
    const texts = {
      index: indexPage(entries),
      summary: summaryPage(entries),
      leaderboard: leaderboardPage([...many, ...wrong]),
      experiment: experimentPage(full, rows, { svg, command: `isolab bench ${'x'.repeat(120)}` }),
    };
    for (const [name, html] of Object.entries(texts)) writeFileSync(join(folder, `${name}.html`), html);
    browser = await openBrowser(program!);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(pages)('%s opens from a file, without a complaint, and fits a phone', async (name) => {
    for (const width of [360, 1280]) {
      const { page, complaints, close } = await browser.open(address(name), { width });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  test.each(pages)('%s is dark where dark is wanted, and can be read', async (name) => {
    const { page, close } = await browser.open(address(name), { dark: true });
    const contrasts = await page.evaluate(() => {
      const brightness = (colour: string): number => {
        const [r = 0, g = 0, b = 0] = (/\d+, \d+, \d+/.exec(colour)?.[0] ?? '').split(', ').map(Number);
        return 0.3 * r + 0.6 * g + 0.1 * b;
      };
      const ground = brightness(getComputedStyle(document.body).backgroundColor);
      const drawn = [...document.querySelectorAll('svg text')].map((text) => brightness(getComputedStyle(text).fill));
      const written = [...document.querySelectorAll('h1, p, td, th, a')].map((it) =>
        brightness(getComputedStyle(it).color),
      );
      return { ground, least: Math.min(...drawn, ...written) - ground };
    });
    expect(contrasts.ground).toBeLessThan(60);
    expect(contrasts.least).toBeGreaterThan(80);
    await close();
  });

  test('every figure and every value in it has words', async () => {
    const { page, close } = await browser.open(address('experiment'));
    const chart = page.getByRole('group', { name: 'Figure: Time by sessions.' });
    expect(await chart.count()).toBe(1);
    const marks = page.locator('.chart svg path[aria-label*=": "]');
    expect(await marks.first().getAttribute('aria-label')).toContain('PolySI · measured here · sessions 5: 0.5 s');
    await close();
  });

  test('values are reached by keyboard, and read aloud', async () => {
    const { page, close } = await browser.open(address('experiment'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    await page.locator('.chart svg [tabindex="0"]').first().focus();
    const tip = page.locator('.tip');
    expect(await tip.textContent()).toContain('sessions 5');
    await page.keyboard.press('ArrowRight');
    expect(await tip.textContent()).toContain('sessions 15');
    await page.keyboard.press('Escape');
    expect(await tip.isVisible()).toBe(false);
    await close();
  });

  test('series are hidden and shown by their buttons', async () => {
    const { page, close } = await browser.open(address('experiment'));
    const marks = page.locator('.chart svg path[aria-label^="dbcop · measured here"]:visible');
    const before = await marks.count();
    expect(before).toBeGreaterThan(0);
    const button = page.getByRole('button', { name: 'dbcop' });
    // It has the sign of its series, which is the legend where that is out of sight.
    const colour = await marks.first().getAttribute('stroke');
    expect(await button.locator('svg path').getAttribute('stroke')).toBe(colour);
    await button.press('Enter');
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    expect(await marks.count()).toBe(0);
    await button.press('Enter');
    expect(await marks.count()).toBe(before);
    await close();
  });

  test('the leaderboard keeps room for the names of histories, however many checkers there are', async () => {
    for (const width of [390, 1280]) {
      const { page, close } = await browser.open(address('leaderboard'), { width });
      const first = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('.board tbody th')].map((th) => th.getBoundingClientRect());
        return {
          width: Math.min(...boxes.map((box) => box.width)),
          height: Math.max(...boxes.map((box) => box.height)),
        };
      });
      expect(first.width).toBeGreaterThan(120);
      expect(first.height).toBeLessThan(150);
      await close();
    }
  });

  test('the leaderboard shows disagreements in red, and alone if wanted', async () => {
    const { page, close } = await browser.open(address('leaderboard'));
    const lines = page.locator('tbody tr:visible');
    const all = await lines.count();
    await page.getByRole('button', { name: 'Only disagreements' }).click();
    expect(await lines.count()).toBe(1);
    expect(all).toBeGreaterThan(1);
    const ground = await lines
      .locator('td')
      .first()
      .evaluate((cell) => getComputedStyle(cell).backgroundColor);
    expect(ground).toBe('rgb(253, 236, 234)');
    await close();
  });
});
