import { IntList } from '@isolab/graph';
import { EMPTY_LIST, OpKind, type ReadFromIndex, UNKNOWN_LIST, transactionOf } from '@isolab/history';
import type { Model } from './model.ts';

/**
 * Plume-List (section 5.5.2): the order of appending transactions that lists show.
 * A key's list is its version order: the transactions of neighbouring elements commit in their order, and an append
 * that the longest list does not show follows all elements of this list.
 */
export interface VersionOrder {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Read whose list shows each order. */
  readonly read: Int32Array;
  /** Lists that no order of the appends explains. */
  readonly conflicts: readonly ListConflict[];
}

export interface ListConflict {
  readonly name: 'incompatible-order' | 'duplicate-elements';
  /** In the order of the story; a shown append may belong to an aborted transaction, which has no node. */
  readonly transactions: readonly number[];
  /** A read that shows the conflict, and the read or append that its list contradicts. */
  readonly read: number;
  readonly other: number;
}

export function findVersionOrder(
  model: Model,
  index: ReadFromIndex,
  { unobserved, tick }: { readonly unobserved: boolean; readonly tick: (steps: number) => void },
): VersionOrder {
  if (model.history.lists.parent.length === 1) {
    // Lists without elements; unread appends are in no known order.
    const none = new Int32Array(0);
    return { from: none, to: none, read: none, conflicts: [] };
  }
  const walk = new ListWalk(model, index);
  for (let node = 0; node < model.numNodes; node++) {
    walk.visitReads(node);
    tick(1);
  }
  walk.checkProgramOrder();
  if (unobserved) walk.orderUnobserved();
  return walk.finish();
}

class ListWalk {
  readonly #model: Model;
  readonly #index: ReadFromIndex;
  readonly #from = new IntList();
  readonly #to = new IntList();
  readonly #read = new IntList();
  readonly #conflicts: ListConflict[] = [];
  readonly #reader: Int32Array; // list nodes that were read
  readonly #nodes = new IntList(); // by list node: the first operation that read it or a longer list, or −1
  readonly #heir: Int32Array; // by list node: the first of its children that was read, or −1
  readonly #firstElement: Int32Array; // by key: the list node of length 1 that was read first, or −1
  readonly #longest: Int32Array; // by key: the longest list that was read
  readonly #shownBy: Int32Array; // by append: the list node that ends with it, or −1

  constructor(model: Model, index: ReadFromIndex) {
    const numLists = model.history.lists.parent.length;
    const numKeys = model.history.keyInitial.length;
    this.#model = model;
    this.#index = index;
    this.#reader = new Int32Array(numLists).fill(-1);
    this.#heir = new Int32Array(numLists).fill(-1);
    this.#firstElement = new Int32Array(numKeys).fill(-1);
    this.#longest = new Int32Array(numKeys).fill(EMPTY_LIST);
    this.#shownBy = new Int32Array(model.history.opKind.length).fill(-1);
  }

  visitReads(node: number): void {
    const { txnStart, opKind, opKey, opValue, lists } = this.#model.history;
    const t = this.#model.txnOf[node];
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
      const key = opKey[op];
      const list = this.#withoutOwn(opValue[op], node, op);
      if (list !== opValue[op]) this.#checkOwnTwice(node, op, list);
      if (lists.length[list] > lists.length[this.#longest[key]]) this.#longest[key] = list;
      for (let n = list; n !== EMPTY_LIST && this.#reader[n] < 0; n = lists.parent[n]) {
        this.#reader[n] = op;
        this.#nodes.push(n);
        this.#checkBranch(n, key, op);
        this.#checkDuplicate(n);
        this.#addEdge(n);
      }
    }
  }

  /** The list without the reader's own appends, whose position in it does not show their final position. */
  #withoutOwn(list: number, node: number, op: number): number {
    const { nodeAppend } = this.#index;
    let n = list;
    while (n !== EMPTY_LIST && nodeAppend[n] < op && this.#writerOf(n) === node)
      n = this.#model.history.lists.parent[n];
    return n;
  }

  /** Checks that the reader's own elements, which follow `others` in the list, show each of its appends only once. */
  #checkOwnTwice(node: number, read: number, others: number): void {
    const { lists, opValue } = this.#model.history;
    const shown = new Set<number>();
    for (let n = opValue[read]; n !== others; n = lists.parent[n]) {
      const append = this.#index.nodeAppend[n];
      if (shown.has(append)) {
        const transactions = [this.#model.txnOf[node]];
        this.#conflicts.push({ name: 'duplicate-elements', transactions, read, other: append });
      }
      shown.add(append);
    }
  }

  /** Finds two lists of a key, neither a prefix of the other. */
  #checkBranch(n: number, key: number, read: number): void {
    const parent = this.#model.history.lists.parent[n];
    const sibling = parent === EMPTY_LIST ? this.#firstElement[key] : this.#heir[parent];
    if (sibling >= 0) {
      const other = this.#reader[sibling];
      const transactions = this.#transactionsOf(other, read);
      this.#conflicts.push({ name: 'incompatible-order', transactions, read, other });
    } else if (parent === EMPTY_LIST) this.#firstElement[key] = n;
    else this.#heir[parent] = n;
  }

