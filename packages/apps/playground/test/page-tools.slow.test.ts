// Slow: works every tool of the page in two browsers.
import { pathToFileURL } from 'node:url';
import { LEVELS } from '@isolab/contract';
import { expect, test } from 'vitest';
import { inBrowsers } from './in-browsers.ts';
import { check, fileOf, isDone, isTold, linkFrom, pick, saved } from './on-page.ts';
import { LOST_UPDATE } from './support.ts';

inBrowsers('what the page does beyond a check', ({ here, once, path, withPage }) => {
  test('a link holds the history and the settings; opened, it checks at once', here, () =>
    withPage(async (page) => {
      await page.selectOption('#checker', 'polysi');
      await page.click('#more summary');
      await page.selectOption('#variant', 'no-pruning');
      await page.selectOption('#level', 'snapshot-isolation');
      await check(page, LOST_UPDATE);
      const link = await linkFrom(page, '#copy-link');
      expect(await page.textContent('#link-note')).toMatch(/: \d+ of at most 8000 characters\. It opens this file/);
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

  test.each(once)('a link to the part that is shown; no link to a too large one; damaged and foreign ones', here, () =>
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

  test.each(once)('a certificate is verified, and refused for another history', here, () =>
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
      expect(await page.textContent('#detail')).toContain(
        "the certificate, line 1, column 1: found 'nonsense', expected a value",
      );
    }),
  );

  test.each(once)('every checker is asked, about all levels or one', here, () =>
    withPage(async (page) => {
      await page.fill('#text', LOST_UPDATE);
      await page.click('#compare');
      await isDone(page);
      expect(await page.textContent('#headline')).toBe('The checkers agree');
      expect(await page.locator('#verdict-more tbody tr').count()).toBe(LEVELS.length);
      expect(await page.textContent('#verdict-more')).toMatch(/snapshot-isolationviolated[a-z, ]*weave/);
      await page.selectOption('#level', 'snapshot-isolation');
      await page.click('#compare');
      await isDone(page);
      expect(await page.textContent('#headline')).toBe('snapshot-isolation is violated');
      expect(await page.locator('#verdict-more tbody tr').count()).toBeGreaterThan(8);
      expect(await page.locator('#verdict-more tbody tr').first().textContent()).toMatch(/^weaveviolated/);
    }),
  );

  test.each(once)('two levels are compared, and the history that distinguishes them is checked', here, () =>
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

  test.each(once)('a level of one’s own is written, checked, compared and linked', here, () =>
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
      expect(await page.textContent('#headline')).toBe('my-causal is satisfied');
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

  test.each(once)('limits, all kinds of anomalies, the whole history, counts and another format', here, () =>
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
      expect(await page.textContent('#note')).toMatch(/^From 3 transactions of 5/);
      await page.click('#whole');
      await page.waitForFunction(() => document.getElementById('note')!.textContent === 'From the whole history.');
      expect(await page.getAttribute('#whole', 'aria-pressed')).toBe('true');
      await page.click('#counts summary');
      await page.waitForFunction(() => document.getElementById('count-rows')!.textContent.includes('transactions5'));
      await page.selectOption('#to', 'notation');
      expect(await saved(page, '#convert')).toContain('r(1,1) w(1,2)');
    }),
  );
});
