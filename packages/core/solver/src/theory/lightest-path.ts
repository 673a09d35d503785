/**
 * Finds paths with few literals by breadth-first search in order of cost: edges that are always present cost 0, all
 * others 1.
 */
import { IntList, grown } from '@isolab/graph';
import type { PairAdjacency } from './adjacency.ts';

export class LightestPath {
  #cost: Int32Array = new Int32Array(0); // base + the cost at which a node was queued; smaller than base if not in this search
  #done: Int32Array = new Int32Array(0); // base of the search in which a node was completed
  #via: Int32Array = new Int32Array(0); // pair through which a node was reached
  #base = 1;
  #now = new IntList();
  #later = new IntList();

  resize(numNodes: number): void {
    this.#cost = grown(this.#cost, numNodes);
    this.#done = grown(this.#done, numNodes);
    this.#via = grown(this.#via, numNodes);
  }

  /**
   * Appends the pairs of a lightest path between two nodes to `path`, in reverse order. Uses only pairs whose `cost` is
   * not negative, and only nodes that are not after the goal in the order. Returns false if there is no path.
   */
  find(
    from: number,
    goal: number,
    { start, count, target, pair }: PairAdjacency,
    place: Int32Array,
    cost: (pair: number) => number,
    origin: Int32Array,
    path: IntList,
  ): boolean {
    const limit = place[goal];
    const reached = this.#cost;
    const base = this.#base;
    let level = 0;
    this.#now.length = this.#later.length = 0;
    this.#now.push(from);
    reached[from] = base;
    let found = from === goal;
    while (!found && this.#now.length > 0) {
      while (this.#now.length > 0) {
        const node = this.#now.items[--this.#now.length];
        if (this.#done[node] === base) continue;
        this.#done[node] = base;
        if (node === goal) {
          found = true;
          break;
        }
        for (let i = start[node], end = i + count[node]; i < end; i++) {
          const next = target[i];
          if (place[next] > limit || this.#done[next] === base) continue;
          const step = cost(pair[i]);
          if (step < 0) continue;
          const total = base + level + step;
          if (reached[next] >= base && reached[next] <= total) continue;
          reached[next] = total;
          this.#via[next] = pair[i];
          (step === 0 ? this.#now : this.#later).push(next);
        }
      }
      level++;
      [this.#now, this.#later] = [this.#later, this.#now];
    }
    this.#base = base + level + 2;
    if (!found) return false;
    for (let node = goal; node !== from; node = origin[this.#via[node]]) path.push(this.#via[node]);
    return true;
  }
}
