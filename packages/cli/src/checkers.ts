import type { LevelName } from '@isolab/contract';
import {
  type CheckerRef,
  type Engine,
  type PluginLimits,
  type Prepared,
  chooseEngines,
  loadChecker,
  loadPlugin,
} from '@isolab/runner';
import { UsageError } from './exit.ts';
import { orNearest } from './words.ts';

/** The checkers that come with isolab, by name; loaded when they are asked for. */
export const BUILT_IN: Readonly<Record<string, string>> = {
  weave: '@isolab/weave',
  plume: '@isolab/plume',
  dbcop: '@isolab/dbcop',
  cobra: '@isolab/cobra',
  polysi: '@isolab/polysi',
  viper: '@isolab/viper',
  mtc: '@isolab/mtc',
  elle: '@isolab/elle',
  porcupine: '@isolab/porcupine',
  'baselines-sat': '@isolab/baselines-sat',
  'baselines-smt': '@isolab/baselines-smt',
  'baselines-asp': '@isolab/baselines-asp',
};

/** Those that `compare` asks when no checkers are named: not the baselines, which may take very long. */
export const COMPARED = Object.keys(BUILT_IN).filter((name) => !name.startsWith('baselines-'));

/** A built-in checker, or a plug-in: a path that begins with `.` or `/`, or the name of a package. */
export async function checkerNamed(word: string, limits?: PluginLimits): Promise<CheckerRef> {
  if (Object.hasOwn(BUILT_IN, word)) return loadChecker(BUILT_IN[word]!, new URL(import.meta.url));
  try {
    return await loadPlugin(word, undefined, limits);
  } catch (error) {
    const isNotFound = (error as { readonly code?: unknown } | null)?.code === 'checker-not-found';
    const near = orNearest(word, Object.keys(BUILT_IN));
    if (isNotFound && near !== '')
      throw new UsageError(`There is no checker ${word}; ${near}isolab checkers lists them.`);
    throw error;
  }
}

export const builtInCheckers = (): Promise<CheckerRef[]> =>
  Promise.all(Object.keys(BUILT_IN).map((name) => checkerNamed(name)));

/** Chooses the engine for each level of one history; loads no checker that none of the levels needs. */
export const engineChooser = (
  named: Engine | null,
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => Engine> => chooseEngines(named, (name) => checkerNamed(name), prepared, levels);

export function parseOptions(pairs: readonly string[], flag: string = '--option'): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`${flag} takes name=value, not ${pair}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
