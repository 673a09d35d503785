import { MOST_IN_ONE_LANE } from '../draw/limits.ts';
import { type DrawOptions, drawSvg } from '../draw/svg.ts';
import type { Story } from '../story/story.ts';

export interface BothWidths {
  readonly wide: string;
  /** The picture with one lane, for pages as narrow as a phone. */
  readonly narrow: string;
}

/** Draws a picture without its frame twice, for wide pages and for narrow ones. The ids of both are distinct. */
export const drawBothWidths = (story: Story, options: DrawOptions): BothWidths => ({
  wide: drawForPage(story, options, false),
  narrow: drawForPage(story, options, true),
});

const drawForPage = (story: Story, options: DrawOptions, narrow: boolean): string =>
  drawSvg(story, { ...options, frame: false, narrow, prefix: `${narrow ? 'n' : ''}${options.prefix ?? ''}` });

/** Pictures of a page with a style that shows the one of its width. */
export function forBothWidths(story: Story, given: DrawOptions): string {
  const options = { ...given, interactive: true };
  if (story.transactions.length > MOST_IN_ONE_LANE) return drawForPage(story, options, false);
  const { wide, narrow } = drawBothWidths(story, options);
  return `<div class="wide">${wide}</div><div class="narrow">${narrow}</div>`;
}
