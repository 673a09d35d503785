/** Returns the first place in the ascending range `[from, to)` whose number is at least the wanted number, or `to`. */
export function lowerBound(sorted: Int32Array, from: number, to: number, wanted: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the place of a number in the ascending range `[from, to)`, or −1. */
export function placeIn(sorted: Int32Array, from: number, to: number, wanted: number): number {
  const place = lowerBound(sorted, from, to, wanted);
  return place < to && sorted[place] === wanted ? place : -1;
}
