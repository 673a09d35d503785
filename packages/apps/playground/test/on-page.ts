/** Actions and observations of tests on the page. */

import type { OpenedPage } from '@isolab/needs/browser';
import { readFileSync } from 'node:fs';

export type Page = OpenedPage['page'];

export const fileOf = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(bytes),
});

/** Checks a text, to the end. */
export async function check(page: Page, text: string): Promise<void> {
  await page.fill('#text', text);
  await page.click('#check');
  await isDone(page);
}

export async function pick(page: Page, title: string): Promise<void> {
  await page.click(`button[data-example]:text-is("${title}")`);
  await isTold(page);
}

export async function isDone(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.getElementById('running')!.hidden && document.getElementById('headline')!.textContent !== '',
  );
}

export async function isBusyWith(page: Page, word: string): Promise<void> {
  await page.waitForFunction((wanted) => document.getElementById('doing')!.textContent.includes(wanted), word);
}

export async function isTold(page: Page): Promise<void> {
  await isDone(page);
  await page.waitForFunction(() => document.getElementById('story')!.style.height !== '');
}

/** The link that a button copies, or puts into the address bar where the browser lets no page from disk copy. */
export async function linkFrom(page: Page, button: string): Promise<string> {
  await page.evaluate(
    `document.addEventListener('copy', () => (window.copied = getSelection() + '' || document.activeElement.value))`,
  );
  await page.evaluate(
    `navigator.clipboard && (navigator.clipboard.writeText = async (text) => void (window.copied = text))`,
  );
  await page.click(button);
  await page.waitForFunction(() => 'copied' in window);
  return page.evaluate('window.copied');
}

export async function saved(page: Page, button: string): Promise<string> {
  // BiDi reports no downloads of Firefox: there, the test inspects the offered file.
  if (page.context().browser()!.browserType().name() === 'firefox') {
    await page.evaluate(
      `{ const make = URL.createObjectURL; URL.createObjectURL = (blob) => ((window.offered = blob.text()), make.call(URL, blob)); }`,
    );
    await page.click(button);
    await page.waitForFunction(() => 'offered' in window);
    return page.evaluate('window.offered.finally(() => delete window.offered)');
  }
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFileSync((await download.path())!, 'utf8');
}

export const heights = (page: Page): Promise<[number, number]> =>
  page.evaluate(
    `[document.getElementById('story').clientHeight, document.getElementById('story').contentDocument.documentElement.scrollHeight]`,
  );

/** Whether the headline is to be seen without scrolling. */
export const IN_SIGHT = `document.getElementById('headline').getBoundingClientRect().top < innerHeight`;

export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
