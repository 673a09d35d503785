// Slow: works the whole page in two browsers.
import { gzipSync } from 'node:zlib';
import { verifyCertificateFile } from '@isolab/verifier';
import { HISTORY_FORMATS } from '@isolab/formats';
import { parseHistory } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { EXAMPLES } from '../src/examples/examples.ts';
import { inBrowsers } from './in-browsers.ts';
import { check, fileOf, heights, IN_SIGHT, isBusyWith, isDone, isTold, overflow, pick, saved } from './on-page.ts';
import { LOST_UPDATE, filesIn } from './support.ts';

inBrowsers('the page', ({ browserName, here, once, html, withPage }) => {
  test.each(once)('the page is one small file that may load nothing', here, () => {
    expect(html().length).toBeLessThan(2_000_000);
    const [head] = html().split('<body>');
    expect(head).toContain(`default-src 'none'; worker-src blob:;`);
    expect(head).not.toMatch(/connect-src|https?:/);
    expect(html()).not.toMatch(/<(?:script|link|img|iframe)[^>]* (?:src|href)=/);
  });

  test('an example gives the lattice, the story and the existing data to keep', here, () =>
    withPage(async (page) => {
      await pick(page, 'Write skew');
      expect(await page.textContent('#headline')).toBe(
        'Not kept: serializability without sessions and everything stronger (plain-serializable)',
      );
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
      expect(verifyCertificateFile(parseHistory(text), certificate)).toMatchObject({ ok: true });
      expect(await saved(page, '#save-history')).toContain('"isolab"');
      expect(await saved(page, '#save-page')).toMatch(/^<!doctype html>/);
    }),
  );

  test.each(once)('another level of the lattice has its own story', here, () =>
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

  test.each(once)('a satisfied level is shown step by step', here, () =>
    withPage(async (page) => {
      await page.selectOption('#level', 'serializable');
      await pick(page, 'No anomaly');
      expect(await page.textContent('#headline')).toBe('serializable is satisfied');
      expect(await page.isVisible('#lattice')).toBe(false);
      const story = page.frameLocator('#story');
      await story.locator('button[data-move="1"]').click();
      expect(await story.locator('#step-note').textContent()).toMatch(/^1 of 4/);
    }),
  );

  test.each(once)('nonsense is refused with its place and a remedy, and no verdict is left standing', here, () =>
    withPage(async (page) => {
      await pick(page, 'Lost update');
      await check(page, 'hello <b>world</b>');
      expect(await page.textContent('#headline')).toBe('No verdict');
      expect(await page.textContent('#detail')).toMatch(/no known format.*\nEnter a history/);
      expect(await page.isVisible('#story')).toBe(false);
      expect(await page.isVisible('#lattice')).toBe(false);
      await check(page, 'w(x,1)\nr(x,1) w(x');
      expect(await page.textContent('#detail')).toContain('line 2, column 8');
      await check(page, '   ');
      expect(await page.textContent('#detail')).toContain('There is no history yet.');
    }),
  );

  test.each(once)('a checker that does not take the history says why, as the command does', here, () =>
    withPage(async (page) => {
      await page.selectOption('#checker', 'mtc');
      await page.selectOption('#level', 'serializable');
      await check(page, 'w(x,1)\nw(x,2)');
      expect(await page.textContent('#headline')).toBe('serializable is unknown');
      expect(await page.textContent('#detail')).toContain('mtc needs');
    }),
  );

  test('files of all formats that are written are read', here, () =>
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

  test('a compressed file, chosen; then removed', here, () =>
    withPage(async (page) => {
      const [bytes] = [...(await filesIn('isolab', LOST_UPDATE)).values()] as [Uint8Array];
      await page.setInputFiles('#file', [fileOf('history.jsonl.gz', gzipSync(bytes))]);
      expect(await page.textContent('#chosen-name')).toBe('history.jsonl.gz, 1 kB');
      expect(await page.evaluate('document.activeElement.id')).toBe('check');
      await page.keyboard.press('Enter');
      await isDone(page);
      expect(await page.textContent('#headline')).toContain('Not kept: snapshot isolation (Adya)');
      await page.click('#remove');
      expect(await page.evaluate('document.activeElement.id')).toBe('text');
    }),
  );

  test('a file, dropped', here, () =>
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

  test('something long can be cancelled, and the page answers meanwhile', here, () =>
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

  test.each(once)('a new check takes the place of one under way', here, () =>
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

  test('the page works with the keyboard alone', here, () =>
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
      expect(await page.textContent('#headline')).toContain('Not kept');
      expect(await page.textContent('[role=status]#announced')).toContain('Not kept');
      await page.focus('#lattice [data-level=causal]');
      await page.keyboard.press('Enter');
      await isTold(page);
      expect(await page.getAttribute('#lattice [data-level=causal]', 'aria-pressed')).toBe('true');
    }),
  );

  test.each(once)('every control has a name', here, () =>
    withPage(async (page) => {
      await pick(page, 'Long fork');
      const nameless =
        await page.evaluate(`[...document.querySelectorAll('button, select, textarea, input, iframe, progress')]
        .filter((el) => !(el.labels?.length || el.textContent.trim() && el.tagName === 'BUTTON' || el.getAttribute('aria-label') || el.title))
        .map((el) => el.outerHTML)`);
      expect(nameless).toEqual([]);
    }),
  );

  test.each(browserName === 'Chromium' ? [false, true] : [false])(
    'the page fits narrow and wide screens, dark: %s',
    here,
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
