/**
 * Plans: the level that each transaction keeps beside the weaker level of all, and the reads that lock their rows. A
 * plan is decided by axioms over one order of commits. It needs a weaker level that orders sessions and reads there.
 */
import { type LevelName, definitionOf, implies } from '@isolab/contract';
import { type LevelDefinition, readLevel } from '@isolab/levels';

export interface Plan {
  /** The weaker level of all transactions, with the axioms of stated levels and of locks. */
  readonly definition: LevelDefinition;
  /** Level of each transaction of the model beside that; null for none. */
  readonly levels: readonly (LevelName | null)[];
  /** 1 for each operation of the model that reads and locks its row until the end of its transaction. */
  readonly locks: Uint8Array;
}

/** Level that marks the shadow of a locking read; no program states it. */
export const LOCK: LevelName = 'linearizable';

/**
 * Axioms of stated levels. A shadow follows its transaction, and sees the latest version there: the version of the
 * locking read (docs/predict.md).
 */
const COMMON = `co contains so | wr
if t2 co ; [level ${LOCK}] t3 then t2 before t1
if t2 co* ; (so | wr | co & conflict) ; [level snapshot-isolation] t3 then t2 before t1`;

/** Locks of the reads of serializable transactions exclude writers at every level. */
const BY_LOCKS = 'if t2 co ; [level serializable] t3 then t2 before t1';

/**
 * Serializable snapshot isolation: serializable transactions track only one another. Of three of them in a row that
 * each miss a write of the next one, the last one does not commit first. If the first one only reads, the last one did
 * not commit before its snapshot (Ports and Grittner, VLDB 2012).
 */
const BY_CONFLICTS = `if t2 co* ; (so | wr | co & conflict) ; [level serializable] t3 then t2 before t1
let danger = [level serializable] ; rw ; [level serializable] ; (rw & co^-1) ; [level serializable]
irreflexive [level serializable] ; rw ; [level serializable] ; rw
irreflexive [writer] ; danger ; co
irreflexive danger ; co* ; (so | wr)`;

/** Returns the definition of plans at a weaker level; null if the level has no order of commits or ignores sessions. */
export function definitionOfPlans(weaker: LevelName, isTracked: boolean): LevelDefinition | null {
  const whole = definitionOf(weaker);
  if (whole === null || whole.order === 'events' || whole.eachKeySatisfies !== null) return null;
  if (!implies(weaker, 'strong-session-read-committed')) return null;
  const added = readLevel(`level planned\n${COMMON}\n${isTracked ? BY_CONFLICTS : BY_LOCKS}`, 'planned.lvl');
  return { ...added, allows: whole.allows, axioms: [...whole.axioms, ...added.axioms] };
}

/** Returns a plan with the recorded levels and locks of transactions. */
export function recordedPlan(
  definition: LevelDefinition,
  { levels }: Offers,
  names: readonly (string | undefined)[],
  locks: Uint8Array,
): Plan {
  const statedBy = (name: string): LevelName | null =>
    levels.find((offered) => offered.name === name.toUpperCase())?.states ?? null;
  return { definition, levels: names.map((name) => (name === undefined ? null : statedBy(name))), locks };
}

/** A level that a database offers. */
export interface Offered {
  /** Name of the level in the database, or in isolab. */
  readonly name: string;
  /** Level that its transactions state beside others; null for the weaker level of all. */
  readonly states: LevelName | null;
}

export interface Offers {
  /** Levels that are stronger than the weaker level, weakest first; the first is the weaker level itself. */
  readonly levels: readonly Offered[];
  /** States that the database tracks the conflicts of serializable transactions, instead of locking their reads. */
  readonly isTracked: boolean;
}

/** Returns the levels of a database, by its name in the history, up to the stronger level. */
export function offersOf(database: string | null, weaker: LevelName, stronger: LevelName): Offers {
  const isPostgres = database?.startsWith('PostgreSQL') === true;
  const isInnodb = /^(MariaDB|MySQL)/.test(database ?? '');
  const hasSnapshots = !isInnodb || database!.endsWith('innodb_snapshot_isolation=ON');
  const isSql = isPostgres || isInnodb;
  const all: Offered[] = [
    ...(hasSnapshots ? [{ name: isSql ? 'REPEATABLE READ' : 'snapshot-isolation', states: SNAPSHOTS }] : []),
    { name: isSql ? 'SERIALIZABLE' : 'serializable', states: 'serializable' as LevelName },
  ];
  const isRead = isSql && definitionOf(weaker)?.name === 'oracle-read-committed';
  const levels: Offered[] = [{ name: isRead ? 'READ COMMITTED' : weaker, states: null }];
  for (const each of all) {
    const last = levels.at(-1)!.states ?? weaker;
    if (!implies(last, stronger) && !implies(last, each.states!)) levels.push(each);
  }
  return { levels, isTracked: isPostgres };
}

const SNAPSHOTS: LevelName = 'snapshot-isolation';
