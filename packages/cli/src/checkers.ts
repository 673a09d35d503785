import type { LevelName } from '@isolab/checker';
import { type CheckerRef, type Engine, type Prepared, chooseEngines, loadChecker } from '@isolab/runner';
import { UsageError } from './exit.ts';

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
export function checkerNamed(word: string): Promise<CheckerRef> {
  const builtIn = BUILT_IN[word];
  return builtIn === undefined ? loadChecker(word) : loadChecker(builtIn, new URL(import.meta.url));
}

export const builtInCheckers = (): Promise<CheckerRef[]> => Promise.all(Object.keys(BUILT_IN).map(checkerNamed));

/** Chooses the engine for each level of one history; loads no checker that none of the levels needs. */
export const engineChooser = (
  named: Engine | null,
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => Engine> => chooseEngines(named, checkerNamed, prepared, levels);

export function parseOptions(pairs: readonly string[], flag: string = '--option'): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`${flag} takes name=value, not ${pair}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
