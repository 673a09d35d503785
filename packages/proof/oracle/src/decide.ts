import { LEVELS, type LevelName, type SatisfiedCertificate } from '@isolab/contract';
import type { History } from '@isolab/history';
import { STATED } from '@isolab/levels';
import {
  type CommitOrderLevel,
  beforeConflict,
  causallyBefore,
  directlyBefore,
  either,
  findCommitOrder,
  inPrefix,
  readsBefore,
} from './commit-order.ts';
import { type EventOrderLevel, findEventOrder } from './facts/event-order.ts';
import { type Facts, readFacts } from './facts/facts.ts';
import { type World, keysOf, restrictedTo, worlds } from './facts/world.ts';

export interface OracleVerdict {
  readonly satisfied: boolean;
  /** The transactions that happened in a world that satisfies the level. */
  readonly happened?: readonly number[];
  /**
   * An order that proves the verdict. It is absent only where a level is checked key by key and no order fits all keys.
   */
  readonly certificate?: SatisfiedCertificate;
}

/** Decides by brute force whether a tiny history satisfies a level for some choice of unknown outcomes and results. */
export const decide = (history: History, level: LevelName): OracleVerdict =>
  decideFacts(readFacts(history, level === 'linearizable'), level);

/** Returns all levels that a history satisfies, weak levels first. The lattice is not used. */
export function levelsSatisfied(history: History, levels: readonly LevelName[] = ALL_LEVELS): LevelName[] {
  const facts = readFacts(history);
  const ofOperations = levels.includes('linearizable') ? readFacts(history, true) : facts;
  return levels.filter((level) => decideFacts(level === 'linearizable' ? ofOperations : facts, level).satisfied);
}

export const ALL_LEVELS: readonly LevelName[] = LEVELS.map(({ name }) => name);

function decideFacts(facts: Facts, level: LevelName): OracleVerdict {
  for (const world of worlds(facts)) {
    const certificate = decideWorld(world, level);
    if (certificate === null) continue;
    const happened = world.transactions.map(({ id }) => id);
    return { satisfied: true, happened, ...(certificate !== 'no order' && { certificate }) };
  }
  return { satisfied: false };
}

/** Returns an order that proves a level in a world; null if the level is violated. */
function decideWorld(world: World, level: LevelName): SatisfiedCertificate | 'no order' | null {
  const { transactions } = world;
  if (level === 'cut-isolation') return transactions.some((t) => t.unrepeatable) ? null : { kind: 'inspection' };
  if (transactions.some((t) => t.blind)) return null;
  if (level === 'linearizable') return decideByKey(world);

  const byCommits =
    level === STATED ? AS_STATED : (COMMIT_ORDERS as Partial<Record<LevelName, CommitOrderLevel>>)[level];
  const byEvents = (EVENT_ORDERS as Partial<Record<LevelName, EventOrderLevel>>)[level];
  if (byCommits?.repeatable !== false && transactions.some((t) => t.unrepeatable)) return null;
  const order = byCommits ? findCommitOrder(world, byCommits) : null;
  if (byCommits && (order === null || !byEvents)) return order && { kind: 'commit-order', order };

  const events = findEventOrder(world, byEvents!);
  if (order && !events) throw new Error(`The axioms of ${level} hold, but no order of begins and commits shows it.`);
  return events && { kind: 'event-order', events };
}

/**
 * Checks linearizability key by key. No single order need fit all keys, because an unknown write may take effect late.
 */
function decideByKey(world: World): SatisfiedCertificate | 'no order' | null {
  const strict = COMMIT_ORDERS['strict-serializable'];
  if (world.transactions.some((t) => t.unrepeatable)) return null;
  if (!keysOf(world).every((key) => findCommitOrder(restrictedTo(key, world), strict))) return null;
  const order = findCommitOrder(world, strict);
  return order ? { kind: 'commit-order', order } : 'no order';
}

const always = (): boolean => true;
const never = (): boolean => false;

/** The levels of docs/levels.md that are defined by a commit order. */
export const COMMIT_ORDERS = {
  // An order that contains read-from gives every key an acyclic version order, and vice versa.
  'read-committed-pl2': { sessions: false, repeatable: false, condition: never },
  'read-committed': { sessions: true, repeatable: false, condition: readsBefore({ otherKey: true }) },
  'read-committed-dbcop': { sessions: true, repeatable: false, condition: readsBefore({ otherKey: false }) },
  'read-atomic': { sessions: true, repeatable: true, condition: directlyBefore },
  causal: { sessions: true, repeatable: true, condition: causallyBefore, past: true },
  prefix: { sessions: true, repeatable: true, condition: inPrefix({ sessions: true }) },
  'snapshot-isolation': {
    sessions: true,
    repeatable: true,
    condition: either(inPrefix({ sessions: true }), beforeConflict),
  },
  'plain-serializable': { sessions: false, repeatable: true, condition: always },
  serializable: { sessions: true, repeatable: true, condition: always },
  'strict-serializable': { sessions: true, realTime: true, repeatable: true, condition: always },
} as const satisfies Partial<Record<LevelName, CommitOrderLevel>>;

/** Every transaction is judged by the condition of the level that it states. */
const AS_STATED: CommitOrderLevel = {
  sessions: true,
  repeatable: false,
  past: true,
  condition: (partial, t2, t3, read) => {
    const { level } = partial.transactions[t3]!;
    const own = (COMMIT_ORDERS as Readonly<Record<string, CommitOrderLevel>>)[level ?? ''];
    return own?.condition(partial, t2, t3, read) ?? false;
  },
};

/** The levels that are defined by an order of begins and commits. Two levels have both definitions. */
export const EVENT_ORDERS = {
  prefix: { sessions: true, exclusive: false },
  'snapshot-isolation': { sessions: true, exclusive: true },
  'adya-snapshot-isolation': { sessions: false, exclusive: true },
  'generalized-snapshot-isolation': { sessions: false, exclusive: true, realTime: 'past' },
  'strong-session-snapshot-isolation': { sessions: true, exclusive: true, realTime: 'past' },
  'strong-snapshot-isolation': { sessions: true, exclusive: true, realTime: 'latest' },
} as const satisfies Partial<Record<LevelName, EventOrderLevel>>;
