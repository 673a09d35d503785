import { EMPTY_LIST, type History, OpKind, UNKNOWN_LIST } from '@isolab/history';

/** Lists that some read returned, indexed by their prefix without the last element. */
export class SeenLists {
  readonly #after = new Map<number, number>();
  /** Lists of one element, by key and element. */
  readonly #first = new Map<number, number>();
  readonly #values: number;

  constructor({ lists: { parent, element }, values, opKind, opKey, opValue }: History) {
    this.#values = values.type.length;
    const root = new Int32Array(parent.length); // the list of one element with which each list begins
    for (let list = 0; list < parent.length; list++) {
      if (list === EMPTY_LIST) continue;
      root[list] = parent[list] === EMPTY_LIST ? list : root[parent[list]];
      if (parent[list] !== EMPTY_LIST) this.#after.set(parent[list] * this.#values + element[list], list);
    }
    for (let op = 0; op < opKind.length; op++) {
      if (opKind[op] !== OpKind.ListRead || opValue[op] === EMPTY_LIST || opValue[op] === UNKNOWN_LIST) continue;
      const list = root[opValue[op]];
      this.#first.set(opKey[op] * this.#values + element[list], list);
    }
  }

  /** The list of a key extended by one element; NO_LIST if no returned list begins that way. */
  append(key: number, list: number, element: number): number {
    if (list === NO_LIST) return NO_LIST;
    const found =
      list === EMPTY_LIST
        ? this.#first.get(key * this.#values + element)
        : this.#after.get(list * this.#values + element);
    return found ?? NO_LIST;
  }
}

const NO_LIST = -2;
