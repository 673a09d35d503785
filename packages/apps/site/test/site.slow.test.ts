// Slow: makes the whole site, and goes through all of it in a browser.
import { mkdtempSync, readFileSync, readdirSync, rmSync, existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, findBrowser, openBrowser } from '@isolab/needs/browser';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '../src/index.ts';
import { MENU, PLAYGROUND, siteAddress } from '../src/pages.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'isolab-site-'));
const { broken } = await buildSite({ root, out, address: null, datasets: undefined });
const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
const address = (path: string): string => pathToFileURL(join(out, path)).href;
const menuPages = MENU.flatMap(({ entries }) => entries.map(({ path }) => siteAddress(path)));

afterAll(() => rmSync(out, { recursive: true, force: true }));

test('no link of the documents leads nowhere', () => expect(broken).toEqual([]));

test('every address in every page is there', () => {
  const missing = pages.flatMap((path) => {
    const html = readFileSync(join(out, path), 'utf8');
    return [...html.matchAll(/ (?:href|src|srcset)="([^"#]*)/g)].flatMap(([, link]) => {
      if (link === '' || /^[a-z]+:/.test(link!)) return [];
      const file = join(out, dirname(path), decodeURI(link!.replaceAll('&amp;', '&')));
      return existsSync(file) ? [] : [`${path}: ${link}`];
    });
  });
  expect(missing).toEqual([]);
  expect(pages.length).toBeGreaterThan(100);
});

test('a link to a page can show its description and picture', () => {
  for (const path of ['index.html', 'docs/gallery.html']) {
    const html = readFileSync(join(out, path), 'utf8');
    expect(html).toMatch(/<meta name="description" content="[^"]{40,170}">/);
    expect(html).toMatch(/<meta property="og:image" content="[^"]*card\.png">/);
    expect(html).toMatch(/<link rel="icon" type="image\/svg\+xml" href="[^"]*mark\.svg">/);
  }
});

test('every page has a language, one first heading, and a title and a description of its own', () => {
  const wrong = pages
    .filter((path) => path !== PLAYGROUND && !path.startsWith('reports/laptop/'))
    .flatMap((path) => {
      const html = readFileSync(join(out, path), 'utf8');
      const found = [
        /<html lang="en">/.test(html),
        html.match(/<h1[ >]/g)?.length === 1,
        /<title>[^<]{5,}<\/title>/.test(html),
        /<meta name="description" content="[^"]{10,}">/.test(html),
        !/<img (?![^>]*alt=)/.test(html),
      ];
      return found.every(Boolean) ? [] : [`${path}: ${found.join()}`];
    });
  expect(wrong).toEqual([]);
  const titles = menuPages.map((path) => /<title>([^<]*)/.exec(readFileSync(join(out, path), 'utf8'))![1]);
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});

test('no page is so large that it takes seconds to open; sources are text', () => {
  const large = pages.filter((path) => path !== PLAYGROUND && statSync(join(out, path)).size > 1_000_000);
  expect(large).toEqual([]);
  const history = 'source/reports/field/hsqldb-2.7.4-serializable-g2-item/history.jsonl.gz.txt';
  expect(readFileSync(join(out, history), 'utf8')).toContain('isolab');
});

