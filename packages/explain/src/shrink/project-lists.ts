import { type History, ListTree, OpKind, UNKNOWN_LIST, listElements } from '@isolab/history';

/** Of each key the elements whose append has gone. */
export type Gone = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * The history with lists from which those elements are left out, as if they had never been appended: what the other
 * elements say of their order stays. Its list tree holds nothing else.
 */
export function projectLists(history: History, gone: Gone): History {
  const tree = new ListTree();
  const projected = new Map<number, number>(); // a list other than the empty one belongs to one key
  const opValue = history.opValue.slice();
  for (let op = 0; op < opValue.length; op++) {
    if (history.opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
    const key = history.opKey[op];
    const list = opValue[op];
    let node = projected.get(list);
    if (node === undefined) {
      const without = gone.get(key);
      node = 0;
      for (const element of listElements(history.lists, list))
        if (!without?.has(element)) node = tree.extend(key, node, element);
      projected.set(list, node);
    }
    opValue[op] = node;
  }
  return { ...history, opValue, lists: tree.finish() };
}
