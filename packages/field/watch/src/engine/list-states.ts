import { EMPTY_LIST, type History, Interner, ListTree, OpKind, UNKNOWN_LIST, listElements } from '@isolab/history';

/** Elements that settled transactions appended to a list, oldest first, with the lines that appended them. */
interface ListState {
  readonly elements: number[];
  readonly lines: number[];
}

/** The lists that settled transactions left. Reads are compared with them, and only the new part is checked. */
export class ListStates {
  readonly #elements = new Interner();
  readonly #states = new Map<number, ListState>();

  get size(): number {
    return this.#states.size;
  }

  append(key: number, values: Interner, value: number, line: number): void {
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, (state = { elements: [], lines: [] }));
    state.elements.push(values.copyTo(value, this.#elements));
    state.lines.push(line);
  }

  linesOf(key: number): readonly number[] {
    return this.#states.get(key)?.lines ?? [];
  }

  each(visit: (key: number, copyElement: (values: Interner) => number, line: number) => void): void {
    for (const [key, { elements, lines }] of this.#states)
      for (const [i, element] of elements.entries())
        visit(key, (values) => this.#elements.copyTo(element, values), lines[i]);
  }

  clear(): void {
    this.#states.clear();
  }

  /**
   * Returns the history with lists that continue from these states, and the reads of lists that do not: reads of an
   * earlier state, or of elements that no transaction has appended.
   */
  continued(history: History, stateKey: Int32Array, values: Interner): { history: History; others: Set<number> } {
    const others = new Set<number>();
    const { opKind, opKey, opValue, lists } = history;
    if (this.#states.size === 0) return { history, others };
    const tree = new ListTree();
    const value = opValue.slice();
    const idOf = new Map<number, number>(); // maps the history's values to the elements of the state
    const sameAs = (element: number): number => {
      let id = idOf.get(element);
      if (id === undefined) idOf.set(element, (id = values.copyTo(element, this.#elements)));
      return id;
    };
    for (let op = 0; op < opKind.length; op++) {
      if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
      const beginning = this.#states.get(stateKey[opKey[op]])?.elements ?? [];
      const elements = listElements(lists, opValue[op]);
      let node = EMPTY_LIST;
      if (beginning.some((element, i) => i >= elements.length || sameAs(elements[i]) !== element)) others.add(op);
      else for (const element of elements.subarray(beginning.length)) node = tree.extend(opKey[op], node, element);
      value[op] = node;
    }
    return { history: { ...history, opValue: value, lists: tree.finish() }, others };
  }
}
