/**
 * Index of the first of `count` ascending times that is at least (or greater than) the given time; `count` if there is
 * none.
 */
export function firstFrom(times: Float64Array, count: number, time: number, isLater: boolean): number {
  // The answer is nearly always the end.
  if (count === 0 || times[count - 1] < time) return count;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time || (isLater && times[middle] === time)) low = middle + 1;
    else high = middle;
  }
  return low;
}
