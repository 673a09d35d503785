import type { OptionSpec, Variant } from '@isolab/contract';

/** Ideas that can be switched off, to see what each is worth. They change how long a verdict takes, never the verdict. */
export interface StrongOptions {
  readonly guess: 'depth' | 'pace' | 'none';
  readonly claims: 'guess' | 'check' | 'ignore';
  readonly saturation: 'auto' | 'always' | 'never';
  readonly narrowing: 'auto' | 'never';
  readonly learning: 'auto' | 'always' | 'never';
  readonly parts: 'apart' | 'together';
  readonly sessions: 'first' | 'never';
  readonly near: 'first' | 'never';
}

export const STRONG_OPTIONS: { readonly [Name in keyof StrongOptions]: OptionSpec<StrongOptions[Name]> } = {
  guess: {
    default: 'depth',
    choices: ['depth', 'pace', 'none'],
    help: 'strong levels: which order the replay follows: depth among sessions and read-from, pace of sessions, or that of the file',
  },
  claims: {
    default: 'guess',
    choices: ['guess', 'check', 'ignore'],
    help: 'what to do with timestamps and version numbers that the database states: take them for a guess, also warn where they contradict what was read, or ignore them',
  },
  saturation: {
    default: 'auto',
    choices: ['auto', 'always', 'never'],
    help: 'strong levels: whether to look for facts before the replay; auto: only once it has met many conflicts',
  },
  narrowing: {
    default: 'auto',
    choices: ['auto', 'never'],
    help: 'repeated values: whether facts also say which writes a read cannot have seen',
  },
  learning: {
    default: 'auto',
    choices: ['auto', 'always', 'never'],
    help: 'strong levels: whether each conflict is looked at for what excludes most; auto: only once there were very many',
  },
  parts: {
    default: 'apart',
    choices: ['apart', 'together'],
    help: 'strong levels: whether parts of a history that share no session and no key are replayed one after the other',
  },
  sessions: {
    default: 'first',
    choices: ['first', 'never'],
    help: 'levels without sessions: whether to look for an order that respects them first',
  },
  near: {
    default: 'first',
    choices: ['first', 'never'],
    help: 'levels without sessions: whether facts are looked for near a contradiction before they are everywhere',
  },
};

export const STRONG_VARIANTS: Readonly<Record<string, Variant<StrongOptions>>> = {
  'pace-only': { help: 'the replay follows the pace of sessions', options: { guess: 'pace', claims: 'ignore' } },
  'no-guess': { help: 'the replay follows the order of the file', options: { guess: 'none' } },
  'no-claims': { help: 'timestamps and version numbers of the database play no part', options: { claims: 'ignore' } },
  'saturation-first': { help: 'facts are looked for before anything is tried', options: { saturation: 'always' } },
  'no-saturation': {
    help: 'facts are never looked for: conflicts alone repair the replay',
    options: { saturation: 'never' },
  },
  'no-narrowing': {
    help: 'where values repeat, no write is excluded before a read is placed',
    options: { narrowing: 'never' },
  },
  'plain-learning': {
    help: 'from each conflict the first cycle that was found is learned, however many choices it rests on',
    options: { learning: 'never' },
  },
  'no-parts': { help: 'independent parts of a history are replayed side by side', options: { parts: 'together' } },
  'no-near-facts': {
    help: 'at levels without sessions, facts are looked for everywhere or not at all',
    options: { near: 'never' },
  },
  'no-sessions-first': { help: 'at levels without sessions they play no part', options: { sessions: 'never' } },
};
