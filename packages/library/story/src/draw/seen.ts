import type { Story, StoryStage } from '../story/story.ts';

/** Selection of the drawn part of a story. */
export interface Seen {
  /** Only the transactions and the edges of the cycle. */
  readonly cycleOnly?: boolean;
  /** Includes the refuted alternatives. */
  readonly refuted?: boolean;
  /** Includes the parts that appear only in stages. */
  readonly stages?: boolean;
  /** Restricts the picture to this stage. Uncertain parts are thin and dashed, with a question mark. */
  readonly stage?: string;
}

/** Returns the drawn part of the story. Numbers still refer to the whole story. */
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

/** The numbers refer to the final cycle, which a stage does not know yet. */
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

/** Returns the story with all transactions in one lane, in which each transaction names its session. */
export function inOneLane(story: Story): Story {
  const labelOf = new Map(story.sessions.map(({ id, label }) => [id, label]));
  const transactions = story.transactions.map((transaction) =>
    transaction.session === null
      ? transaction
      : { ...transaction, session: LANE, label: `${transaction.label} ${labelOf.get(transaction.session) ?? ''}` },
  );
  return { ...story, transactions, sessions: [{ id: LANE, label: '' }] };
}

const LANE = 'lane';
