import type { LevelName, OptionSpec, Variant } from '@isolab/contract';
import type { Tuning } from './tuning.ts';

/** The level to decide, and settings that affect only the time that this takes. */
export interface Question {
  readonly level: LevelName;
  readonly options: StrongOptions;
  readonly tuning: Tuning;
}

/** Returns an option whose default is the first choice. */
const choiceOf = <Value extends string>(help: string, ...choices: readonly [Value, ...Value[]]): OptionSpec<Value> => ({
  default: choices[0],
  choices,
  help,
});

/** Optimizations that can be switched off to measure them. They affect the time to a verdict, never the verdict. */
export const STRONG_OPTIONS = {
  guess: choiceOf(
    'Choose the order that the replay follows at strong levels: by depth among sessions and read-from, by the pace of sessions, or that of the file',
    'depth',
    'pace',
    'none',
  ),
  claims: choiceOf(
    'Use the timestamps and version numbers that the database states as a guess, or ignore them',
    'guess',
    'ignore',
  ),
  saturation: choiceOf(
    'Look for facts before the replay at strong levels; auto: only after many conflicts',
    'auto',
    'always',
    'never',
  ),
  narrowing: choiceOf('Drop writes that a read cannot have seen, where values repeat', 'auto', 'never'),
  annealing: choiceOf(
    'Move the transactions of the guess to where fewer reads miss; auto: only after many conflicts',
    'auto',
    'never',
  ),
  learning: choiceOf(
    'Look for the cycle with the fewest choices in each conflict; auto: only after very many conflicts',
    'auto',
    'always',
    'never',
  ),
  sessions: choiceOf('Look for an order that respects sessions first, at levels without sessions', 'first', 'never'),
  near: choiceOf('Look for facts near a contradiction first, at levels without sessions', 'first', 'never'),
};

export type StrongOptions = {
  readonly [Name in keyof typeof STRONG_OPTIONS]: (typeof STRONG_OPTIONS)[Name]['default'];
};

export const STRONG_VARIANTS: Readonly<Record<string, Variant<StrongOptions>>> = {
  'pace-only': { help: 'Follow the pace of sessions', options: { guess: 'pace', claims: 'ignore' } },
  'no-guess': { help: 'Follow the order of the file', options: { guess: 'none' } },
  'saturation-first': { help: 'Look for facts before the first attempt', options: { saturation: 'always' } },
  'no-saturation': {
    help: 'Never look for facts: conflicts alone repair the replay',
    options: { saturation: 'never' },
  },
  'no-narrowing': {
    help: 'Exclude no write before a read is placed, where values repeat',
    options: { narrowing: 'never' },
  },
  'no-annealing': {
    help: 'Keep the first guess, however many conflicts it leads to',
    options: { annealing: 'never' },
  },
  'plain-learning': {
    help: 'Learn the first cycle found in each conflict, however many choices it rests on',
    options: { learning: 'never' },
  },
  'no-near-facts': {
    help: 'Look for facts everywhere or not at all, at levels without sessions',
    options: { near: 'never' },
  },
  'no-sessions-first': {
    help: 'Ignore sessions from the start, at levels without sessions',
    options: { sessions: 'never' },
  },
};
