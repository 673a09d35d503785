import type { History } from '@isolab/history';
import type { LevelDefinition } from '@isolab/levels';
import { readFacts } from '../facts/facts.ts';
import { type World, keysOf, restrictedTo, worlds } from '../facts/world.ts';
import { mayBeUnexplained } from './allowed.ts';
import { Execution, NO_WRITER } from './execution.ts';
import { type Orders, findOrders } from './search.ts';

interface DefinitionVerdict {
  readonly satisfied: boolean;
  /** The transactions that happened, if the level holds, as numbers of the history. */
  readonly happened?: readonly number[];
  /**
   * Commits, events or writers of each key, as indices into `happened`; absent where each key is checked separately.
   */
  readonly orders?: Orders;
}

/**
 * Decides by brute force whether a tiny history satisfies a level, according to the level's file. It tries all
 * outcomes, all sources of reads and all orders, and evaluates the axioms on matrices of relations.
 */
export function decideDefinition(history: History, level: LevelDefinition): DefinitionVerdict {
  for (const world of worlds(readFacts(history))) {
    const orders = decideWorld(world, level);
    if (orders === null) continue;
    return {
      satisfied: true,
      happened: world.transactions.map(({ id }) => id),
      ...(level.eachKeySatisfies === null && { orders }),
    };
  }
  return { satisfied: false };
}

function decideWorld(world: World, level: LevelDefinition): Orders | null {
  if (!level.allows.includes('blind-reads') && world.transactions.some(({ blind }) => blind)) return null;
  const { eachKeySatisfies: each } = level;
  if (each !== null && !keysOf(world).every((key) => decideWorld(restrictedTo(key, world), each) !== null)) return null;
  const execution = new Execution(world);
  const candidates = execution.reads.map((read) => {
    const sources = execution.sources(read);
    return mayBeUnexplained(execution, read, level.allows) ? [...sources, NO_WRITER] : sources;
  });
  return trySources(execution, level, candidates, []);
}

function trySources(
  execution: Execution,
  level: LevelDefinition,
  candidates: readonly (readonly number[])[],
  sources: readonly number[],
): Orders | null {
  const next = candidates[sources.length];
  if (next === undefined) return findOrders(execution, level, sources);
  if (candidates.some((each) => each.length === 0)) return null;
  for (const source of next) {
    const orders = trySources(execution, level, candidates, [...sources, source]);
    if (orders !== null) return orders;
  }
  return null;
}
