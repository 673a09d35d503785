/** The first place of an ascending range `[from, to)` whose number is at least the wanted one; `to` if there is none. */
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

/** Where an ascending range `[from, to)` has a number, or −1. */
export function placeIn(sorted: Int32Array, from: number, to: number, wanted: number): number {
  const place = lowerBound(sorted, from, to, wanted);
  return place < to && sorted[place] === wanted ? place : -1;
}
