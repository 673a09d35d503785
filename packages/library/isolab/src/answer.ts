/** Results for several levels in words, identical in every output. */
import { type ByLevel, type LevelName, implies, levelInWords, levelsIn } from '@isolab/contract';
import type { Unknown } from '@isolab/runner';

/**
 * Levels that a history keeps, violates or leaves undecided, in the words of docs/levels.md; null for an empty group.
 */
export interface Answer {
  /** "Snapshot isolation and everything weaker", beginning with a small letter. */
  readonly kept: string | null;
  /** "Serializability and everything stronger". */
  readonly notKept: string | null;
  /** One line for all levels with requirements that the history does not meet, and one line for each other reason. */
  readonly notDecided: readonly string[];
}

interface Settled {
  readonly strongest: readonly LevelName[];
  readonly weakestViolated: readonly LevelName[];
  /** Returns the assumption of a violation beyond the history, as the end of a sentence; null if there is none. */
  readonly supposing: (level: LevelName) => string | null;
  readonly unknown: ByLevel<Unknown>;
}

export function answerOf({ strongest, weakestViolated, supposing, unknown }: Settled): Answer {
  const bySupposition = grouped(weakestViolated, supposing);
  const notKept = Array.from(bySupposition, ([supposed, levels]) => {
    const proviso = supposed === null ? '' : `, ${supposed}`;
    return `${inWords(levels)} and everything stronger${namesOf(levels)}${proviso}`;
  });
  return {
    kept: strongest.length === 0 ? null : keptInWords(strongest),
    notKept: notKept.length === 0 ? null : notKept.join('; '),
    notDecided: [...linesOfLacking(unknown), ...linesOfReasons(unknown)],
  };
}

/** "Snapshot isolation and everything weaker", beginning with a small letter. */
export const keptInWords = (strongest: readonly LevelName[]): string =>
  `${inWords(strongest)} and everything weaker${namesOf(strongest)}`;

function grouped<Key>(levels: readonly LevelName[], keyOf: (level: LevelName) => Key): Map<Key, LevelName[]> {
  const groups = new Map<Key, LevelName[]>();
  for (const level of levels) groups.set(keyOf(level), [...(groups.get(keyOf(level)) ?? []), level]);
  return groups;
}

const inWords = (levels: readonly LevelName[]): string => levels.map(levelInWords).join(', ');

/** Lists the names of levels that differ from their titles, as values of `--level`. */
function namesOf(levels: readonly LevelName[]): string {
  const isOther = (level: LevelName): boolean => levelInWords(level).toLowerCase().replaceAll(' ', '-') !== level;
  return levels.some(isOther) ? ` (${levels.join(', ')})` : '';
}

/** Returns one line for the levels that need times or single keys. */
function linesOfLacking(unknown: Settled['unknown']): string[] {
  const lacking = (reason: Unknown['reason'], what: string): string[] => {
    const levels = levelsIn(unknown).filter((level) => unknown[level]!.reason === reason);
    if (levels.length === 0) return [];
    const weakest = levels.filter((level) => !levels.some((other) => other !== level && implies(level, other)));
    const rest = weakest.length < levels.length ? ' and everything stronger' : '';
    return [`${inWords(weakest)}${rest} ${levels.length === 1 ? 'needs' : 'need'} ${what}`];
  };
  const parts = [
    ...lacking('needs-times', 'times that can be compared'),
    ...lacking('needs-single-keys', 'transactions of one key each'),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/** Returns one line for each other reason why levels are undecided. */
function linesOfReasons(unknown: Settled['unknown']): string[] {
  const others = levelsIn(unknown).filter((level) => !LACKING.includes(unknown[level]!.reason));
  // Checkers name the level that they do not check.
  const saidOf = (level: LevelName): string =>
    unknown[level]!.detail.replace(/^nothing to judge: /, '')
      .replaceAll(`does not check ${level};`, 'does not check them;')
      .replace(/[.]$/, '');
  return Array.from(grouped(others, saidOf), ([said, levels]) => {
    const isHeld = levels.every((level) => unknown[level]!.reason === 'cut-off');
    const strongest = levels.filter((level) => !levels.some((other) => other !== level && implies(other, level)));
    // A level that holds for the recorded part of a history implies the same for all weaker levels.
    return isHeld ? `${inWords(strongest)} and everything weaker: ${said}` : `${inWords(levels)}: ${said}`;
  });
}

const LACKING: readonly Unknown['reason'][] = ['needs-times', 'needs-single-keys'];
