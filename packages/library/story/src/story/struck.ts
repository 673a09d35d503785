import type { Story, StoryFault } from './story.ts';

/** Faults of the database during the story's transactions, one line per fault. */
export const struckLines = (story: Story): string[] => (story.clock?.faults ?? []).map((fault) => lineOf(story, fault));

function lineOf({ transactions }: Story, { text, beginMs, endMs, during }: StoryFault): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
  const when = endMs === null ? `from ${seconds(beginMs)} on` : `from ${seconds(beginMs)} to ${seconds(endMs)}`;
  const labels = transactions.filter(({ id }) => during.includes(id)).map(({ label }) => label);
  return `${text}, ${when}${labels.length > 0 ? `, during ${labels.join(', ')}` : ''}`;
}
