/** A relation over few elements, with one bit row per element. */
export type Relation = readonly Uint32Array[];

export const emptyRelation = (size: number): Uint32Array[] =>
  Array.from({ length: size }, () => new Uint32Array((size + 31) >> 5));

export function relate(relation: Relation, from: number, to: number): void {
  relation[from][to >> 5] |= 1 << (to & 31);
}

export const relates = (relation: Relation, from: number, to: number): boolean =>
  ((relation[from][to >> 5] >>> (to & 31)) & 1) === 1;

/** Computes the transitive closure with Warshall's algorithm. */
export function closureOf(relation: Relation): Relation {
  const closure = relation.map((row) => row.slice());
  for (let middle = 0; middle < closure.length; middle++) {
    const over = closure[middle];
    for (const row of closure) {
      if (((row[middle >> 5] >>> (middle & 31)) & 1) === 0) continue;
      for (let i = 0; i < row.length; i++) row[i] |= over[i];
    }
  }
  return closure;
}

export const isCyclic = (relation: Relation): boolean => {
  const closure = closureOf(relation);
  return closure.some((_, i) => relates(closure, i, i));
};
