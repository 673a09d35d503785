/** Items by group, in one column: group `g` consists of `item[start[g]]` … `item[start[g + 1] - 1]`. */
export interface Rows {
  /** Start of each group's row, with one extra slot. */
  readonly start: Int32Array;
  readonly item: Int32Array;
}

/** Groups the items 0 … `group.length - 1` by counting sort, in ascending order within a row. Omits negative groups. */
export function rowsBy(group: Int32Array, numRows: number): Rows {
  const start = rowStarts(group, numRows);
  const cursor = start.slice(0, numRows);
  const item = new Int32Array(start[numRows]);
  for (let i = 0; i < group.length; i++) if (group[i] >= 0) item[cursor[group[i]]++] = i;
  return { start, item };
}

/** Returns the start of each group's row once items are sorted by group, with one extra slot. */
export function rowStarts(group: ArrayLike<number>, numRows: number, count: number = group.length): Int32Array {
  const start = new Int32Array(numRows + 1);
  for (let i = 0; i < count; i++) if (group[i] >= 0) start[group[i] + 1]++;
  return prefixSums(start);
}

/**
 * Replaces each number by the sum of all numbers up to and including it, which turns the sizes of rows into their
 * starts.
 */
export function prefixSums(sizes: Int32Array): Int32Array {
  for (let i = 1; i < sizes.length; i++) sizes[i] += sizes[i - 1];
  return sizes;
}

/** Adds an item to a row of a map, for rows that are few or unknown in number. */
export function addTo<Key, Item>(rows: Map<Key, Item[]>, row: Key, item: Item): void {
  const items = rows.get(row);
  if (items) items.push(item);
  else rows.set(row, [item]);
}
