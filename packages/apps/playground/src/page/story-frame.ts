/** Embeds the page of a story in this page, at its full height. */

import { element } from './elements.ts';

const frame = (): HTMLIFrameElement => element<HTMLIFrameElement>('story');

/** Keeps the frame as high as its content. If the browser denies access to the content, the frame scrolls. */
export function setUpStory(): void {
  const observer = new ResizeObserver(fit);
  frame().addEventListener('load', () => {
    observer.disconnect();
    const body = frame().contentDocument?.body;
    if (body && !frame().hidden) observer.observe(body);
  });
}

export function showStory(page: string | null): void {
  const shown = frame();
  shown.hidden = page === null;
  shown.style.height = '';
  if (page === null) shown.removeAttribute('srcdoc');
  else shown.srcdoc = page;
}

function fit(): void {
  const { contentDocument, contentWindow, style } = frame();
  // While a story replaces another, Firefox has a document without a body.
  if (!contentDocument?.body || !contentWindow) return;
  const bottom = contentDocument.body.getBoundingClientRect().bottom + contentWindow.scrollY;
  style.height = `${Math.min(MOST_PIXELS, Math.ceil(bottom) + BORDERS)}px`;
}

const BORDERS = 4;
/** Higher content scrolls inside the frame. */
const MOST_PIXELS = 6000;
