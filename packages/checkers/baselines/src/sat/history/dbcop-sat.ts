/**
 * dbcop's SAT encoding (Biswas & Enea, OOPSLA 2019, section 6). For every ordered pair of transactions, CO(a, b) states
 * that a precedes b in the commit order, and VI(a, b) that b sees a. CO is a total order of cubic size; VI is the
 * visibility of the level, at least session order and read-from, and at most CO. The axiom: if r reads a key from w and
 * sees another writer u of the key, then u precedes w. The initial transaction comes first, so readers of its version
 * see no such u.
 */
import type { LevelName, SatisfiedCertificate } from '@isolab/contract';
import { INITIAL } from '@isolab/graph/relations';
import { isEarlierStatement } from '@isolab/history';
import type { Formula } from '../formula/formula.ts';
import { addComposition, addIrreflexive, addTotal, addTransitive, matrix } from '../polygraph/closure.ts';
import type { EdgeVariable } from '../polygraph/constraints.ts';
import type { EncodedFacts, Read } from './facts.ts';

export const DBCOP_SAT_LEVELS = [
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'plain-serializable',
  'serializable',
] as const satisfies readonly LevelName[];
export type DbcopSatLevel = (typeof DBCOP_SAT_LEVELS)[number];

export interface Relations {
  readonly before: EdgeVariable;
  readonly sees: EdgeVariable;
}

export function encodeDbcopSat(
  formula: Formula,
  facts: EncodedFacts,
  level: DbcopSatLevel,
  tick: (steps: number) => void,
): Relations {
  const { numNodes: n } = facts;
  const before = matrix(formula, n);
  const sees = matrix(formula, n);
  addIrreflexive(formula, before, n);
  addTotal(formula, before, n);
  addTransitive(formula, before, n);
  for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) formula.clause2(-sees(a, b), before(a, b));
  if (level !== 'plain-serializable') addSessions(formula, facts, sees);
  for (const { writer, reader } of facts.readFrom) if (writer !== INITIAL) formula.clause1(sees(writer, reader));
  addVisibility(formula, facts, level, before, sees);
  if (level === 'read-committed' || level === 'read-committed-dbcop') {
    addLaterReads(formula, facts, before, level === 'read-committed', tick);
    return { before, sees };
  }
  for (const { reader, key, writer } of facts.readFrom) {
    for (const other of facts.writers[key]!) {
      if (other === writer || other === reader) continue;
      if (writer === INITIAL) formula.clause1(-sees(other, reader));
      else formula.clause2(-sees(other, reader), before(other, writer));
    }
    tick(facts.writers[key]!.length);
  }
  return { before, sees };
}

function addSessions(formula: Formula, { numNodes, session }: EncodedFacts, sees: EdgeVariable): void {
  for (let a = 0; a < numNodes; a++)
    for (let b = a + 1; b < numNodes && session[b] === session[a]; b++) formula.clause1(sees(a, b));
}

/** Adds further visible transactions; none at read atomic, because seeing fewer transactions is never worse. */
function addVisibility(
  formula: Formula,
  facts: EncodedFacts,
  level: DbcopSatLevel,
  before: EdgeVariable,
  sees: EdgeVariable,
): void {
  const { numNodes: n } = facts;
  if (level === 'causal') addTransitive(formula, sees, n);
  if (level === 'prefix' || level === 'snapshot-isolation') addComposition(formula, before, sees, sees, n);
  if (level === 'snapshot-isolation') addConflicts(formula, facts, before, sees);
  if (level === 'serializable' || level === 'plain-serializable')
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) formula.clause2(-before(a, b), sees(a, b));
}

/** States that the later of two writers of a key sees the earlier. */
function addConflicts(
  formula: Formula,
  { numNodes, writers }: EncodedFacts,
  before: EdgeVariable,
  sees: EdgeVariable,
): void {
  const known = new Set<number>();
  for (const ofKey of writers) {
    for (const a of ofKey) {
      for (const b of ofKey) {
        if (a === b || known.has(a * numNodes + b)) continue;
        known.add(a * numNodes + b);
        formula.clause2(-before(a, b), sees(a, b));
      }
    }
  }
}

/** Read committed: r reads from u, and in a later statement, from w, a key that u writes (in Plume's definition, another key). */
function addLaterReads(
  formula: Formula,
  { history, reads, writers }: EncodedFacts,
  before: EdgeVariable,
  otherKeysOnly: boolean,
  tick: (steps: number) => void,
): void {
  const writes = writers.map((ofKey) => new Set(ofKey));
  let first = 0; // of the reader
  for (let i = 0; i < reads.length; i++) {
    const { reader, op, key, writer } = reads[i]!;
    if (reads[first]!.reader !== reader) first = i;
    for (let j = first; j < i; j++) {
      const earlier: Read = reads[j]!;
      const other = earlier.writer;
      if (!isEarlierStatement(history, earlier.op, op) || (otherKeysOnly && earlier.key === key)) continue;
      if (other === INITIAL || other === writer || !writes[key]!.has(other)) continue;
      if (writer === INITIAL) formula.clause(IMPOSSIBLE);
      else formula.clause1(before(other, writer));
    }
    tick(i - first);
  }
}

/** An impossible event: no transaction precedes the initial transaction. */
const IMPOSSIBLE: readonly number[] = [];

/**
 * A commit order. If snapshots matter, each transaction begins after the last transaction that it sees, and sees all
 * transactions before this one.
 */
export function certificateOf(
  { numNodes: n, txnOf }: EncodedFacts,
  level: DbcopSatLevel,
  { before, sees }: Relations,
  model: Uint8Array,
): SatisfiedCertificate {
  const order = new Int32Array(n); // by place
  const numSeen = new Int32Array(n);
  for (let b = 0; b < n; b++) {
    let place = 0;
    for (let a = 0; a < n; a++) {
      place += model[before(a, b)];
      numSeen[b] += model[sees(a, b)];
    }
    order[place] = b;
  }
  if (level !== 'prefix' && level !== 'snapshot-isolation')
    return { kind: 'commit-order', order: Array.from(order, (node) => txnOf[node]) };
  const beginning: number[][] = Array.from({ length: n + 1 }, () => []);
  for (let b = 0; b < n; b++) beginning[numSeen[b]]!.push(b);
  const events: number[] = [];
  for (let place = 0; place <= n; place++) {
    for (const node of beginning[place]!) events.push(2 * txnOf[node]);
    if (place < n) events.push(2 * txnOf[order[place]] + 1);
  }
  return { kind: 'event-order', events };
}
