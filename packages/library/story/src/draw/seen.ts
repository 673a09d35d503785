import type { Story, StoryStage } from '../story/story.ts';

/** Drawn part of a story. */
export interface Seen {
  /** Only the transactions and the edges of the cycle. */
  readonly cycleOnly?: boolean;
  /** The refuted alternatives as well. */
  readonly refuted?: boolean;
  /** The parts that only stages have as well. */
  readonly stages?: boolean;
  /** Only the parts that this stage shows; uncertain parts are thin and dashed, with a question mark. */
  readonly stage?: string;
}

/** Returns the part of the story that is drawn. Numbers stay those of the whole story. */
export function seenPart(story: Story, { cycleOnly = false, refuted = false, stages = false, stage }: Seen): Story {
  const shown = story.stages?.find(({ name }) => name === stage);
  if (shown) return stagePart(story, shown);
  if (cycleOnly) {
    const transactions = story.transactions
      .filter(({ role }) => role === 'cycle')
      .map((t) => ({ ...t, hiddenBefore: 0 }));
    const lanes = new Set(transactions.map(({ session }) => session));
    return {
      ...story,
      transactions,
      sessions: story.sessions.filter(({ id }) => lanes.has(id)).map(({ id, label }) => ({ id, label })),
      edges: story.edges.filter(({ part }) => part === 'cycle'),
    };
  }
  const edges = story.edges.filter(
    ({ part, onlyInStages = false }) => (refuted || part !== 'refuted') && (stages || !onlyInStages),
  );
  return { ...story, edges };
}

export const uncertainIn = ({ stages = [] }: Story, stage: string | undefined): readonly string[] =>
  stages.find(({ name }) => name === stage)?.uncertain ?? [];

/** Numbers are those of the cycle in the end, which a stage does not know yet. */
function stagePart(story: Story, { name, text, transactions, edges, uncertain = [] }: StoryStage): Story {
  const shown = story.transactions.filter(({ id }) => transactions.includes(id));
  const lanes = new Set(shown.map(({ session }) => session));
  const { hidden: _, ...rest } = story;
  return {
    ...rest,
    title: `${story.title}, ${name}`,
    anomaly: null,
    summary: text,
    meaning: '',
    transactions: shown,
    sessions: story.sessions.filter(({ id }) => lanes.has(id)),
    edges: story.edges
      .filter(({ id }) => edges.includes(id))
      .map(({ number: __, ...edge }) =>
        uncertain.includes(edge.id)
          ? { ...edge, part: 'reason', key: `${edge.key ?? ''}?` }
          : { ...edge, part: 'cycle' },
      ),
  };
}
