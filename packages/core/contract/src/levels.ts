/** Registry of isolation levels and their implications, from the files of packages/core/levels. */
import {
  type BuiltInLevel,
  CORE_LEVELS,
  LEVEL_RECORDS,
  type LevelName,
  type LevelRecord,
  STATED,
} from '@isolab/levels';
import { userDefinition } from './definitions.ts';

export type Level = LevelRecord<LevelName>;

/** A name under which people look for a level, although the name has another meaning than they may expect. */
export interface MisleadingName {
  readonly name: string;
  readonly level: LevelName;
  readonly warning: string;
}

export type ByLevel<T> = Readonly<Partial<Record<LevelName, T>>>;

export const levelsIn = (byLevel: ByLevel<unknown>): LevelName[] => Object.keys(byLevel) as LevelName[];

/** Lists the levels that have a value, in the order in which they were added. */
export const eachLevel = <T>(byLevel: ByLevel<T>): [LevelName, T][] => Object.entries(byLevel) as [LevelName, T][];

/** A level that special checkers decide; `all` means these levels. */
export type CoreLevel = (typeof CORE_LEVELS)[number];

/** All levels that come with isolab. Each level comes after all levels that it implies. */
export const KNOWN_LEVELS: readonly LevelRecord<BuiltInLevel>[] = LEVEL_RECORDS;

const isCore = (name: string): name is CoreLevel => (CORE_LEVELS as readonly string[]).includes(name);

/**
 * The levels that `all` means, weak levels before strong levels; they imply only one another. docs/levels.md lists all
 * levels.
 */
export const LEVELS: readonly LevelRecord<CoreLevel>[] = CORE_LEVELS.map((name) => {
  const level = LEVEL_RECORDS.find((each) => each.name === name)!;
  return { ...level, name, implies: level.implies.filter(isCore) };
});

export const MISLEADING_NAMES: readonly MisleadingName[] = [
  {
    name: 'repeatable-read',
    level: 'snapshot-isolation',
    warning:
      'isolab checks snapshot isolation, which is what REPEATABLE READ means in PostgreSQL. Adya’s repeatable read (PL-2.99) is repeatable-read-pl299, and MySQL’s is neither.',
  },
  {
    name: 'rr',
    level: 'snapshot-isolation',
    warning:
      'isolab checks snapshot isolation, which is what repeatable read means in PostgreSQL. Adya’s repeatable read (PL-2.99) is repeatable-read-pl299, and MySQL’s is neither.',
  },
  {
    name: 'oracle-serializable',
    level: 'snapshot-isolation',
    warning: 'isolab checks snapshot isolation, which is what SERIALIZABLE means in Oracle.',
  },
  {
    name: 'galera',
    level: 'snapshot-isolation',
    warning:
      'isolab checks snapshot isolation, which is what Galera promises for transactions on different nodes. On one node, the level is that of InnoDB, which allows lost updates.',
  },
];

/** Returns the record of a level; for a user-defined level, its name. */
export const levelNamed = (name: LevelName): Level =>
  KNOWN_LEVELS.find((level) => level.name === name) ??
  userDefinition(name) ?? { name, title: name, summary: '', implies: [], aliases: [] };

/**
 * Returns the title of a level for use within a sentence: `snapshot isolation` for `Snapshot isolation`, `PRAM`
 * unchanged.
 */
export const levelInWords = (name: LevelName): string =>
  levelNamed(name).title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** Finds the level with this name or alias, with a warning if the word is misleading. Returns null if there is none. */
export function findLevel(word: string): { readonly level: Level; readonly warning: string | null } | null {
  const wanted = word.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const level = KNOWN_LEVELS.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
  if (level) return { level, warning: null };
  if (wanted === STATED) return { level: levelNamed(STATED), warning: null };
  const misleading = MISLEADING_NAMES.find(({ name }) => name === wanted);
  return misleading ? { level: levelNamed(misleading.level), warning: misleading.warning } : null;
}

/**
 * Sorts levels in the order of the registry, weak levels before strong levels, and keeps users' own levels at the end.
 */
export function inRegistryOrder(names: readonly LevelName[]): LevelName[] {
  const known = KNOWN_LEVELS.map(({ name }): LevelName => name).filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name))];
}

/** A satisfied stronger level and a violated weaker level: at least one of the verdicts is wrong. */
export interface LevelOrderBreak {
  readonly satisfied: LevelName;
  readonly violated: LevelName;
}

/** Finds verdicts about one history that contradict the implications. */
export function levelOrderBreaks(verdicts: ByLevel<'satisfied' | 'violated' | 'unknown'>): LevelOrderBreak[] {
  const named = (wanted: string): LevelName[] =>
    inRegistryOrder(levelsIn(verdicts)).filter((name) => verdicts[name] === wanted);
  return named('satisfied').flatMap((satisfied) =>
    named('violated').flatMap((violated) => (implies(satisfied, violated) ? [{ satisfied, violated }] : [])),
  );
}

/** Returns whether every history that satisfies `strong` satisfies `weak`. */
export const implies = (strong: LevelName, weak: LevelName): boolean =>
  strong === weak || (IMPLIED.get(strong)?.has(weak) ?? false);

/** Returns whether a transaction that sees one write of another one sees all its writes at this level. */
export const seesWholeChanges = (level: LevelName): boolean => implies(level, 'plain-read-atomic');

/** All levels that each level implies; the registry names only the strongest. */
const IMPLIED = new Map<LevelName, ReadonlySet<LevelName>>();
for (const { name, implies: strongest } of KNOWN_LEVELS)
  IMPLIED.set(name, new Set(strongest.flatMap((weaker) => [weaker, ...IMPLIED.get(weaker)!])));
