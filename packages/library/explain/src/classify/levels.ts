import { LEVELS, type LevelName, implies, levelsForbidding } from '@isolab/contract';
import {
  type InternalAnomalies,
  INTERNAL_ANOMALIES,
  buildReadFrom,
  findInternalAnomalies,
  type History,
  OpKind,
  slice,
} from '@isolab/history';
import { factsOf, type PartFacts } from './facts.ts';
import { STRONG_MODELS, type StrongLevel, type WriteOrder, satisfiesStrong, writeOrders } from './strong.ts';
import { type WeakLevel, type World, violatesWeak } from './weak.ts';

/** The levels that a small history satisfies, and the world that satisfies the most levels. */
export interface Decided {
  readonly internal: InternalAnomalies;
  readonly facts: PartFacts;
  readonly world: World;
  /** Null if there are too many to try. */
  readonly orders: readonly WriteOrder[] | null;
  readonly satisfied: ReadonlySet<LevelName>;
  /** Levels left undecided because the history is too large. */
  readonly open: ReadonlySet<LevelName>;
}

const WEAK_LEVELS: readonly WeakLevel[] = [
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
];
const STRONG_LEVELS = Object.keys(STRONG_MODELS) as StrongLevel[];

export const DECIDED_LEVELS: ReadonlySet<LevelName> = new Set(['cut-isolation', ...WEAK_LEVELS, ...STRONG_LEVELS]);

/** Decides every level by its definition. Returns null for histories with too many possible outcomes. */
export function decideLevels(
  history: History,
  { sessions = true, without = null }: DecideOptions = {},
): Decided | null {
  const index = buildReadFrom(history);
  const happened = factsOf(history, index);
  if (happened === null || happened.txns.length > MAX_TXNS) return null;
  const session = sessions ? happened.session : happened.txns.map((_, i) => i);
  const facts: PartFacts = { ...happened, session, misses: without };
  const internal = without === null ? findInternalAnomalies(history, index) : internalWithout(history, without);
  const worlds = worldsOf(facts);
  if (worlds === null) return null;
  const forbidden = new Set(
    INTERNAL_ANOMALIES.filter((name) => internal.counts[name] > 0).flatMap((name) => levelsForbidding(name)),
  );
  const satisfied = new Set<LevelName>();
  const open = new Set<LevelName>();
  let best: { world: World; orders: readonly WriteOrder[] | null; holds: number } | null = null;
  for (const world of worlds) {
    const holds = new Set<LevelName>(forbidden.has('cut-isolation') ? [] : ['cut-isolation']);
    const unknown = new Set<LevelName>();
    const orders = facts.conflict === null ? writeOrders(world) : [];
    if (facts.conflict === null) {
      for (const level of WEAK_LEVELS) if (!forbidden.has(level) && !violatesWeak(world, level)) holds.add(level);
      for (const level of STRONG_LEVELS) {
        if (forbidden.has(level) || isViolatedBelow(level, holds, unknown)) continue;
        const isSatisfied = orders && satisfiesStrong(world, level, orders);
        if (isSatisfied === null) unknown.add(level);
        else if (isSatisfied) holds.add(level);
      }
    }
    for (const level of holds) satisfied.add(level);
    for (const level of unknown) open.add(level);
    if (best === null || holds.size > best.holds) best = { world, orders, holds: holds.size };
  }
  for (const level of satisfied) open.delete(level);
  return { internal, facts, world: best!.world, orders: best!.orders, satisfied, open };
}

interface DecideOptions {
  /** Whether session order counts. */
  readonly sessions?: boolean;
  /** For each key, 1 if missed writes and internal anomalies of its reads are ignored. */
  readonly without?: Uint8Array | null;
}

function internalWithout(history: History, without: Uint8Array): InternalAnomalies {
  const ops = Uint8Array.from(history.opKind, (kind, op) =>
    kind === OpKind.Read && without[history.opKey[op]] === 1 ? 0 : 1,
  );
  const { history: rest } = slice(history, { ops });
  return findInternalAnomalies(rest, buildReadFrom(rest));
}

const isViolatedBelow = (level: LevelName, holds: ReadonlySet<LevelName>, unknown: ReadonlySet<LevelName>): boolean =>
  LEVELS.some(({ name }) => name !== level && implies(level, name) && !holds.has(name) && !unknown.has(name));

/**
 * Returns all choices of writers for ambiguous reads, with one writer per transaction and key; null if there are too
 * many.
 */
function worldsOf(facts: PartFacts): World[] | null {
  let choices: number[][] = [[]];
  for (const { from } of facts.reads) {
    choices = choices.flatMap((chosen) => from.map((one) => [...chosen, one]));
    if (choices.length > MAX_WORLDS) return null;
  }
  return choices.map((from) => ({ facts, from }));
}

const MAX_TXNS = 200;
const MAX_WORLDS = 64;
