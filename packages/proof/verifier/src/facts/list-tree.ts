import {
  EMPTY_LIST,
  type History,
  type IdColumn,
  OpKind,
  type OperationId,
  type TransactionId,
  UNKNOWN_LIST,
  countKeys,
  countValues,
} from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';
import { isWrite, type StatedVersions } from './versions.ts';
import { type Rows, lowerBoundBy, sortedBy } from './sorted.ts';

/** Denotes a list without an extension that a read returned. Its extensions are also unseen. */
const UNSEEN = -1;
/** Denotes a list that does not end with its reader's own elements. */
export const BLIND = -2;

/** Lists as nodes of a tree, in which equal lists of a key share a node, and an append moves to a child. */
export class ListTree {
  readonly #element: Int32Array;
  readonly #numNodes: number;
  // The children of each parent, sorted by their last element. Children of the empty list are grouped by key.
  readonly #children: Rows;

  constructor(history: History) {
    const { lists } = history;
    this.#element = lists.element;
    this.#numNodes = lists.parent.length;
    const { group, nodes } = groupNodes(history);
    const byElement = sortedBy(nodes, lists.element, countValues(history)).item;
    this.#children = sortedBy(byElement, group, this.#numNodes + countKeys(history));
  }

  /** The list of a key after an append; UNSEEN if no read shows it. */
  append(key: number, list: number, element: number): number {
    if (list < 0) return UNSEEN;
    const group = list === EMPTY_LIST ? this.#numNodes + key : list;
    const { start, item } = this.#children;
    const end = start[group + 1];
    const at = lowerBoundBy(this.#element, item, start[group], end, element);
    return at < end && this.#element[item[at]] === element ? item[at] : UNSEEN;
  }
}

/** Returns the nodes that reads reach, each with its group: its parent, or its key if the parent is empty. */
function groupNodes({ opKind, opKey, opValue, lists }: History): { group: Int32Array; nodes: Int32Array } {
  const group = new Int32Array(lists.parent.length).fill(-1);
  const nodes = new Int32Array(lists.parent.length);
  let count = 0;
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
    for (let node = opValue[op]; node !== EMPTY_LIST && group[node] < 0; node = lists.parent[node]) {
      const parent = lists.parent[node];
      group[node] = parent === EMPTY_LIST ? lists.parent.length + opKey[op] : parent;
      nodes[count++] = node;
    }
  }
  return { group, nodes: nodes.subarray(0, count) };
}

/** The list at a read without the reader's own appends, with which the list must end; BLIND if it does not. */
export function listOfOthers({ opValue, lists }: History, ownWrite: Int32Array, read: OperationId): number {
  let node = opValue[read];
  for (let append = ownWrite[read]; append >= 0; append = ownWrite[append]) {
    if (node === EMPTY_LIST || lists.element[node] !== opValue[append]) return BLIND;
    node = lists.parent[node];
  }
  return node;
}

/** Facts about reads that are available before all facts are collected. */
interface ReadsInSessions {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly versions: StatedVersions;
  readonly ownWrite: Int32Array;
}

/** Number of other transactions' elements in a list, up to the reader's own appends at its end. */
export function othersShown({ history, txnOf, versions, ownWrite }: ReadsInSessions, read: OperationId): number {
  const list = listOfOthers(history, ownWrite, read);
  if (list !== BLIND) return list;
  const { opKey, opValue, lists } = history;
  let node = opValue[read];
  for (; node !== EMPTY_LIST; node = lists.parent[node]) {
    const append = versions.soleWrite(opKey[read], lists.element[node]);
    if (append < 0 || txnOf[append] !== txnOf[read]) break;
  }
  return node;
}

/** For every operation, the latest earlier write or append to the key in its transaction; −1 if there is none. */
export function ownWrites({ txnStart, opKind, opKey, keyInitial }: History): Int32Array {
  const ownWrite = new Int32Array(opKind.length).fill(-1);
  const latest = new Int32Array(keyInitial.length).fill(-1);
  for (let t = 0; t + 1 < txnStart.length; t++) {
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (latest[opKey[op]] >= txnStart[t]) ownWrite[op] = latest[opKey[op]];
      if (isWrite(opKind[op])) latest[opKey[op]] = op;
    }
  }
  return ownWrite;
}

export const holdsLists = ({ opKind }: History): boolean =>
  opKind.includes(OpKind.Append) || opKind.includes(OpKind.ListRead);

/**
 * Refuses a key that is both a list and a register. Such a key is a string, about which a single read shows too little.
 */
export function refuseStrings(history: History): void {
  const { opKind, opKey } = history;
  const isList = new Uint8Array(countKeys(history));
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.Append || opKind[op] === OpKind.ListRead) isList[opKey[op]] = 1;
  for (let op = 0; op < opKind.length; op++)
    if (isList[opKey[op]] === 1 && opKind[op] !== OpKind.Append && opKind[op] !== OpKind.ListRead)
      refuse(`key ${opKey[op]} is both a list and a register, as operation ${op} shows`);
}

/** Transaction that completes each list, if the writers of its key append one after the other; −1 if there is none. */
export function completersOfLists(history: History, versions: Rows): Int32Array {
  const { txnStart, opKind, opKey, opValue, lists } = history;
  const tree = new ListTree(history);
  const completer = new Int32Array(lists.parent.length).fill(-1);
  for (let key = 0; key + 1 < versions.start.length; key++) {
    let held = EMPTY_LIST;
    for (let i = versions.start[key]; i < versions.start[key + 1]; i++) {
      const t = versions.item[i];
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Append && opKey[op] === key) held = tree.append(key, held, opValue[op]);
      if (held !== UNSEEN && held !== EMPTY_LIST) completer[held] = t;
    }
  }
  return completer;
}
