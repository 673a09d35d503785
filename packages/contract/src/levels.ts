/** The registry of isolation levels and what implies what; docs/levels.md defines them. */
export interface Level {
  readonly name: LevelName;
  readonly title: string;
  /** What the level asks for, in a sentence. */
  readonly summary: string;
  /** The strongest levels that this one implies; the rest follows. */
  readonly implies: readonly LevelName[];
  readonly aliases: readonly string[];
}

/** A name under which people look for a level, where it says something else than they may think. */
export interface MisleadingName {
  readonly name: string;
  readonly level: LevelName;
  readonly warning: string;
}

export type LevelName = keyof typeof DEFINITIONS;

const DEFINITIONS = {
  'cut-isolation': {
    title: 'Cut isolation',
    summary: 'A transaction that reads a key twice sees the same value both times.',
    implies: [],
    aliases: ['ci', 'item-cut-isolation'],
  },
  'read-committed-pl2': {
    title: 'Read committed (Adya)',
    summary: 'No aborted or intermediate reads, and no cycle of write and read dependencies. Sessions are ignored.',
    implies: [],
    aliases: ['pl-2'],
  },
  'read-committed': {
    title: 'Read committed',
    summary: 'Once a transaction has read from another one, it reads no older version of any other key (Plume).',
    implies: ['read-committed-pl2'],
    aliases: ['rc', 'monotonic-atomic-view', 'mav'],
  },
  'read-committed-dbcop': {
    title: 'Read committed (Biswas & Enea)',
    summary: 'As read committed, and no older version of the same key either.',
    implies: ['read-committed'],
    aliases: ['rc-dbcop'],
  },
  'read-atomic': {
    title: 'Read atomic',
    summary: 'A transaction sees all writes of another one or none, and everything that its session did before.',
    implies: ['read-committed-dbcop', 'cut-isolation'],
    aliases: ['ra'],
  },
  causal: {
    title: 'Causal consistency',
    summary: 'A transaction that sees another one also sees everything that the other saw.',
    implies: ['read-atomic'],
    aliases: ['cc', 'tcc', 'causal-consistency', 'transactional-causal-consistency'],
  },
  prefix: {
    title: 'Prefix consistency',
    summary: 'Every transaction sees a prefix of one order of all transactions.',
    implies: ['causal'],
    aliases: ['pc', 'prefix-consistency'],
  },
  'adya-snapshot-isolation': {
    title: 'Snapshot isolation (Adya)',
    summary: 'Every transaction reads from a logical snapshot, and no two concurrent transactions write the same key.',
    implies: ['read-committed-pl2', 'cut-isolation'],
    aliases: ['pl-si', 'adya-si'],
  },
  'generalized-snapshot-isolation': {
    title: 'Generalized snapshot isolation',
    summary: 'Every snapshot was taken in the past in real time; it may be old.',
    implies: ['adya-snapshot-isolation'],
    aliases: ['gsi', 'ansi-si'],
  },
  'snapshot-isolation': {
    title: 'Snapshot isolation',
    summary:
      'Every snapshot is a prefix of one order and contains the session’s own past; concurrent transactions write different keys.',
    implies: ['prefix', 'adya-snapshot-isolation'],
    aliases: ['si', 'session-snapshot-isolation'],
  },
  'strong-session-snapshot-isolation': {
    title: 'Strong session snapshot isolation',
    summary: 'Generalized snapshot isolation, and every session sees its own past.',
    implies: ['snapshot-isolation', 'generalized-snapshot-isolation'],
    aliases: ['sssi', 'strong-session-si', 'prefix-consistent-si', 'pcsi'],
  },
  'strong-snapshot-isolation': {
    title: 'Strong snapshot isolation',
    summary: 'Every snapshot contains all transactions that had committed before it in real time.',
    implies: ['strong-session-snapshot-isolation'],
    aliases: ['strong-si'],
  },
  'plain-serializable': {
    title: 'Serializability without sessions',
    summary: 'Some serial order of all transactions explains the reads.',
    implies: ['adya-snapshot-isolation'],
    aliases: ['pl-3'],
  },
  serializable: {
    title: 'Serializability',
    summary: 'Some serial order of all transactions that respects session order explains the reads.',
    implies: ['plain-serializable', 'snapshot-isolation'],
    aliases: ['ser', 'strong-session-serializable', 'session-serializable'],
  },
  'strict-serializable': {
    title: 'Strict serializability',
    summary: 'Some serial order of all transactions that respects real time explains the reads.',
    implies: ['serializable'],
    aliases: ['sser', 'strong-serializable', 'strict-ser', 'pl-ss'],
  },
  linearizable: {
    title: 'Linearizability',
    summary: 'Strict serializability of single operations, key by key.',
    implies: [],
    aliases: ['lin'],
  },
} as const satisfies Record<
  string,
  { title: string; summary: string; implies: readonly string[]; aliases: readonly string[] }
>;

/** Weak levels before strong ones: a level stands after all that it implies. */
export const LEVELS: readonly Level[] = (Object.keys(DEFINITIONS) as LevelName[]).map((name) => ({
  name,
  ...DEFINITIONS[name],
}));

export const MISLEADING_NAMES: readonly MisleadingName[] = [
  {
    name: 'repeatable-read',
    level: 'snapshot-isolation',
    warning:
      'isolab checks snapshot isolation, which is what REPEATABLE READ means in PostgreSQL. Adya’s repeatable read (PL-2.99) is another level, and MySQL’s is neither.',
  },
  {
    name: 'rr',
    level: 'snapshot-isolation',
    warning:
      'isolab checks snapshot isolation, which is what repeatable read means in PostgreSQL. Adya’s repeatable read (PL-2.99) is another level, and MySQL’s is neither.',
  },
  {
    name: 'oracle-serializable',
    level: 'snapshot-isolation',
    warning: 'isolab checks snapshot isolation, which is what SERIALIZABLE means in Oracle.',
  },
];

export const levelNamed = (name: LevelName): Level => LEVELS.find((level) => level.name === name)!;

/** The level that a user's word means, with a warning where the word misleads; null for words that mean none. */
export function findLevel(word: string): { readonly level: Level; readonly warning: string | null } | null {
  const wanted = word.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const level = LEVELS.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
  if (level) return { level, warning: null };
  const misleading = MISLEADING_NAMES.find(({ name }) => name === wanted);
  return misleading ? { level: levelNamed(misleading.level), warning: misleading.warning } : null;
}

/** A stronger level that is satisfied beside a weaker one that is violated: at least one of the verdicts is wrong. */
export interface LevelOrderBreak {
  readonly satisfied: LevelName;
  readonly violated: LevelName;
}

/** Where verdicts about one history contradict what implies what. */
export function levelOrderBreaks(
  verdicts: Readonly<Partial<Record<LevelName, 'satisfied' | 'violated' | 'unknown'>>>,
): LevelOrderBreak[] {
  const named = (wanted: string): LevelName[] =>
    LEVELS.map(({ name }) => name).filter((name) => verdicts[name] === wanted);
  return named('satisfied').flatMap((satisfied) =>
    named('violated').flatMap((violated) => (implies(satisfied, violated) ? [{ satisfied, violated }] : [])),
  );
}

/** Whether every history that satisfies `strong` satisfies `weak`. */
export const implies = (strong: LevelName, weak: LevelName): boolean =>
  strong === weak || levelNamed(strong).implies.some((next) => implies(next, weak));
