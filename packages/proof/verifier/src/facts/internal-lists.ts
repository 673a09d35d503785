import { EMPTY_LIST, OpKind, type OperationId, TxnStatus, UNKNOWN_LIST } from '@isolab/history';
import { BLIND, listOfOthers } from './list-tree.ts';
import type { RawFacts, Shows } from './raw-facts.ts';
import { Rank } from './versions.ts';

/** For each internal anomaly, the objection to a list read as its evidence; null if there is none. */
export const LISTS_SHOW: Readonly<Record<string, Shows>> = {
  'thin-air-read': (facts, read) =>
    someElement(facts, read, (element) => appendsOf(facts, read, element).length === 0)
      ? null
      : 'every element of the list was appended',

  'aborted-read': (facts, read, other) =>
    isShown(facts, read, other) ??
    (facts.history.txnStatus[facts.txnOf[other]] !== TxnStatus.Aborted
      ? `transaction ${facts.txnOf[other]} was not aborted`
      : bestRank(facts, other) === Rank.Aborted
        ? null
        : 'a transaction that was not aborted also appended the element'),

  'intermediate-read': (facts, read, other) => {
    const list = othersOf(facts, read);
    if (list === BLIND) return NOT_OWN_END;
    const { opKind, opKey, opValue, lists } = facts.history;
    const isLast =
      opKind[other] === OpKind.Append &&
      opKey[other] === opKey[read] &&
      list !== EMPTY_LIST &&
      lists.element[list] === opValue[other];
    if (!isLast) return `operation ${other} is not the last append of others that it shows`;
    if (facts.versions.rank[other] !== Rank.InPassing)
      return `the transaction of operation ${other} appended nothing after it, or was aborted`;
    return bestRank(facts, other) === Rank.InPassing ? null : 'another transaction appended the element last';
  },

  'future-read': (facts, read, other) =>
    isShown(facts, read, other) ??
    (facts.txnOf[other] !== facts.txnOf[read] || other < read
      ? `operation ${other} is not a later operation of the same transaction`
      : appendsOf(facts, read, facts.history.opValue[other]).some(
            (append) =>
              facts.versions.rank[append] !== Rank.Aborted &&
              (facts.txnOf[append] !== facts.txnOf[read] || append < read),
          )
        ? 'another transaction also appended the element, or it was appended earlier'
        : null),

  'not-my-own-write': (facts, read, other) =>
    missesOwn(facts, read, other) ??
    (showsEarlierOwn(facts, read) ? 'it ends with an earlier append of its own transaction' : null),

  'not-my-last-write': (facts, read, other) =>
    missesOwn(facts, read, other) ??
    (showsEarlierOwn(facts, read) ? null : 'it does not end with an earlier append of its own transaction'),

  'non-repeatable-read': (facts, read, other) => {
    const { opKind, opKey, opValue } = facts.history;
    const isEarlier = facts.txnOf[other] === facts.txnOf[read] && other < read && opKind[other] === OpKind.ListRead;
    if (!isEarlier) return `operation ${other} is not an earlier read of the same transaction`;
    if (opKey[read] !== opKey[other]) return `operation ${other} reads another key`;
    if (opValue[other] === UNKNOWN_LIST) return `operation ${other} has an unknown result`;
    const [before, after] = [othersOf(facts, other), othersOf(facts, read)];
    if (before === BLIND || after === BLIND) return NOT_OWN_END;
    return before === after ? 'both reads see the same appends of others' : null;
  },
};

const NOT_OWN_END = 'a list does not end with the appends of its own transaction';

const othersOf = ({ history, ownWrite }: RawFacts, read: OperationId): number => listOfOthers(history, ownWrite, read);

const appendsOf = ({ history, versions }: RawFacts, read: OperationId, element: number): Int32Array =>
  versions.writesOf(history.opKey[read], element);

const bestRank = (facts: RawFacts, append: number): number =>
  facts.versions.rank[appendsOf(facts, append, facts.history.opValue[append])[0]];

function someElement({ history }: RawFacts, read: OperationId, holds: (element: number) => boolean): boolean {
  const { opValue, lists } = history;
  for (let node = opValue[read]; node !== EMPTY_LIST; node = lists.parent[node])
    if (holds(lists.element[node])) return true;
  return false;
}

function isShown(facts: RawFacts, read: OperationId, append: number): string | null {
  const { opKind, opKey, opValue } = facts.history;
  if (opKind[append] !== OpKind.Append) return `operation ${append} is not an append`;
  const isIn = opKey[append] === opKey[read] && someElement(facts, read, (element) => element === opValue[append]);
  return isIn ? null : `its list does not show the element of operation ${append}`;
}

function missesOwn({ history, ownWrite }: RawFacts, read: OperationId, append: number): string | null {
  if (ownWrite[read] !== append)
    return `operation ${append} is not its own transaction's latest append to the key before it`;
  return listOfOthers(history, ownWrite, read) === BLIND
    ? null
    : 'the list ends with the appends of its own transaction';
}

function showsEarlierOwn({ history, ownWrite }: RawFacts, read: OperationId): boolean {
  const { opValue, lists } = history;
  const last = lists.element[opValue[read]];
  for (let append = ownWrite[ownWrite[read]]; append >= 0; append = ownWrite[append])
    if (opValue[append] === last) return true;
  return false;
}
