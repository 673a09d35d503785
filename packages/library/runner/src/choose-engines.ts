import type { LevelName } from '@isolab/contract';
import { internalOnly } from './internal-only.ts';
import type { CheckerRef } from './load-checker.ts';
import type { Prepared } from './prepare.ts';
import { decides, unmetRequirement } from './refusals.ts';
import type { ChosenChecker } from './run.ts';

/** A checker to consider if no checker is named. It is loaded only when needed. */
export interface Candidate {
  readonly name: string;
  load(): Promise<CheckerRef>;
}

/**
 * Chooses for each level the first candidate that accepts the history. Candidates that no level needs are not loaded.
 */
export async function chooseEngines(
  candidates: readonly Candidate[],
  prepared: Prepared,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => ChosenChecker> {
  const loaded: CheckerRef[] = [];
  const chosen = new Map<LevelName, CheckerRef>();
  // Restricted to the requested levels, because checking a level's requirements may take a pass over the whole history.
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

/** Reason why a checker does not accept the history at a level; empty if it does not decide that level. */
const whyNot = ({ checker }: CheckerRef, prepared: Prepared, level: LevelName): string | null =>
  decides(checker, level) ? unmetRequirement(checker, prepared.inputFor(checker), level) : '';
