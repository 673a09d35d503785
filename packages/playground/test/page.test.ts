import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { verifyCertificateFile } from '@isolab/verifier';
import { type Browser, type PageSettings, findBrowser, findFirefox, openBrowser, openFirefox } from '@isolab/browser';
import { HISTORY_FORMATS } from '@isolab/formats';
import { parseHistory } from '@isolab/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../src/build-page.ts';
import { EXAMPLES } from '../src/examples.ts';
import {
  type Page,
  fileOf,
  check,
  pick,
  isDone,
  isBusyWith,
  isTold,
  linkFrom,
  saved,
  heights,
  IN_SIGHT,
  overflow,
} from './on-page.ts';
import { LOST_UPDATE, filesIn } from './support.ts';

const BROWSERS = [
  { name: 'Chromium', program: findBrowser(), launch: openBrowser },
  { name: 'Firefox', program: findFirefox(), launch: openFirefox },
];

/** Both browsers open the same page. */
let built: Promise<string> | undefined;

describe.each(BROWSERS)('the page in $name', ({ name: browserName, program, launch }) => {
  const isThere = program !== undefined;
  /** What is the same in every browser is tested in one. */
  const isSecond = !isThere || browserName !== 'Chromium';

  const folder = mkdtempSync(join(tmpdir(), 'isolab-playground-'));
  const path = join(folder, 'playground.html');
  let html = '';
  let browser: Browser | undefined;

  beforeAll(async () => {
    html = await (built ??= buildPage());
    writeFileSync(path, html);
    if (isThere) browser = await launch(program);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the page anew, and insists that nothing complained. */
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

  test.skipIf(isSecond)('is one small file that may load nothing', () => {
    expect(html.length).toBeLessThan(2_000_000);
    const [head] = html.split('<body>');
    expect(head).toContain(`default-src 'none'; worker-src blob:;`);
    expect(head).not.toMatch(/connect-src|https?:/);
    expect(html).not.toMatch(/<(?:script|link|img|iframe)[^>]* (?:src|href)=/);
  });

  test.skipIf(!isThere)('an example gives the lattice, the story and what there is to keep', () =>
    withPage(async (page) => {
      await pick(page, 'Write skew');
      expect(await page.textContent('#headline')).toBe('Violated: plain-serializable, and every level above');
      expect(await page.textContent('#detail')).toContain('Decided by weave in');
      expect(await page.getAttribute('#lattice [data-level=serializable]', 'aria-label')).toBe(
        'serializable: violated',
      );
      expect(await page.locator('#lattice line').count()).toBeGreaterThan(10);
      const story = page.frameLocator('#story');
      expect(await story.locator('h1').textContent()).toContain('Write skew');
      expect(await story.locator('svg.story').first().isVisible()).toBe(true);
      // The frame is as high as the story, so that there is one scroll bar.
      const [outer, inner] = await heights(page);
      expect(outer).toBeGreaterThanOrEqual(inner - 1);

      const { text } = EXAMPLES.find(({ title }) => title === 'Write skew')!;
      const certificate = JSON.parse(await saved(page, '#save-certificate')) as unknown;
      expect(verifyCertificateFile(parseHistory(text), certificate)).toEqual({ ok: true });
      expect(await saved(page, '#save-history')).toContain('"isolab"');
      expect(await saved(page, '#save-page')).toMatch(/^<!doctype html>/);
    }),
  );

  test.skipIf(!isThere)('another level of the lattice tells its own story', () =>
    withPage(async (page) => {
      await pick(page, 'Write skew');
      await page.click('#lattice [data-level=prefix]');
      await isTold(page);
      expect(await page.frameLocator('#story').locator('h1').textContent()).toContain('satisfied');
      expect(await page.getAttribute('#lattice [data-level=prefix]', 'aria-pressed')).toBe('true');
      await page.click('#lattice [data-level=linearizable]');
      expect(await page.textContent('#note')).toContain('linearizable is unknown.');
      expect(await page.isVisible('#story')).toBe(false);
    }),
  );

  test.skipIf(!isThere)('what holds is shown step by step', () =>
    withPage(async (page) => {
      await page.selectOption('#level', 'serializable');
      await pick(page, 'All is well');
      expect(await page.textContent('#headline')).toBe('serializable is satisfied');
      expect(await page.isVisible('#lattice')).toBe(false);
      const story = page.frameLocator('#story');
      await story.locator('button[data-move="1"]').click();
      expect(await story.locator('#step-note').textContent()).toMatch(/^1 of 4/);
    }),
  );

  test.skipIf(isSecond)('nonsense is refused with its place and what to do, and no verdict is left standing', () =>
    withPage(async (page) => {
      await pick(page, 'Lost update');
      await check(page, 'hello <b>world</b>');
      expect(await page.textContent('#headline')).toBe('No verdict');
      expect(await page.textContent('#detail')).toMatch(/no known format.*\nGive a history/);
      expect(await page.isVisible('#story')).toBe(false);
      expect(await page.isVisible('#lattice')).toBe(false);
      await check(page, 'w(x,1)\nr(x,1) w(x');
      expect(await page.textContent('#detail')).toContain('line 2, column 8');
      await check(page, '   ');
      expect(await page.textContent('#detail')).toContain('There is no history yet.');
    }),
  );

  test.skipIf(isSecond)('a checker that does not take the history says why, as the command does', () =>
    withPage(async (page) => {
      await page.selectOption('#checker', 'mtc');
      await page.selectOption('#level', 'serializable');
      await check(page, 'w(x,1)\nw(x,2)');
      expect(await page.textContent('#headline')).toBe('serializable is unknown');
      expect(await page.textContent('#detail')).toContain('mtc needs');
    }),
  );

  test.skipIf(!isThere)('files of all formats that are written are read', () =>
    withPage(async (page) => {
      for (const { name, writer } of HISTORY_FORMATS) {
        if (writer === undefined || (browserName === 'Firefox' && !IN_FIREFOX.includes(name))) continue;
        const isRegister = name.startsWith('porcupine-');
        const text = isRegister ? 'w(x,1) @1-2 | r(x,1) @3-4' : LOST_UPDATE;
        const files = [...(await filesIn(name, text))].map(([file, bytes]) => fileOf(file, bytes));
        await page.selectOption('#level', isRegister ? 'linearizable' : 'snapshot-isolation');
        await page.setInputFiles('#file', files);
        await page.click('#check');
        await isDone(page);
        expect(await page.textContent('#opened')).toContain(`read as ${name}.`);
        expect(await page.textContent('#headline')).toContain(isRegister ? 'is satisfied' : 'is violated');
      }
    }),
  );

  test.skipIf(!isThere)('a compressed file, chosen; then removed', () =>
    withPage(async (page) => {
      const [bytes] = [...(await filesIn('isolab', LOST_UPDATE)).values()] as [Uint8Array];
      await page.setInputFiles('#file', [fileOf('history.jsonl.gz', gzipSync(bytes))]);
      expect(await page.textContent('#chosen-name')).toBe('history.jsonl.gz, 1 kB');
      expect(await page.evaluate('document.activeElement.id')).toBe('check');
      await page.keyboard.press('Enter');
      await isDone(page);
      expect(await page.textContent('#headline')).toContain('Violated: adya-snapshot-isolation');
      await page.click('#remove');
      expect(await page.evaluate('document.activeElement.id')).toBe('text');
    }),
  );

  test.skipIf(!isThere)('a file, dropped', () =>
    withPage(async (page) => {
      await page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['w(x,1)\\nr(x,2)'], 'dropped.txt'));
        for (const kind of ['dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      }`);
      await page.click('#check');
      await isDone(page);
      expect(await page.textContent('#opened')).toMatch(/^dropped\.txt: 2 transactions, .* read as notation\.$/);
    }),
  );

  test.skipIf(!isThere)('something long can be cancelled, and the page answers meanwhile', () =>
    withPage(async (page) => {
      await page.selectOption('#level', 'linearizable');
      await page.selectOption('#checker', 'porcupine');
      for (const cancel of [() => page.click('#cancel'), () => page.keyboard.press('Escape')]) {
        await page.fill('#text', LONG);
        await page.click('#check');
        await isBusyWith(page, 'porcupine');
        expect(await page.getAttribute('#form', 'aria-busy')).toBe('true');
        await page.fill('#text', 'w(x,1)');
        await cancel();
        expect(await page.textContent('#headline')).toBe('No verdict');
        expect(await page.textContent('#detail')).toMatch(/^Cancelled after/);
        expect(await page.isVisible('#running')).toBe(false);
      }
      await check(page, 'w(x,1) @1-2\nr(x,1) @1-2');
      expect(await page.textContent('#headline')).toBe('linearizable is satisfied');
    }),
  );

  test.skipIf(isSecond)('a new check takes the place of one under way', () =>
    withPage(async (page) => {
      await page.selectOption('#level', 'linearizable');
      await page.selectOption('#checker', 'porcupine');
      await page.fill('#text', LONG);
      await page.click('#check');
      await isBusyWith(page, 'porcupine');
      await check(page, 'w(x,1) @1-2\nr(x,1) @1-2');
      expect(await page.textContent('#headline')).toBe('linearizable is satisfied');
    }),
  );

  test.skipIf(!isThere)('works with the keyboard alone', () =>
    withPage(async (page) => {
      await page.click('#more summary');
      await page.focus('#text');
      await page.keyboard.type('r(x,9)');
      const reached: unknown[] = [];
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        reached.push(await page.evaluate('document.activeElement.id || document.activeElement.dataset.example'));
        if (reached.at(-1) === 'check') break;
      }
      expect(reached).toEqual(expect.arrayContaining(['file', '0', 'level', 'checker', 'format', 'check']));
      await page.focus('#text');
      await page.keyboard.press('Control+Enter');
      await isDone(page);
      expect(await page.textContent('#headline')).toContain('Violated');
      expect(await page.textContent('[role=status]#announced')).toContain('Violated');
      await page.focus('#lattice [data-level=causal]');
      await page.keyboard.press('Enter');
      await isTold(page);
      expect(await page.getAttribute('#lattice [data-level=causal]', 'aria-pressed')).toBe('true');
    }),
  );

  test.skipIf(!isThere)('a link holds the history and the settings; opened, it checks at once', () =>
    withPage(async (page) => {
      await page.selectOption('#checker', 'polysi');
      await page.click('#more summary');
      await page.selectOption('#variant', 'no-pruning');
      await page.selectOption('#level', 'snapshot-isolation');
      await check(page, LOST_UPDATE);
      const link = await linkFrom(page, '#copy-link');
      expect(await page.textContent('#link-note')).toMatch(/: \d+ characters, of 8000 at most\. It opens this file/);
      expect(new URL(link).pathname).toBe(pathToFileURL(path).pathname);
      await page.goto('about:blank');
      await page.goto(link);
      await isTold(page);
      expect(await page.textContent('#headline')).toBe('snapshot-isolation is violated');
      expect(await page.textContent('#detail')).toContain('Decided by polysi');
      expect(await page.inputValue('#variant')).toBe('no-pruning');
      // On the same page, another fragment is another history.
      await page.evaluate(`location.hash = '#level=serializable&text=' + encodeURIComponent('w(x,1)\\nr(x,1)')`);
      await page.waitForFunction(
        () => document.getElementById('headline')!.textContent === 'serializable is satisfied',
      );
      expect(await page.inputValue('#checker')).toBe('auto');
    }),
  );

  test.skipIf(!isThere)(
    'a link to the part that is shown; no link to what is too large; damaged and foreign ones',
    () =>
      withPage(async (page) => {
        await pick(page, 'Lost update');
        const link = await linkFrom(page, '#link-part');
        await page.goto('about:blank');
        await page.goto(link);
        await isTold(page);
        expect(await page.textContent('#opened')).toContain('read as isolab');
        const numbers = '[...Array(9000).keys()]';
        await page.evaluate(
          `document.getElementById('text').value = ${numbers}.map((i) => \`w(x\${(i * 7919) % 9973},\${i})\`).join('\\n')`,
        );
        await page.click('#copy-link');
        await page.waitForFunction(() => document.getElementById('link-note')!.textContent.includes('too large'));
        for (const [fragment, said] of [
          ['packed=AAAA_AAAA', 'damaged'],
          ['level=wishful&text=w', 'the level wishful'],
        ] as const) {
          await page.evaluate(`location.hash = '#${fragment}'`);
          await page.waitForFunction((words) => document.getElementById('detail')!.textContent.includes(words), said);
          expect(await page.textContent('#headline')).toBe('No verdict');
        }
      }),
  );

  test.skipIf(!isThere)('a certificate is verified, and refused for another history', () =>
    withPage(async (page) => {
      await pick(page, 'Write skew');
      const certificate = await saved(page, '#save-certificate');
      await page.click('#verify-part summary');
      await page.setInputFiles('#certificate-file', [fileOf('certificate.json', Buffer.from(certificate))]);
      await page.waitForFunction(() => (document.getElementById('certificate') as HTMLTextAreaElement).value !== '');
      await page.click('#verify');
      await isDone(page);
      expect(await page.textContent('#headline')).toBe('The certificate proves that plain-serializable is violated');
      await page.fill('#text', 'w(x,1)\nr(x,1)');
      await page.click('#verify');
      await isDone(page);
      expect(await page.textContent('#headline')).toBe('The certificate proves nothing');
      await page.fill('#certificate', 'nonsense');
      await page.click('#verify');
      await isDone(page);
      expect(await page.textContent('#detail')).toContain('the certificate: it is not JSON');
    }),
  );

  test.skipIf(isSecond)('every checker is asked, about one level', () =>
    withPage(async (page) => {
      await page.fill('#text', LOST_UPDATE);
      await page.click('#compare');
      expect(await page.textContent('#detail')).toContain('choose it first');
      await page.selectOption('#level', 'snapshot-isolation');
      await page.click('#compare');
      await isDone(page);
      expect(await page.textContent('#headline')).toBe('snapshot-isolation is violated');
      expect(await page.locator('#verdict-more tbody tr').count()).toBeGreaterThan(8);
      expect(await page.locator('#verdict-more tbody tr').first().textContent()).toMatch(/^weaveviolated/);
    }),
  );

  test.skipIf(isSecond)('two levels are compared, and the history that tells them apart is checked', () =>
    withPage(async (page) => {
      await page.click('#levels-part summary');
      await page.selectOption('#first-level', 'snapshot-isolation');
      await page.selectOption('#second-level', 'serializable');
      await page.click('#compare-levels');
      await isDone(page);
      expect(await page.textContent('#verdict-more')).toContain('serializable implies snapshot-isolation');
      await page.click('#verdict-more button');
      await isTold(page);
      expect(await page.textContent('#headline')).toBe('serializable is violated');
    }),
  );

  test.skipIf(isSecond)('a level of one’s own is written, checked, compared and linked', () =>
    withPage(async (page) => {
      expect(await page.isVisible('#own-level')).toBe(false);
      await page.selectOption('#level', 'own');
      await check(page, LOST_UPDATE);
      expect(await page.textContent('#detail')).toContain('Your level is empty');
      await page.selectOption('#own-from', 'causal');
      const text = await page.inputValue('#own-level');
      expect(text).toContain('level my-causal');
      await page.click('#check');
      await isTold(page);
      expect(await page.textContent('#headline')).toBe('causal is satisfied');
      const own = 'level mine\ntitle "Mine"\nsummary "No lost updates."\nacyclic ww | wr\nirreflexive ww ; rw';
      await page.fill('#own-level', own.replace('rw', 'wrong'));
      await check(page, LOST_UPDATE);
      expect(await page.textContent('#detail')).toContain('your level:5:');
      await page.fill('#own-level', own);
      await page.click('#check');
      await isTold(page);
      expect(await page.textContent('#headline')).toBe('mine is violated');

      const link = await linkFrom(page, '#copy-link');
      await page.goto('about:blank');
      await page.goto(link);
      await isTold(page);
      expect(await page.textContent('#headline')).toBe('mine is violated');
      expect(await page.inputValue('#own-level')).toBe(own);

      await page.click('#levels-part summary');
      await page.selectOption('#second-level', 'own');
      await page.selectOption('#first-level', 'read-atomic');
      await page.click('#compare-levels');
      await isDone(page);
      await page.click('#verdict-more button');
      await isTold(page);
      expect(await page.textContent('#headline')).toMatch(/^(mine|read-atomic) is violated$/);
    }),
  );

  test.skipIf(!isThere)('limits, all kinds of anomalies, the whole history, counts and another format', () =>
    withPage(async (page) => {
      await page.click('#more summary');
      await page.selectOption('#level', 'snapshot-isolation');
      await page.fill('#steps', '1');
      await check(page, LOST_UPDATE);
      expect(await page.textContent('#headline')).toBe('snapshot-isolation is unknown');
      await page.fill('#steps', 'few');
      await check(page, LOST_UPDATE);
      expect(await page.textContent('#detail')).toContain('expected a whole number');
      await page.fill('#steps', '');
      await page.check('#find-all');
      await page.fill('#text', `${LOST_UPDATE}\nw(9,1)\nr(9,1)`);
      await page.click('#check');
      await isTold(page);
      expect(await page.textContent('#verdict-more tbody')).toContain('lost-update1snapshot-isolation');
      expect(await page.textContent('#note')).toMatch(/^Told by 3 transactions of 5/);
      await page.click('#whole');
      await page.waitForFunction(() => document.getElementById('note')!.textContent === 'Told by the whole history.');
      expect(await page.getAttribute('#whole', 'aria-pressed')).toBe('true');
      await page.click('#counts summary');
      await page.waitForFunction(() => document.getElementById('count-rows')!.textContent.includes('transactions5'));
      await page.selectOption('#to', 'notation');
      expect(await saved(page, '#convert')).toContain('r(1,1) w(1,2)');
    }),
  );

  test.skipIf(isSecond)('every control has a name', () =>
    withPage(async (page) => {
      await pick(page, 'Long fork');
      const nameless =
        await page.evaluate(`[...document.querySelectorAll('button, select, textarea, input, iframe, progress')]
        .filter((el) => !(el.labels?.length || el.textContent.trim() && el.tagName === 'BUTTON' || el.getAttribute('aria-label') || el.title))
        .map((el) => el.outerHTML)`);
      expect(nameless).toEqual([]);
    }),
  );

  test.skipIf(!isThere).each(browserName === 'Chromium' ? [false, true] : [false])(
    'fits narrow and wide screens, dark: %s',
    (dark) =>
      withPage(
        async (page) => {
          const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(background).toBe(dark ? 'rgb(21, 23, 26)' : 'rgb(255, 255, 255)');
          await page.click('summary');
          expect(await overflow(page)).toBeLessThanOrEqual(0);
          await pick(page, 'Phantom');
          expect(await page.evaluate(IN_SIGHT)).toBe(true);
          await page.click('#runs summary');
          for (const part of ['#more', '#verify-part', '#levels-part', '#counts'])
            await page.click(`${part} > summary`);
          await page.selectOption('#checker', 'polysi');
          for (const width of [360, 390, 700, 1280, 1400, 2200]) {
            await page.setViewportSize({ width, height: 800 });
            expect(await overflow(page)).toBeLessThanOrEqual(0);
          }
        },
        { width: 360, dark },
      ),
  );
});

/** Blind writes at the same time, then reads that go back: every subset of the writes is tried. */
const LONG = `${Array.from({ length: 26 }, (_, i) => `w(x,${i + 1}) @1-100`).join('\n')}
r(x,1) @101-102 | r(x,2) @103-104 | r(x,1) @105-106`;

/** A text of lines, one of EDN and a directory: the readers are the same, and Firefox takes a second for each. */
const IN_FIREFOX = ['isolab', 'jepsen-edn', 'cobra-log'];
