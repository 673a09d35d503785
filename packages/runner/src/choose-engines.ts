import {
  API_VERSION,
  type CheckInput,
  KNOWN_LEVELS,
  type LevelName,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import { buildReadFrom, findInternalAnomalies, toRegisters } from '@isolab/history';
import type { CheckerRef } from './load-checker.ts';
import type { Prepared } from './prepare.ts';
import { decides, unmetRequirement, whyNoChecker } from './refusals.ts';
import type { Engine } from './run.ts';

/** A checker that may be asked where none is named; loaded only then. */
export interface Candidate {
  readonly name: string;
  load(): Promise<CheckerRef>;
}

/**
 * The checker for a level or history that no other one takes: an anomaly that shows in a single read violates a level
 * whatever else the history holds; without one, the verdict is unknown, and the detail says why each checker refused.
 */
export const internalOnly = (refusals: readonly string[] = []): CheckerRef => ({
  url: null,
  isFallback: true,
  checker: defineChecker<object>({
    info: {
      name: 'internal',
      title: 'only internal anomalies, which every level forbids',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: KNOWN_LEVELS.map(({ name }) => name),
      sound: true,
      complete: false,
      definitions: true,
      requires: [],
      options: {},
      variants: {},
    },
    check: (input, level, _, context) => {
      const anomalies = internalViolations(loweredInput(input), level, context);
      if (anomalies.length > 0) return { status: 'violated', anomalies };
      return { status: 'unknown', reason: 'unsupported', detail: whyNoChecker(level, refusals) };
    },
  }),
});

/** Certificates count the operations of the lowered history. */
function loweredInput(input: CheckInput): CheckInput {
  const { history } = toRegisters(input.history);
  if (history === input.history) return input;
  const index = buildReadFrom(history);
  return { history, index, internal: findInternalAnomalies(history, index) };
}

/** Chooses for each level the first candidate that takes the history; loads none that no level needs. */
export async function chooseEngines(
  candidates: readonly Candidate[],
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => Engine> {
  const loaded: CheckerRef[] = [];
  const chosen = new Map<LevelName, CheckerRef>();
  // Only for levels that somebody asks about: a level's requirements may take a walk through the whole history.
  const chosenFor = (level: LevelName): CheckerRef | undefined => {
    const found = chosen.get(level) ?? loaded.find((each) => whyNot(each, prepared, level) === null);
    if (found) chosen.set(level, found);
    return found;
  };
  for (const { load } of candidates) {
    if (levels.every((level) => chosenFor(level) !== undefined)) break;
    loaded.push(await load());
  }
  const fallbackFor = (level: LevelName): CheckerRef => {
    const refusals = loaded.map((each) => whyNot(each, prepared, level)).filter((why) => why !== null && why !== '');
    return internalOnly(refusals as string[]);
  };
  return (level) => {
    const checker = chosenFor(level) ?? fallbackFor(level);
    chosen.set(level, checker);
    return { checker };
  };
}

/** Why a checker does not take the history at a level, which is no news where it decides another level. */
const whyNot = ({ checker }: CheckerRef, prepared: Prepared, level: LevelName): string | null =>
  decides(checker, level) ? unmetRequirement(checker, prepared.inputFor(checker), level) : '';
