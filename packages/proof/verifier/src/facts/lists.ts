import { EMPTY_LIST, OpKind, type OperationId, UNKNOWN_LIST, countOperations } from '@isolab/history';
import { type Fields, integerOf, nameTxn, refuse, show } from '../verdict/flaw.ts';
import { BLIND, listOfOthers, othersShown } from './list-tree.ts';
import type { RawFacts } from './raw-facts.ts';
import { Rank } from './versions.ts';

// Conclusions from lists alone. At every level, the list that other transactions had left for a read consists of all
// appends to the key in commit order, up to the last append of some transaction.

/** Refuses unless no order of the appends explains the two operations. */
export function verifyLists(facts: RawFacts, certificate: Fields): void {
  const anomaly = certificate['anomaly'];
  const read = readOf(facts, certificate['read'], 'the read');
  switch (anomaly) {
    case 'incompatible-order': {
      const other = integerOf(certificate['other'], 0, countOperations(facts.history), 'the other operation');
      if (facts.history.opKind[other] === OpKind.Append) verifyTornApart(facts, read, other);
      else verifyTwoOrders(facts, read, readOf(facts, other, 'the other operation'));
      return;
    }
    case 'duplicate-elements':
      return verifyDuplicate(facts, read, appendOf(facts, certificate['other']));
    default:
      refuse(`the anomaly is ${show(anomaly)}, which is not an anomaly of lists`);
  }
}

function readOf({ history, txnOf, happened }: RawFacts, data: unknown, what: string): number {
  const read = integerOf(data, 0, countOperations(history), what);
  return happened[txnOf[read]] ? read : refuse(`transaction ${txnOf[read]}, of operation ${read}, did not happen`);
}

function appendOf({ history }: RawFacts, data: unknown): number {
  const append = integerOf(data, 0, countOperations(history), 'the other operation');
  return history.opKind[append] === OpKind.Append ? append : refuse(`operation ${append} is not an append`);
}

/** The list that other transactions had left. The reader's own appends at the end do not show their final position. */
function othersOf(facts: RawFacts, read: OperationId): number {
  needList(facts, read);
  return othersShown(facts, read);
}

function needList({ history: { opKind, opValue } }: RawFacts, read: OperationId): void {
  if (opKind[read] !== OpKind.ListRead) refuse(`operation ${read} is not a read of a list`);
  if (opValue[read] === UNKNOWN_LIST) refuse(`operation ${read} has an unknown result`);
}

/** If two lists have the same key, one list is a prefix of the other. */
function verifyTwoOrders(facts: RawFacts, read: OperationId, other: number): void {
  const { opKey, lists } = facts.history;
  if (opKey[read] !== opKey[other]) refuse(`operations ${read} and ${other} use different keys`);
  const [a, b] = [othersOf(facts, read), othersOf(facts, other)];
  const short = lists.length[a] < lists.length[b] ? a : b;
  let long = short === a ? b : a;
  while (lists.length[long] > lists.length[short]) long = lists.parent[long];
  if (long === short) refuse(`one of the lists of operations ${read} and ${other} is a prefix of the other`);
}

/**
 * A transaction's appends to a key are adjacent and in order, even in a list that lacks some of the reader's own
 * appends.
 */
function verifyTornApart(facts: RawFacts, read: OperationId, append: number): void {
  const { opKind, opKey, opValue, lists, txnStart } = facts.history;
  const t = facts.txnOf[append];
  if (facts.versions.soleWrite(opKey[append], opValue[append]) !== append)
    refuse(`operation ${append} is not the only operation that can have appended its element`);
  if (opKey[append] !== opKey[read]) refuse(`operations ${read} and ${append} use different keys`);
  const previous = facts.ownWrite[append];
  let next = append + 1;
  while (next < txnStart[t + 1] && !(opKind[next] === OpKind.Append && opKey[next] === opKey[append])) next++;

  let isShown = false;
  let after = -1; // the next element
  needList(facts, read);
  const others = listOfOthers(facts.history, facts.ownWrite, read);
  for (let node = others === BLIND ? opValue[read] : others; node !== EMPTY_LIST; node = lists.parent[node]) {
    if (lists.element[node] === opValue[append]) {
      isShown = true;
      const parent = lists.parent[node];
      const isTornBefore = previous >= 0 && (parent === EMPTY_LIST || lists.element[parent] !== opValue[previous]);
      const isTornBehind = next < txnStart[t + 1] && after >= 0 && after !== opValue[next];
      if (isTornBefore || isTornBehind) return;
    }
    after = lists.element[node];
  }
  if (!isShown) refuse(`operation ${read} does not show the element of operation ${append}`);
  refuse(
    `the elements that ${nameTxn(t)} appended are adjacent around operation ${append} in the list of operation ${read}`,
  );
}

/** An element appears at most as many times as all transactions together appended it. */
function verifyDuplicate(facts: RawFacts, read: OperationId, append: number): void {
  const { opKey, opValue, lists } = facts.history;
  if (opKey[append] !== opKey[read]) refuse(`operations ${read} and ${append} use different keys`);
  needList(facts, read);
  let shown = 0;
  for (let node = opValue[read]; node !== EMPTY_LIST; node = lists.parent[node])
    if (lists.element[node] === opValue[append]) shown++;
  const appended = facts.versions
    .writesOf(opKey[append], opValue[append])
    .filter((one) => facts.versions.rank[one] !== Rank.Aborted).length;
  if (shown <= appended)
    refuse(`operation ${read} shows the element ${shown} times, but it was appended ${appended} times`);
}

/**
 * Refuses unless a list shows an append of `from`, and no append of `to` before it. Returns the number of inspected
 * elements.
 */
export function verifyVersion(facts: RawFacts, read: OperationId, from: number, to: number): number {
  const { opKind, opKey, opValue, lists, txnStart } = facts.history;
  const { txnOf, versions } = facts;
  const key = opKey[read];
  const others = othersOf(facts, read);
  let showsTo = false;
  let showsFrom = false;
  for (let node = others; node !== EMPTY_LIST; node = lists.parent[node]) {
    const append = versions.soleWrite(key, lists.element[node]);
    if (append < 0) continue; // written by no transaction or by several, so it proves nothing
    showsTo ||= txnOf[append] === to;
    if (txnOf[append] !== from) continue;
    if (showsTo) return lists.length[others];
    showsFrom = true;
  }
  if (!showsFrom) refuse(`the list of operation ${read} shows no append that is certainly by ${nameTxn(from)}`);

  const shown = new Set<number>();
  for (let node = others; node !== EMPTY_LIST; node = lists.parent[node]) shown.add(lists.element[node]);
  for (let op = txnStart[to]; op < txnStart[to + 1]; op++)
    if (opKind[op] === OpKind.Append && opKey[op] === key && !shown.has(opValue[op])) return lists.length[others];
  return refuse(`the list of operation ${read} does not show that ${nameTxn(to)} comes later or is missing`);
}
