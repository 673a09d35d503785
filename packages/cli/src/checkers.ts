import { API_VERSION, LEVELS, type LevelName, defineChecker, internalViolations } from '@isolab/checker';
import { type CheckerRef, type Engine, type Prepared, loadChecker, unmetRequirement } from '@isolab/runner';
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

/** Those that `check` asks when no checker is named: for each level the first one that takes the history. */
const DEFAULTS = ['weave', 'plume', 'viper', 'elle', 'porcupine', 'cobra'] as const;

/** A built-in checker, or a plug-in: a path that begins with `.` or `/`, or the name of a package. */
export function checkerNamed(word: string): Promise<CheckerRef> {
  const builtIn = BUILT_IN[word];
  return builtIn === undefined ? loadChecker(word) : loadChecker(builtIn, new URL(import.meta.url));
}

export const builtInCheckers = (): Promise<CheckerRef[]> => Promise.all(Object.keys(BUILT_IN).map(checkerNamed));

/**
 * What `check` falls back on for a level or history that no checker takes: anomalies that show in a single read violate
 * a level whatever else the history holds; where there are none, nothing can be said.
 */
export const internalOnly: CheckerRef = {
  url: null,
  checker: defineChecker<object>({
    info: {
      name: 'internal',
      title: 'only the internal anomalies, which every level forbids',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: LEVELS.map(({ name }) => name),
      sound: true,
      complete: false,
      requires: [],
      options: {},
      variants: {},
    },
    check: (input, level, _, context) => {
      const anomalies = internalViolations(input, level, context);
      if (anomalies.length > 0) return { status: 'violated', anomalies };
      return { status: 'unknown', reason: 'incomplete', detail: `No internal anomaly was found. ${NO_CHECKER}` };
    },
  }),
};

const NO_CHECKER = 'No checker for this level and kind of history is installed yet, so that nothing more can be said.';

/** Chooses the engine for each level of one history; loads no checker that none of the levels needs. */
export async function engineChooser(
  named: Engine | null,
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => Engine> {
  if (named) return () => named;
  const chosen = new Map<LevelName, CheckerRef>();
  for (const name of DEFAULTS) {
    if (levels.every((level) => chosen.has(level))) break;
    const ref = await checkerNamed(name);
    const input = prepared.inputFor(ref.checker);
    for (const level of ref.checker.info.levels) {
      if (!chosen.has(level) && unmetRequirement(ref.checker, input, level) === null) chosen.set(level, ref);
    }
  }
  return (level) => ({ checker: chosen.get(level) ?? internalOnly });
}

export function parseOptions(pairs: readonly string[], flag: string = '--option'): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`${flag} takes name=value, not ${pair}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
