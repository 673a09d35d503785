/** Rows of numbers, with offsets that have one extra entry at the end. */
export interface Rows {
  readonly start: Int32Array;
  readonly item: Int32Array;
}

/** The first position in an ascending range whose number is at least `bound`. */
export function lowerBound(numbers: Int32Array, from: number, to: number, bound: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lower bound of items that are sorted by their number in a column. */
export function lowerBoundBy(
  column: Int32Array | Uint8Array,
  items: Int32Array,
  from: number,
  to: number,
  bound: number,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[items[middle]] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Position of a number in an ascending row; −1 if it is absent. */
export function placeIn({ start, item }: Rows, row: number, wanted: number): number {
  const place = lowerBound(item, start[row], start[row + 1], wanted);
  return place < start[row + 1] && item[place] === wanted ? place : -1;
}

/** Sorts numbers stably by their entry in a column. */
export function sortedBy(numbers: Int32Array, column: Int32Array | Uint8Array, groups: number): Rows {
  const start = new Int32Array(groups + 1);
  for (let i = 0; i < numbers.length; i++) start[column[numbers[i]] + 1]++;
  for (let group = 0; group < groups; group++) start[group + 1] += start[group];
  const cursor = start.slice(0, groups);
  const item = new Int32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) item[cursor[column[numbers[i]]]++] = numbers[i];
  return { start, item };
}
