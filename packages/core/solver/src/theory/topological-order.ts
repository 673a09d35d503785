/**
 * An order of the nodes in which every present edge leads forward, maintained while edges are inserted: Pearce & Kelly,
 * A dynamic topological sort algorithm for directed acyclic graphs (JEA 2006). An edge that leads forward costs
 * nothing; for an edge that leads backward, only nodes between its ends are visited and moved. Removing edges does not
 * change the order.
 */
import type { Adjacency } from './adjacency.ts';

export class TopologicalOrder {
  place: Int32Array = new Int32Array(0); // by node
  nodeAt: Int32Array = new Int32Array(0);
  /** Nodes that the last search visited: forward from the edge's end, and backward from its start. */
  forward: Int32Array = new Int32Array(0);
  numForward = 0;
  backward: Int32Array = new Int32Array(0);
  numBackward = 0;
  met: Int32Array = new Int32Array(0); // number of the last search that reached each node: even forward, odd backward
  search = 0;
  #places: Int32Array = new Int32Array(0);

  /** Makes room for more nodes, which are appended to the order. */
  resize(numNodes: number): void {
    const known = this.place.length;
    const place = new Int32Array(numNodes);
    const nodeAt = new Int32Array(numNodes);
    place.set(this.place);
    nodeAt.set(this.nodeAt);
    for (let node = known; node < numNodes; node++) place[node] = nodeAt[node] = node;
    this.place = place;
    this.nodeAt = nodeAt;
    this.forward = new Int32Array(numNodes);
    this.backward = new Int32Array(numNodes);
    this.met = new Int32Array(numNodes);
    this.search = 0;
    this.#places = new Int32Array(numNodes);
  }

  /** Replaces the order of all nodes. */
  assign(nodes: Int32Array): void {
    this.nodeAt.set(nodes);
    for (let i = 0; i < nodes.length; i++) this.place[nodes[i]] = i;
  }

  /** Adjusts the order to a new edge from x to y; returns false without moving nodes if there is a path from y to x. */
  insert(x: number, y: number, out: Adjacency, into: Adjacency): boolean {
    this.numForward = this.numBackward = 0;
    if (this.place[x] < this.place[y]) return true;
    if (x === y || !this.#searchForward(y, x, out)) return false;
    this.#searchBackward(x, this.place[y], into);
    this.#reorder();
    return true;
  }

  /** Visits the nodes before `goal` that `from` reaches; returns false as soon as it reaches `goal`. */
  #searchForward(from: number, goal: number, { start, count, target }: Adjacency): boolean {
    const { place, met, forward } = this;
    const search = (this.search += 2);
    const limit = place[goal];
    let size = 0;
    forward[size++] = from;
    met[from] = search;
    for (let at = 0; at < size; at++) {
      const node = forward[at];
      const begin = start[node];
      for (let i = begin, end = begin + count[node]; i < end; i++) {
        const next = target[i];
        if (met[next] === search || place[next] > limit) continue;
        if (next === goal) {
          this.numForward = size;
          return false;
        }
        met[next] = search;
        forward[size++] = next;
      }
    }
    this.numForward = size;
    return true;
  }

  #searchBackward(from: number, limit: number, { start, count, target }: Adjacency): void {
    const { place, met, backward } = this;
    const search = this.search + 1;
    let size = 0;
    backward[size++] = from;
    met[from] = search;
    for (let at = 0; at < size; at++) {
      const node = backward[at];
      const begin = start[node];
      for (let i = begin, end = begin + count[node]; i < end; i++) {
        const next = target[i];
        if (met[next] === search || place[next] < limit) continue;
        met[next] = search;
        backward[size++] = next;
      }
    }
    this.numBackward = size;
  }

  /**
   * Reassigns the places of all visited nodes: first to the nodes of the backward search, then to those of the forward
   * search, each in their old order.
   */
  #reorder(): void {
    const { place, nodeAt, forward, numForward, backward, numBackward } = this;
    const places = this.#places;
    for (let i = 0; i < numBackward; i++) places[i] = place[backward[i]];
    for (let i = 0; i < numForward; i++) places[numBackward + i] = place[forward[i]];
    sort(places, 0, numBackward);
    sort(places, numBackward, numBackward + numForward);
    for (let i = 0; i < numBackward; i++) backward[i] = nodeAt[places[i]];
    for (let i = 0; i < numForward; i++) forward[i] = nodeAt[places[numBackward + i]];

    // Both runs of places are sorted, so they are merged on the fly.
    let b = 0;
    let f = numBackward;
    const end = numBackward + numForward;
    for (let i = 0; i < end; i++) {
      const free = b < numBackward && (f >= end || places[b] < places[f]) ? places[b++] : places[f++];
      const node = i < numBackward ? backward[i] : forward[i - numBackward];
      place[node] = free;
      nodeAt[free] = node;
    }
  }
}

const FEW = 24;

function sort(items: Int32Array, begin: number, end: number): void {
  if (end - begin > FEW) {
    items.subarray(begin, end).sort();
    return;
  }
  for (let i = begin + 1; i < end; i++) {
    const item = items[i];
    let at = i;
    while (at > begin && items[at - 1] > item) {
      items[at] = items[at - 1];
      at--;
    }
    items[at] = item;
  }
}