  #checkDuplicate(n: number): void {
    const append = this.#index.nodeAppend[n];
    if (append < 0) return;
    const other = this.#shownBy[append];
    if (other < 0) this.#shownBy[append] = n;
    else if (this.#isPrefix(n, other)) {
      const { length } = this.#model.history.lists;
      const read = this.#reader[length[n] > length[other] ? n : other];
      const transactions = this.#transactionsOf(append, this.#reader[n]);
      this.#conflicts.push({ name: 'duplicate-elements', transactions, read, other: append });
    }
  }

  #isPrefix(a: number, b: number): boolean {
    const { parent, length } = this.#model.history.lists;
    const short = length[a] < length[b] ? a : b;
    let long = short === a ? b : a;
    while (length[long] > length[short]) long = parent[long];
    return long === short;
  }

  #addEdge(n: number): void {
    const parent = this.#model.history.lists.parent[n];
    if (parent === EMPTY_LIST) return;
    const from = this.#writerOf(parent);
    const to = this.#writerOf(n);
    if (from < 0 || to < 0 || from === to) return;
    this.#from.push(from);
    this.#to.push(to);
    this.#read.push(this.#reader[n]);
  }

  /** Checks that appends of one transaction to a key are contiguous, in program order. */
  checkProgramOrder(): void {
    const { parent } = this.#model.history.lists;
    const { nodeAppend } = this.#index;
    const previous = this.#previousAppends();
    const nodes = this.#nodes.view();
    for (let i = 0; i < nodes.length; i++) {
      const writer = this.#writerOf(nodes[i]);
      if (writer < 0) continue;
      const before = previous[nodeAppend[nodes[i]]];
      const neighbour = parent[nodes[i]];
      if (before < 0 || (neighbour !== EMPTY_LIST && nodeAppend[neighbour] === before)) continue;
      const read = this.#reader[nodes[i]];
      const other = nodeAppend[nodes[i]];
      const transactions = this.#transactionsOf(other, read);
      this.#conflicts.push({ name: 'incompatible-order', transactions, read, other });
    }
  }

  /** Previous append of the same transaction to the same key, for every append, or −1. */
  #previousAppends(): Int32Array {
    const { txnStart, opKind, opKey, keyInitial } = this.#model.history;
    const previous = new Int32Array(opKind.length).fill(-1);
    const latest = new Int32Array(keyInitial.length).fill(-1);
    for (let node = 0; node < this.#model.numNodes; node++) {
      const first = txnStart[this.#model.txnOf[node]];
      for (let op = first; op < txnStart[this.#model.txnOf[node] + 1]; op++) {
        if (opKind[op] !== OpKind.Append) continue;
        if (latest[opKey[op]] >= first) previous[op] = latest[opKey[op]];
        latest[opKey[op]] = op;
      }
    }
    return previous;
  }

  orderUnobserved(): void {
    const { txnStart, opKind, opKey } = this.#model.history;
    for (let node = 0; node < this.#model.numNodes; node++) {
      const t = this.#model.txnOf[node];
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] !== OpKind.Append || this.#shownBy[op] >= 0) continue;
        const longest = this.#longest[opKey[op]];
        const last = longest === EMPTY_LIST ? -1 : this.#writerOf(longest);
        if (last < 0 || last === node) continue;
        this.#from.push(last);
        this.#to.push(node);
        this.#read.push(this.#reader[longest]);
      }
    }
  }

  finish(): VersionOrder {
    return { from: this.#from.view(), to: this.#to.view(), read: this.#read.view(), conflicts: this.#conflicts };
  }

  /** The node that appended a list's last element, or −1 if that transaction did not happen. */
  #writerOf(n: number): number {
    const append = this.#index.nodeAppend[n];
    return append < 0 ? -1 : this.#nodeOfOp(append);
  }

  #transactionsOf(...ops: readonly number[]): number[] {
    return [...new Set(ops.map((op) => transactionOf(this.#model.history, op)))];
  }

  #nodeOfOp(op: number): number {
    return this.#model.nodeOf[transactionOf(this.#model.history, op)];
  }
}
