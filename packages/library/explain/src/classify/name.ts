import { type AnomalyName, INTERNAL_ANOMALY_NAMES, type LevelName, implies, nameWithTime } from '@isolab/contract';
import { INTERNAL_ANOMALIES, type InternalAnomalyName } from '@isolab/history';
import { INITIAL } from './facts.ts';
import type { Decided } from './levels.ts';
import { isCyclic } from './relation.ts';
import { STRONG_MODELS, type StrongLevel, type WriteOrder, antisNeeded, isReadOnlyAnomaly } from './strong.ts';
import { type Instance, type World, contradicts, instances, knownOrder } from './weak.ts';

/** A name of the registry, and alternative names of the same violation. */
export interface Named {
  readonly name: AnomalyName;
  readonly also: readonly string[];
}

/** Alias of a write skew that serializability allows without one of its transactions, which only reads. */
export const READ_ONLY = 'read-only-anomaly';

const named = (name: AnomalyName, ...also: string[]): Named => ({ name, also });

/**
 * Returns the name, by shape, of the anomaly of the weakest level that a small history violates; null if none is found.
 */
export function nameOf(decided: Decided, level: LevelName): Named | null {
  const { internal, facts, world, satisfied, open } = decided;
  const fails = (one: LevelName): boolean =>
    (one === level || implies(effective(level), one)) && !satisfied.has(one) && !open.has(one);
  const shown = INTERNAL_ANOMALIES.find((name) => internal.counts[name] > 0 && isForbidden(name, fails));
  if (shown !== undefined) return named(INTERNAL_ANOMALY_NAMES[shown].name);
  if (level === 'cut-isolation') return null;
  if (facts.conflict !== null) return named(facts.conflict);

  const sessions = level !== 'read-committed-pl2';
  if (isCyclic(knownOrder(world, { sessions, reads: false }))) return named('G0');
  if (isCyclic(knownOrder(world, { sessions }))) return named('G1c');
  if (fails('read-committed') || fails('read-committed-dbcop')) return named('non-monotonic-read', ...skew(decided));
  if (fails('read-atomic')) return nameReadAtomic(decided);
  if (fails('causal')) return nameCausal(world);
  return nameStrong(decided, level, fails);
}

/**
 * Maps each level without session order to its counterpart with session order. If sessions are ignored, the two
 * coincide.
 */
export const WITH_SESSIONS: Partial<Record<LevelName, LevelName>> = {
  'adya-snapshot-isolation': 'snapshot-isolation',
  'generalized-snapshot-isolation': 'strong-session-snapshot-isolation',
  'plain-serializable': 'serializable',
};

/**
 * Linearizability implies no other level by its definition, but its anomalies are named as for strict serializability.
 */
const effective = (level: LevelName): LevelName =>
  level === 'linearizable' ? 'strict-serializable' : (WITH_SESSIONS[level] ?? level);

/** Read committed lets a transaction read different versions of a key. The level in question must forbid such reads. */
const isForbidden = (name: InternalAnomalyName, fails: (level: LevelName) => boolean): boolean =>
  name !== 'non-repeatable-read'
    ? fails('read-committed-pl2')
    : fails('cut-isolation') || fails('read-committed-dbcop');

/**
 * Berenson's read skew: a reader sees the new version of one key and the old version of another key of the same
 * transaction.
 */
const skew = ({ facts }: Decided): string[] =>
  new Set(facts.reads.map(({ key }) => key)).size > 1 ? ['read-skew', 'A5A'] : [];

function nameReadAtomic(decided: Decided): Named {
  const asked = instances(decided.world, 'read-atomic');
  const bySession = asked.filter(({ sight }) => sight === 'session');
  if (contradicts(knownOrder(decided.world), bySession)) return named('session-guarantee-violation');
  return named('fractured-read', ...skew(decided));
}

/**
 * Names a causal violation. The name refers to monotonic reads if the session has already seen the missed transaction.
 */
function nameCausal(world: World): Named {
  const known = knownOrder(world);
  const asked = instances(world, 'causal');
  const isMonotonic = (instance: Instance): boolean => instance.sight === 'monotonic';
  if (asked.some((one) => isMonotonic(one) && contradicts(known, [one])))
    return named('session-guarantee-violation', 'monotonic-reads');
  return named('causality-violation');
}

function nameStrong(decided: Decided, level: LevelName, fails: (level: LevelName) => boolean): Named | null {
  const { world, orders } = decided;
  if (orders === null) return null;
  if (fails('prefix')) return byAntis(antisNeeded(world, 'prefix', orders), decided);
  if (fails('adya-snapshot-isolation') || fails('snapshot-isolation')) {
    if (isLostUpdate(world)) return named('lost-update');
    const model = fails('snapshot-isolation') ? 'snapshot-isolation' : 'adya-snapshot-isolation';
    return byAntis(antisNeeded(world, model, orders), decided);
  }
  if (fails('plain-serializable') || fails('serializable'))
    return isLostUpdate(world)
      ? named('lost-update')
      : named('G2-item', ...(isReadOnlyAnomaly(world, orders) ? [READ_ONLY] : []));
  // For a level outside the lattice, the checker's own name is kept.
  if (!fails(level) || !(level in STRONG_MODELS || level === 'linearizable')) return null;
  return named(nameOfRealTime(decided, level, orders));
}

/** Names a violation that only real-time order forbids. */
function nameOfRealTime({ world }: Decided, level: LevelName, orders: readonly WriteOrder[]): AnomalyName {
  if (isEarly(world, level)) return 'early-read';
  const model = (level in STRONG_MODELS ? level : 'strict-serializable') as StrongLevel;
  const antis = antisNeeded(world, model, orders);
  // The cycle has several edges, unless a transaction misses a write that returned before the transaction was called.
  return nameWithTime(isStale(world) ? 2 : 3, antis, STRONG_MODELS[model].events !== 'one');
}

/** Returns whether a transaction reads a version that had been overwritten before the transaction was called. */
function isStale({ facts, from }: World): boolean {
  return facts.reads.some(({ reader, key }, i) =>
    (facts.writers.get(key) ?? []).some((writer) => {
      const [ended = null, began = null] = [facts.end[writer], facts.begin[reader]];
      return writer !== from[i] && writer !== reader && ended !== null && began !== null && ended < began;
    }),
  );
}

const byAntis = (antis: number, decided: Decided): Named =>
  antis > 1
    ? named('G-nonadjacent')
    : isLostUpdate(decided.world)
      ? named('lost-update')
      : named('G-single', ...skew(decided));

/** Returns whether two transactions read the same version of a key and both overwrite it. */
function isLostUpdate({ facts, from }: World): boolean {
  const updates = new Map<string, number>();
  return facts.reads.some(({ reader, key }, i) => {
    if (!facts.writers.get(key)?.includes(reader)) return false;
    const version = `${key} ${from[i]}`;
    const other = updates.get(version);
    updates.set(version, reader);
    return other !== undefined && other !== reader;
  });
}

/**
 * Returns whether a read saw a write before the write's commit in real time, at a level that requires committed writes.
 */
function isEarly({ facts, from }: World, level: LevelName): boolean {
  const snapshots = implies(level, 'generalized-snapshot-isolation');
  return facts.reads.some(({ reader }, i) => {
    const writer = from[i];
    if (writer === INITIAL) return false;
    const [seen, done] = snapshots
      ? [facts.begunBy[reader], facts.commitsAfter[writer]]
      : [facts.end[reader], facts.begin[writer]];
    return seen !== null && done !== null && seen < done;
  });
}
