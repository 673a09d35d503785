import { type DrawOptions, drawSvg } from '../draw/svg.ts';
import type { Story } from '../story/story.ts';

/** Draws a picture twice, for wide pages and for those as narrow as a phone. */
export function forBothWidths(story: Story, options: DrawOptions): string {
  const draw = (narrow: boolean): string =>
    drawSvg(story, {
      ...options,
      frame: false,
      interactive: true,
      narrow,
      prefix: `${narrow ? 'n' : ''}${options.prefix ?? ''}`,
    });
  if (story.transactions.length > MOST_NARROW) return draw(false);
  return `<div class="wide">${draw(false)}</div><div class="narrow">${draw(true)}</div>`;
}

/** Largest number of transactions that are drawn for narrow pages, too. */
const MOST_NARROW = 24;
