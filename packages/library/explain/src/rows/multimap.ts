/** Adds an item to the list of a key, and creates the list if necessary. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, name: Key, op: Item): void {
  const list = lists.get(name);
  if (list) list.push(op);
  else lists.set(name, [op]);
}