const program = findBrowser();
describe('in a browser', unless('chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(program!);
  });
  afterAll(() => browser?.close());

  test.each([390, 1400])('no page is wider than a window of %d pixels, or complains', async (width) => {
    const { page, complaints, close } = await browser.open(address('index.html'), { width });
    const wide: string[] = [];
    for (const path of width < 1000 ? pages : menuPages) {
      await page.goto(address(path));
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      if (over !== 0) wide.push(`${path}: ${String(over)} pixels`);
    }
    await close();
    expect(wide).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the pages of the menu open within a second', async () => {
    const { page, close } = await browser.open(address('index.html'));
    const slow: string[] = [];
    for (const path of menuPages) {
      const times: number[] = [];
      while (times.length < 3 && !times.some((time) => time < 1000)) {
        await page.goto(address(path));
        times.push(Number(await page.evaluate(`performance.getEntriesByType('navigation')[0].loadEventEnd`)));
      }
      if (!times.some((time) => time < 1000)) slow.push(`${path}: ${times.join(', ')} ms`);
    }
    await close();
    expect(slow).toEqual([]);
  });

  test('phones show the pictures of the start page’s examples at their drawn size', async () => {
    const { page, close } = await browser.open(address('index.html'), { width: 390 });
    const small: string[] = [];
    const buttons = await page.$$('button[data-history]');
    expect(buttons.length).toBeGreaterThan(3);
    for (const button of buttons) {
      const name = (await button.textContent())!;
      await button.click();
      await page.waitForTimeout(700);
      const scale = Number(
        await page.evaluate(
          `(() => { const svg = document.querySelector('#live-narrow svg'); return svg === null ? 1 : svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; })()`,
        ),
      );
      if (scale < 0.999) small.push(`${name}: ${scale}`);
    }
    await close();
    expect(small).toEqual([]);
  });

  test('the address of a page filters its long tables', async () => {
    const { page, close } = await browser.open(`${address('reports/field/index.html')}?rows=postgresql%20read-only`);
    const shown = await page.evaluate(
      `[...document.querySelector('main table').tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[1].textContent)`,
    );
    await close();
    expect(shown).toEqual(['PostgreSQL']);
  });

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  test.each([false, true])('pages of the menu are accessible (dark: %s)', async (dark) => {
    const { page, close } = await browser.open(address('index.html'), { dark });
    const found: string[] = [];
    for (const path of menuPages) {
      await page.goto(address(path));
      await page.evaluate(axe);
      const rules = (await page.evaluate(
        `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`,
      )) as string[];
      found.push(...rules.map((rule) => `${path}: ${rule}`));
    }
    await close();
    expect(found).toEqual([]);
  });

  test('the start page checks an edited history, and shows its verdict and picture', async () => {
    const began = performance.now();
    const { page, complaints, close } = await browser.open(address('index.html'));
    await page.waitForSelector('#live-wide svg');
    expect(performance.now() - began).toBeLessThan(3000);
    expect(await page.textContent('#live-verdict')).toBe('Lost update');
    await page.fill('#live-text', 'r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)');
    await page.waitForSelector('#live-verdict:text-is("Write skew")');
    await page.waitForSelector('#live-wide text:text-is("write y = 1")');
    await page.fill('#live-text', 'r(x,');
    await page.waitForSelector('#live-verdict:text-is("Not a history yet")');
    expect(await page.getAttribute('#live-link', 'href')).toContain('playground.html#text=r%28x%2C');
    await close();
    expect(complaints).toEqual([]);
  });

  test('the search finds a page by the keyboard alone', async () => {
    const { page, close } = await browser.open(address('docs/levels.html'));
    await page.keyboard.press('/');
    await page.keyboard.type('write skew');
    await page.waitForSelector('.found a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/anomalies/);
    expect(await page.title()).toContain('Write skew');
    await close();
  });

  test.each([
    ['lost update fix', 'docs/repeatable-read.html'],
    ['prisma', 'docs/record.html'],
    ['is repeatable read enough in mysql', 'docs/repeatable-read.html'],
    ['bibtex', 'reports/index.html'],
    ['what is G-single', 'docs/anomalies/g-single.html'],
    ['write skew example', 'docs/anomalies/g2-item.html'],
    ['long fork', 'docs/anomalies/g-nonadjacent.html'],
    ['A5A', 'docs/anomalies/g-single.html'],
    ['phantom', 'docs/anomalies/g1-predicate.html'],
    ['si', 'docs/levels/snapshot-isolation.html'],
    ['snapshot isolation', 'docs/levels/snapshot-isolation.html'],
    ['anomalies', 'docs/anomalies.html'],
    ['serializable vs snapshot isolation', 'docs/levels.html'],
    ['isolab vs jepsen', 'docs/jepsen.html'],
    ['django select for update', 'docs/record.html'],
    ['what does unknown mean', 'docs/trust.html'],
    ['playground', 'playground.html'],
    ['how does it work', 'docs/architecture.html'],
    ['github action', 'docs/ci.html'],
    ['false positives', 'docs/trust.html'],
    ['install', 'packages/library/isolab/index.html'],
    ['python', 'docs/python.html'],
    ['bugs in postgresql', 'reports/field/index.html'],
  ])('the first hit answers “%s”', async (question, answer) => {
    const { page, close } = await browser.open(address('index.html'));
    await page.fill('.find input', question);
    await page.waitForSelector('.found a');
    expect((await page.getAttribute('.found a', 'href'))!.replace(/#.*/, '')).toBe(answer);
    await close();
  });

  test('the gallery shows the cards of a chosen level, and is a few screens long', async () => {
    const { page, close } = await browser.open(address('docs/gallery.html'), { width: 1400 });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(9000);
    await page.selectOption('select[aria-label=level]', 'read-atomic');
    const levels = await page.evaluate(
      `[...document.querySelectorAll('.card')].filter((card) => !card.hidden).map(({ dataset }) => dataset.level)`,
    );
    expect([...new Set(levels as string[])]).toEqual(['read-atomic']);
    await close();
  });

  test('the search says that it found nothing', async () => {
    const { page, close } = await browser.open(address('index.html'));
    await page.fill('.find input', 'qqzzqq');
    await page.waitForSelector('.found p');
    expect(await page.textContent('.found')).toBe('Nothing found.');
    await close();
  });

  test('the menu is folded on a phone, and opens', async () => {
    const { page, close } = await browser.open(address('docs/tutorial.html'), { width: 390 });
    expect(await page.isVisible('.menu a')).toBe(false);
    await page.click('.menu summary');
    expect(await page.isVisible('.menu a')).toBe(true);
    await close();
  });
});
