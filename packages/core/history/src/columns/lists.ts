import { grown, trim } from './columns.ts';
import { enter, hashPair } from './hash-table.ts';
import { EMPTY_LIST } from './operation.ts';

/**
 * Lists that reads returned, kept as a tree: each node is a list, and its parent is the list without the last element.
 * Reads of an append-only list return prefixes of one another, so the lists of a history share almost all of their
 * nodes. Two lists of a key are equal exactly if their nodes are, and a key whose nodes form a path has one version
 * order.
 * Node {@link EMPTY_LIST} is the empty list of every key; every other node belongs to one key.
 */
export interface Lists {
  readonly parent: Int32Array;
  /** Value id of the last element. */
  readonly element: Int32Array;
  readonly length: Int32Array;
}

/** Returns the value ids of a list, oldest first. */
export function listElements(lists: Lists, node: number): Int32Array {
  const elements = new Int32Array(lists.length[node]);
  for (let i = elements.length - 1; i >= 0; i--) {
    elements[i] = lists.element[node];
    node = lists.parent[node];
  }
  return elements;
}

export class ListTree {
  #count = 1;
  #parent = new Int32Array(INITIAL_CAPACITY);
  #element = new Int32Array(INITIAL_CAPACITY);
  #length = new Int32Array(INITIAL_CAPACITY);
  #slots = new Int32Array(2 * INITIAL_CAPACITY);
  readonly #firstKey: number[] = []; // key of each node with length 1
  readonly #path: number[][] = []; // by key: the nodes along one of its lists, which the next list probably repeats

  constructor() {
    this.#parent[EMPTY_LIST] = -1;
    this.#element[EMPTY_LIST] = -1;
  }

  get isEmpty(): boolean {
    return this.#count === 1;
  }

  /** Returns the node of `key`'s list `parent` extended by `element`. */
  extend(key: number, parent: number, element: number): number {
    const path = (this.#path[key] ??= []);
    const length = this.#length[parent];
    const guess = path[length];
    if (guess !== undefined && this.#parent[guess] === parent && this.#element[guess] === element) return guess;
    const node = this.#find(key, parent, element);
    path[length] = node;
    return node;
  }

  finish(): Lists {
    this.#slots = new Int32Array(0);
    this.#path.length = 0;
    return {
      parent: trim(this.#parent, this.#count),
      element: trim(this.#element, this.#count),
      length: trim(this.#length, this.#count),
    };
  }

  #find(key: number, parent: number, element: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(key, parent, element) & mask;
    for (let node = this.#slots[slot]; node !== 0; node = this.#slots[slot]) {
      const same = this.#parent[node] === parent && this.#element[node] === element;
      if (same && (parent !== EMPTY_LIST || this.#firstKey[node] === key)) return node;
      slot = (slot + 1) & mask;
    }
    const node = this.#count++;
    if (node === this.#parent.length) this.#grow(2 * node);
    this.#parent[node] = parent;
    this.#element[node] = element;
    this.#length[node] = this.#length[parent] + 1;
    if (parent === EMPTY_LIST) this.#firstKey[node] = key;
    this.#slots[slot] = node;
    if (2 * this.#count > this.#slots.length) this.#rehash();
    return node;
  }

  #hash(key: number, parent: number, element: number): number {
    return parent === EMPTY_LIST ? hashPair(~key, element) : hashPair(parent, element);
  }

  #grow(capacity: number): void {
    this.#parent = grown(this.#parent, new Int32Array(capacity));
    this.#element = grown(this.#element, new Int32Array(capacity));
    this.#length = grown(this.#length, new Int32Array(capacity));
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    for (let node = 1; node < this.#count; node++) {
      const key = this.#parent[node] === EMPTY_LIST ? this.#firstKey[node]! : 0;
      enter(slots, node - 1, this.#hash(key, this.#parent[node], this.#element[node]));
    }
    this.#slots = slots;
  }
}

const INITIAL_CAPACITY = 64;
