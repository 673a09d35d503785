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

/** A checker that comes with isolab, loaded when it is asked for. */
export interface KnownChecker extends Candidate {
  /** Whether it needs a third-party solver, and may take very long. */
  readonly isBaseline: boolean;
  /** Module to import for it. */
  readonly module: string;
}

/** Every checker that comes with isolab. */
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

/** The checkers that are asked where none is named: at each level, the first one that takes the history decides. */
const ASKED_IN_TURN = ['weave', 'plume', 'viper', 'elle', 'porcupine', 'cobra', 'axioms'];
/**
 * Checkers where values repeat and linearizability is asked for, which weave decides well only where values are unique.
 */
const ASKED_WHERE_VALUES_REPEAT = ['porcupine', ...ASKED_IN_TURN.filter((name) => name !== 'porcupine')];

/** The checkers to ask about a history at some levels, in their order. */
export function candidatesFor(prepared: Prepared, levels: readonly LevelName[]): readonly Candidate[] {
  const input = prepared.inputFor(internalOnly().checker);
  const isRepeating = input.kind !== 'polygraph' && input.index.ambiguousReads > 0 && levels.includes('linearizable');
  return (isRepeating ? ASKED_WHERE_VALUES_REPEAT : ASKED_IN_TURN).map((name) => knownChecker(name)!);
}

export const knownChecker = (name: string): KnownChecker | undefined => CHECKERS.find((each) => each.name === name);

/**
 * Loads a checker: one of isolab by its name, or a plug-in by a path that begins with `.` or `/`, by a file URL, or by
 * the name of a package.
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

/** Loads all checkers that come with isolab, or only those that need no external solver. */
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
      // To find it takes some milliseconds, and only workers and processes ask.
      get url() {
        return urlOf(module);
      },
    }),
  };
}

/** Where a worker loads a checker from; null in a page, whose one script holds them all. */
function urlOf(module: string): string | null {
  const here = import.meta.url as string | undefined;
  return here === undefined ? null : specifierUrl(module, new URL(here)).href;
}

/** A checker that was given as an object. */
export const givenChecker = (checker: Checker): CheckerRef => ({
  checker: asChecker(checker, 'the option checker'),
  url: null,
  isPlugin: true,
});
