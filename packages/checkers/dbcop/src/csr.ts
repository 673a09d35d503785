/** A directed graph in rows: the neighbours of vertex v are target[start[v]] … target[start[v + 1] − 1]. */
export interface Csr {
  /** One slot more than there are vertices. */
  readonly start: Int32Array;
  readonly target: Int32Array;
}

export const countVertices = ({ start }: Csr): number => start.length - 1;

/** Groups the numbers 0 … group.length − 1 by the group of each, in ascending order within a group. */
export function groupBy(group: ArrayLike<number>, numGroups: number): Csr {
  const start = new Int32Array(numGroups + 1);
  for (let i = 0; i < group.length; i++) start[group[i] + 1]++;
  for (let g = 0; g < numGroups; g++) start[g + 1] += start[g];
  const cursor = start.slice(0, numGroups);
  const target = new Int32Array(group.length);
  for (let i = 0; i < group.length; i++) target[cursor[group[i]]++] = i;
  return { start, target };
}
