import { drawBothWidths } from 'isolab/skin';
import type { Story } from 'isolab';
import type { Brief } from './protocol.ts';

/** Summarizes a story for a page without room for it. */
export const briefOf = (story: Story): Brief => ({
  title: story.title,
  summary: story.summary,
  picture: drawBothWidths(story, { theme: 'auto', prefix: 'start' }),
});
