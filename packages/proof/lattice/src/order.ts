import { KNOWN_LEVELS, type LevelName, implies } from '@isolab/contract';

const NAMES: readonly LevelName[] = KNOWN_LEVELS.map(({ name }) => name);

const isNext = (strong: LevelName, weak: LevelName): boolean =>
  strong !== weak &&
  implies(strong, weak) &&
  !NAMES.some(
    (between) => between !== strong && between !== weak && implies(strong, between) && implies(between, weak),
  );

/** The levels that a level directly implies, and the levels that directly imply it. */
export const nextWeaker = (level: LevelName): LevelName[] => NAMES.filter((weak) => isNext(level, weak));
export const nextStronger = (level: LevelName): LevelName[] => NAMES.filter((strong) => isNext(strong, level));
