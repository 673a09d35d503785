/** The page of a story inside this one, as high as it is. */

import { element } from './elements.ts';

const frame = (): HTMLIFrameElement => element<HTMLIFrameElement>('story');

/** Keeps the frame as high as its content. Where the browser does not let this page look into it, it scrolls itself. */
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
  // While a story takes the place of another one, Firefox has a document without a body.
  if (!contentDocument?.body || !contentWindow) return;
  const bottom = contentDocument.body.getBoundingClientRect().bottom + contentWindow.scrollY;
  style.height = `${Math.min(MOST_PIXELS, Math.ceil(bottom) + BORDERS)}px`;
}

const BORDERS = 4;
/** Higher ones scroll inside. */
const MOST_PIXELS = 6000;
