import { KNOWN_LEVELS, type LevelName, implies } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import type { History } from '@isolab/history';
import { type LevelDefinition, builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { RANDOM, smallHistories } from './compare.ts';
import { WITNESSES } from './generated/witnesses.ts';
import { randomHistory, randomNumbers } from './random.ts';

/** Position of a level among the built-in levels, as far as histories distinguish it from them. */
export interface LatticePlace {
  /** Levels that no history distinguished from it. */
  readonly same: readonly LevelName[];
  /** The levels that directly imply it, and the levels that it directly implies. */
  readonly stronger: readonly LevelName[];
  readonly weaker: readonly LevelName[];
  /** Implied levels, weak levels first, without equivalent levels. */
  readonly implied: readonly LevelName[];
  /** Levels that neither imply it nor are implied by it. */
  readonly apart: readonly LevelName[];
  readonly searched: { readonly listed: number; readonly all: number; readonly random: number };
}

/**
 * Finds the position of a level. It tries the histories that distinguish the built-in levels, whose satisfied levels
 * are known, then all small histories, and then random histories. Finding no history is not a proof.
 */
export function placeOf(level: LevelDefinition, { random = 2000 }: { readonly random?: number } = {}): LatticePlace {
  const candidates = new Candidates(level);
  for (const { text, satisfied } of WITNESSES) candidates.look(parseNotation(text), new Set(satisfied));
  let all = 0;
  for (const history of smallHistories()) {
    all++;
    candidates.look(history);
  }
  const numbers = randomNumbers(1);
  for (let drawn = 0; drawn < random; drawn++) candidates.look(randomHistory(numbers, RANDOM));
  const { implied, implying } = candidates;
  const same = NAMES.filter((name) => implied.has(name) && implying.has(name));
  const only = (names: ReadonlySet<LevelName>): LevelName[] =>
    NAMES.filter((name) => names.has(name) && !same.includes(name));
  const [below, above] = [only(implied), only(implying)];
  return {
    same,
    stronger: above.filter((name) => !above.some((other) => other !== name && implies(name, other))),
    weaker: below.filter((name) => !below.some((other) => other !== name && implies(other, name))),
    implied: below,
    apart: NAMES.filter((name) => name !== level.name && !implied.has(name) && !implying.has(name)),
    searched: { listed: WITNESSES.length, all, random },
  };
}

const NAMES: readonly LevelName[] = KNOWN_LEVELS.map(({ name }) => name);

/** The levels that a level may still imply, and the levels that may still imply it. */
class Candidates {
  readonly implied: Set<LevelName>;
  readonly implying: Set<LevelName>;
  readonly #level: LevelDefinition;

  constructor(level: LevelDefinition) {
    this.#level = level;
    const others = NAMES.filter((name) => name !== level.name);
    this.implied = new Set(others);
    this.implying = new Set(others);
  }

  look(history: History, satisfied?: ReadonlySet<string>): void {
    const isSatisfied = decideDefinition(history, this.#level).satisfied;
    const holds = (name: LevelName): boolean =>
      satisfied ? satisfied.has(name) : decideDefinition(history, builtInLevel(name)!).satisfied;
    // If the strongest possibly implied levels hold, so do the levels that these imply, and vice versa.
    if (isSatisfied) drop(this.implied, (name) => !holds(name), implies);
    else drop(this.implying, holds, (weak, strong) => implies(strong, weak));
  }
}

/** Removes the refuted names, and evaluates only names that no remaining name covers. */
function drop(
  names: Set<LevelName>,
  isRefuted: (name: LevelName) => boolean,
  covers: (name: LevelName, other: LevelName) => boolean,
): void {
  const kept = new Set<LevelName>();
  const isCovered = (name: LevelName, by: ReadonlySet<LevelName>): boolean =>
    [...by].some((other) => other !== name && covers(other, name));
  for (;;) {
    const open = new Set([...names].filter((name) => !kept.has(name) && !isCovered(name, kept)));
    const next = [...open].find((name) => !isCovered(name, open));
    if (next === undefined) return;
    if (isRefuted(next)) names.delete(next);
    else kept.add(next);
  }
}
