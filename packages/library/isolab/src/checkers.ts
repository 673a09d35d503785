import { type Checker, type LevelName, didYouMean } from '@isolab/contract';
import {
  type Candidate,
  type CheckerRef,
  type PluginLimits,
  type Prepared,
  RunnerError,
  asChecker,
  internalOnly,
  loadPlugin,
  specifierUrl,
} from '@isolab/runner';
import { pluginImports } from './plugins/plugin-imports.ts';

/** A built-in checker, loaded on demand. */
export interface KnownChecker extends Candidate {
  /** Whether it needs a third-party solver and may take very long. */
  readonly isBaseline: boolean;
  readonly module: string;
}

export const CHECKERS: readonly KnownChecker[] = [
  known({ name: 'weave', module: '@isolab/weave' }, () => import('@isolab/weave')),
  known({ name: 'plume', module: '@isolab/plume' }, () => import('@isolab/plume')),
  known({ name: 'dbcop', module: '@isolab/dbcop' }, () => import('@isolab/dbcop')),
  known({ name: 'cobra', module: '@isolab/cobra' }, () => import('@isolab/cobra')),
  known({ name: 'polysi', module: '@isolab/polysi' }, () => import('@isolab/polysi')),
  known({ name: 'viper', module: '@isolab/viper' }, () => import('@isolab/viper')),
  known({ name: 'mtc', module: '@isolab/mtc' }, () => import('@isolab/mtc')),
  known({ name: 'elle', module: '@isolab/elle' }, () => import('@isolab/elle')),
  known({ name: 'porcupine', module: '@isolab/porcupine' }, () => import('@isolab/porcupine')),
  known({ name: 'chronos', module: '@isolab/chronos' }, () => import('@isolab/chronos')),
  known({ name: 'axioms', module: 'isolab/guided-axioms' }, () => import('./guided-axioms.ts')),
  known({ name: 'baselines-sat', module: '@isolab/baselines/sat' }, () => import('@isolab/baselines/sat')),
  known({ name: 'baselines-smt', module: '@isolab/baselines/smt' }, () => import('@isolab/baselines/smt')),
  known({ name: 'baselines-asp', module: '@isolab/baselines/asp' }, () => import('@isolab/baselines/asp')),
];

/** Default checkers: at each level, the first that accepts the history decides. */
const ASKED_IN_TURN = ['weave', 'plume', 'viper', 'elle', 'porcupine', 'cobra', 'axioms'];
/** Checkers of linearizability for histories with repeated values. weave is efficient only if values are unique. */
const ASKED_WHERE_VALUES_REPEAT = ['porcupine', ...ASKED_IN_TURN.filter((name) => name !== 'porcupine')];

/** Returns the default checkers for a history and some levels, in order. */
export function candidatesFor(prepared: Prepared, levels: readonly LevelName[]): readonly Candidate[] {
  const input = prepared.inputFor(internalOnly().checker);
  const isRepeating = input.kind !== 'polygraph' && input.index.ambiguousReads > 0 && levels.includes('linearizable');
  return (isRepeating ? ASKED_WHERE_VALUES_REPEAT : ASKED_IN_TURN).map((name) => knownChecker(name)!);
}

export const knownChecker = (name: string): KnownChecker | undefined => CHECKERS.find((each) => each.name === name);

/**
 * Loads a built-in checker by name, or a plug-in by a path that begins with `.` or `/`, a file URL, or a package name.
 */
export async function loadChecker(word: string, limits?: PluginLimits): Promise<CheckerRef> {
  const checker = knownChecker(word);
  if (checker) return checker.load();
  try {
    return await loadPlugin(word, undefined, { ...limits, imports: pluginImports() });
  } catch (error) {
    const near = didYouMean(
      word,
      CHECKERS.map(({ name }) => name),
    );
    if (!(error instanceof RunnerError) || error.code !== 'checker-not-found' || near === '') throw error;
    throw new RunnerError(error.code, `There is no checker ${word}; ${near}isolab list checkers lists them.`);
  }
}

/** Loads all built-in checkers, or only those without an external solver. */
export const loadCheckers = (withBaselines = true): Promise<CheckerRef[]> =>
  Promise.all(CHECKERS.filter(({ isBaseline }) => withBaselines || !isBaseline).map(({ load }) => load()));

function known(
  { name, module }: { readonly name: string; readonly module: string },
  load: () => Promise<{ readonly default: unknown }>,
): KnownChecker {
  return {
    name,
    module,
    isBaseline: name.startsWith('baselines-'),
    load: async () => ({
      checker: (await load()).default as Checker,
      // A getter, because the lookup takes some milliseconds and only workers and processes need it.
      get url() {
        return urlOf(module);
      },
    }),
  };
}

/**
 * Returns the URL from which a worker loads a checker; null in a web page, whose single script includes all checkers.
 */
function urlOf(module: string): string | null {
  const here = import.meta.url as string | undefined;
  return here === undefined ? null : specifierUrl(module, new URL(here)).href;
}

/** Wraps a checker that was passed as an object. */
export const givenChecker = (checker: Checker): CheckerRef => ({
  checker: asChecker(checker, 'the option checker'),
  url: null,
  isPlugin: true,
});
