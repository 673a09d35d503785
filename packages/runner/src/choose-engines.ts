import {
  API_VERSION,
  type CheckInput,
  type Checker,
  LEVELS,
  type LevelName,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import { buildReadFrom, findInternalAnomalies, toRegisters } from '@isolab/history';
import type { CheckerRef } from './load-checker.ts';
import type { Prepared } from './prepare.ts';
import { unmetRequirement } from './requirement.ts';
import type { Engine } from './run.ts';

/** The checkers that are asked where none is named: for each level the first one that takes the history. */
export const ASKED_IN_TURN = ['weave', 'plume', 'viper', 'elle', 'porcupine', 'cobra'] as const;

/**
 * What is fallen back on for a level or history that no checker takes: anomalies that show in a single read violate a
 * level whatever else the history holds; where there are none, nothing can be said.
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
      const anomalies = internalViolations(loweredInput(input), level, context);
      if (anomalies.length > 0) return { status: 'violated', anomalies };
      return { status: 'unknown', reason: 'incomplete', detail: `No internal anomaly was found. ${NO_CHECKER}` };
    },
  }),
};

/** Certificates count the operations of the lowered history. */
function loweredInput(input: CheckInput): CheckInput {
  const { history } = toRegisters(input.history);
  if (history === input.history) return input;
  const index = buildReadFrom(history);
  return { history, index, internal: findInternalAnomalies(history, index) };
}

const NO_CHECKER = 'No checker for this level and kind of history is installed yet, so that nothing more can be said.';

/**
 * Chooses the engine for each level of one history, the named one for all if there is one; loads no checker that none of
 * the levels needs.
 */
export async function chooseEngines(
  named: Engine | null,
  load: (name: (typeof ASKED_IN_TURN)[number]) => Promise<CheckerRef>,
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => Engine> {
  if (named) return () => named;
  const loaded: CheckerRef[] = [];
  const chosen = new Map<LevelName, CheckerRef>();
  // Only for levels that somebody asks about: a level's requirements may take a walk through the whole history.
  const chosenFor = (level: LevelName): CheckerRef | undefined => {
    const found = chosen.get(level) ?? loaded.find(({ checker }) => takes(checker, prepared, level));
    if (found) chosen.set(level, found);
    return found;
  };
  for (const name of askedInTurn(prepared, levels)) {
    if (levels.every((level) => chosenFor(level) !== undefined)) break;
    loaded.push(await load(name));
  }
  return (level) => ({ checker: chosenFor(level) ?? internalOnly });
}

/** At the one level that porcupine decides, weave is better only where values are unique. */
function askedInTurn(prepared: Prepared, levels: readonly LevelName[]): readonly (typeof ASKED_IN_TURN)[number][] {
  const { index } = prepared.inputFor(internalOnly.checker);
  if (index.ambiguousReads === 0 || !levels.includes('linearizable')) return ASKED_IN_TURN;
  return ['porcupine', ...ASKED_IN_TURN.filter((name) => name !== 'porcupine')];
}

const takes = (checker: Checker, prepared: Prepared, level: LevelName): boolean =>
  checker.info.levels.includes(level) && unmetRequirement(checker, prepared.inputFor(checker), level) === null;
