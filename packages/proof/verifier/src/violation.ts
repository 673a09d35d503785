import { OpKind, type OperationId, UNKNOWN_VALUE, countOperations } from '@isolab/history';
import { onlyKey } from './commit-order.ts';
import { verifyCycle } from './derivation.ts';
import { type Fields, inside, integerOf, listOf, objectOf, refuse, show } from './verdict/flaw.ts';
import { Ground } from './ground.ts';
import { verifyInternal } from './facts/internal.ts';
import { verifyLists } from './facts/lists.ts';
import { verifyProof } from './proof.ts';
import { type RawFacts, isInitial } from './facts/raw-facts.ts';
import type { Rules } from './facts/rules.ts';
import { verifyTimestamps } from './timestamps.ts';
import { Rank } from './facts/versions.ts';

/** Refuses unless no order that the level admits contains the derived edges. */
export function verifyViolation(facts: RawFacts, rules: Rules, certificate: Fields): void {
  if (certificate['kind'] === 'internal') return verifyInternal(facts, rules, certificate);
  if (rules.axiom === 'cut')
    refuse('cut isolation orders nothing: an internal anomaly is the only evidence against it');
  if (certificate['kind'] === 'lists') return verifyLists(facts, certificate);
  if (certificate['kind'] === 'timestamps') return verifyTimestamps(facts, rules, certificate);
  if (certificate['kind'] === 'updates') return verifyUpdates(facts, rules, certificate['reads']);
  if (certificate['kind'] === 'aggregates') refuse('a certificate about aggregates needs the history with its scans');
  if (rules.axiom === 'serial-by-key') refuseSeveralKeys(facts);
  const ground = new Ground(facts, rules);
  return certificate['kind'] === 'proof' ? verifyProof(ground, certificate) : verifyNested(ground, certificate, 0);
}

/**
 * Refuses a transaction on several keys, because linearizability is checked key by key, and neighbours of such a
 * transaction prove nothing.
 */
function refuseSeveralKeys({ history, happened }: RawFacts): void {
  for (let t = 0; t < happened.length; t++) if (happened[t] === 1) onlyKey(history, t);
}

/** Verifies a cycle, or a case split into such certificates. */
function verifyNested(ground: Ground, data: unknown, depth: number): void {
  ground.enter(depth);
  const certificate = objectOf(data, 'the certificate');
  switch (certificate['kind']) {
    case 'cycle':
      return verifyCycle(ground, certificate['edges'], depth);
    case 'cases': {
      const { first, second } = ground.writers(certificate, false);
      verifyCase(ground, first, second, certificate['ifFirst'], depth + 1);
      verifyCase(ground, second, first, certificate['ifSecond'], depth + 1);
      return;
    }
    case 'internal':
    case 'lists':
    case 'updates':
    case 'timestamps':
      return refuse('a case cannot be an internal certificate: that proves a violation by itself');
    case 'proof':
      return refuse('a case cannot be a proof: a proof makes its own choices');
    default:
      return refuse(`the certificate is of kind ${show(certificate['kind'])}, which is not evidence of a violation`);
  }
}

function verifyCase(ground: Ground, from: number, to: number, data: unknown, depth: number): void {
  ground.assumptions.assumeOrder(from, to, 1);
  inside(
    () => `in the case that transaction ${from} precedes transaction ${to}`,
    () => verifyNested(ground, data, depth),
  );
  ground.assumptions.assumeOrder(from, to, -1);
}

/**
 * Refuses unless more transactions read and overwrite a value than may have written it. Two of them then read from the
 * same writer, and the later of the two should have seen the earlier.
 */
function verifyUpdates(facts: RawFacts, { axiom, level }: Rules, data: unknown): void {
  if (axiom !== 'snapshot' && axiom !== 'serial' && axiom !== 'serial-by-key')
    refuse(`at ${level}, several transactions may read and overwrite the same version`);
  const { opKey, opValue } = facts.history;
  const reads = listOf(data, 'the list of reads');
  const readers = new Set<number>();
  let first: number | null = null;
  for (let i = 0; i < reads.length; i++) {
    const read = integerOf(reads[i], 0, countOperations(facts.history), `read ${i + 1}`);
    refuseOtherThanUpdate(facts, read);
    first ??= read;
    if (opKey[read] !== opKey[first] || opValue[read] !== opValue[first])
      refuse(`operations ${first} and ${read} do not read the same value of the same key`);
    const t = facts.txnOf[read];
    if (readers.has(t)) refuse(`two reads belong to transaction ${t}`);
    readers.add(t);
  }
  if (first === null) return refuse('there are no reads');
  const writers = countWriters(facts, opKey[first], opValue[first]);
  if (reads.length <= writers)
    refuse(`${reads.length} transactions overwrite the value that they read, but ${writers} can have written it`);
}

/** Refuses unless a transaction that happened read another transaction's version, and writes the key later. */
function refuseOtherThanUpdate({ history, txnOf, ownWrite, happened }: RawFacts, read: OperationId): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const t = txnOf[read];
  if (opKind[read] !== OpKind.Read) refuse(`operation ${read} is not a read of a register`);
  if (opValue[read] === UNKNOWN_VALUE) refuse(`operation ${read} has an unknown result`);
  if (!happened[t]) refuse(`transaction ${t}, of operation ${read}, did not happen`);
  if (ownWrite[read] >= 0) refuse(`operation ${read} comes after a write of its own transaction`);
  for (let op = read + 1; op < txnStart[t + 1]; op++)
    if (opKind[op] === OpKind.Write && opKey[op] === opKey[read]) return;
  refuse(`transaction ${t} does not write the key that operation ${read} reads`);
}

/** Number of transactions, including the initial transaction, that may have written a value last. */
function countWriters({ history, versions }: RawFacts, key: number, value: number): number {
  let count = isInitial(history, key, value) ? 1 : 0;
  for (const write of versions.writesOf(key, value)) if (versions.rank[write] === Rank.Last) count++;
  return count;
}
