/** Adds an item to the list of a key, which it makes. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, name: Key, op: Item): void {
  const list = lists.get(name);
  if (list) list.push(op);
  else lists.set(name, [op]);
}
