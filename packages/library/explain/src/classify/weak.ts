import type { LevelName } from '@isolab/contract';
import { isEarlierStatement } from '@isolab/history';
import { type PartFacts, INITIAL } from './facts.ts';
import { type Relation, closureOf, emptyRelation, isCyclic, relate, relates } from './relation.ts';

/** A choice of source for each read, including every ambiguous read. */
export interface World {
  readonly facts: PartFacts;
  /** The writer that each read of `facts` reads from. */
  readonly from: readonly number[];
}

export type WeakLevel = Extract<
  LevelName,
  'read-committed-pl2' | 'read-committed' | 'read-committed-dbcop' | 'read-atomic' | 'causal'
>;

/** How a transaction is visible to a reader of an older version. */
export type Sight = 'earlier-read' | 'session' | 'read' | 'monotonic' | 'causal';

/** States that t₂ must precede t₁ (or the initial transaction), because t₃ sees t₂ and reads x from t₁. */
export interface Instance {
  /** Index of the read in `facts.reads`. */
  readonly read: number;
  readonly first: number;
  readonly second: number;
  readonly sight: Sight;
}

const SIGHTS: Readonly<Record<WeakLevel, readonly Sight[]>> = {
  'read-committed-pl2': [],
  'read-committed': ['earlier-read'],
  'read-committed-dbcop': ['earlier-read'],
  'read-atomic': ['session', 'read'],
  causal: ['session', 'read', 'monotonic', 'causal'],
};

/** Combines session order, read-from edges and the orders that lists show. */
export function knownOrder({ facts, from }: World, { sessions = true, reads = true } = {}): Uint32Array[] {
  const known = emptyRelation(facts.txns.length);
  for (const { first, second } of facts.versions) relate(known, first, second);
  if (reads) facts.reads.forEach(({ reader }, i) => from[i] !== INITIAL && relate(known, from[i]!, reader));
  if (sessions) {
    for (let a = 0; a < known.length; a++)
      for (let b = a + 1; b < known.length; b++) if (facts.session[a] === facts.session[b]) relate(known, a, b);
  }
  return known;
}

/** Returns the orders that the axiom of a level (docs/levels.md) requires. */
export function instances(world: World, level: WeakLevel): Instance[] {
  const { facts, from } = world;
  const sights = SIGHTS[level];
  if (sights.length === 0) return [];
  const readsFrom = emptyRelation(facts.txns.length);
  facts.reads.forEach(({ reader }, i) => from[i] !== INITIAL && relate(readsFrom, from[i]!, reader));
  const causal = closureOf(knownOrderWithoutVersions(world));
  const sightOf = (t2: number, read: number): Sight | null => {
    const { op, reader, key } = facts.reads[read]!;
    if (sights.includes('earlier-read')) {
      const earlier = facts.reads.some(
        (other, i) =>
          from[i] === t2 &&
          other.reader === reader &&
          isEarlierStatement(facts.history, other.op, op) &&
          (other.key !== key || level !== 'read-committed'),
      );
      return earlier ? 'earlier-read' : null;
    }
    if (t2 < reader && facts.session[t2] === facts.session[reader]) return 'session';
    if (relates(readsFrom, t2, reader)) return 'read';
    if (!sights.includes('causal')) return null;
    for (let t = 0; t < reader; t++)
      if (facts.session[t] === facts.session[reader] && relates(readsFrom, t2, t)) return 'monotonic';
    return relates(causal, t2, reader) ? 'causal' : null;
  };
  return facts.reads.flatMap(({ key, reader }, read) =>
    facts.misses?.[key] === 1
      ? []
      : (facts.writers.get(key) ?? []).flatMap((first) => {
          const sight = first === from[read] || first === reader ? null : sightOf(first, read);
          return sight === null ? [] : [{ read, first, second: from[read]!, sight }];
        }),
  );
}

const knownOrderWithoutVersions = (world: World): Relation =>
  knownOrder({ ...world, facts: { ...world.facts, versions: [] } });

/** Returns whether the orders that the axiom requires form a cycle with the known order. */
export function contradicts(known: Relation, asked: readonly Instance[]): boolean {
  if (asked.some(({ second }) => second === INITIAL)) return true;
  const order = known.map((row) => row.slice());
  for (const { first, second } of asked) relate(order, first, second);
  return isCyclic(order);
}

export function violatesWeak(world: World, level: WeakLevel): boolean {
  const known = knownOrder(world, { sessions: level !== 'read-committed-pl2' });
  return contradicts(known, instances(world, level));
}
