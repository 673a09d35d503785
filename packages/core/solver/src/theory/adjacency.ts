/** Neighbours of every node through present pairs, as stacks: pairs are removed in reverse order of insertion. */
export class Adjacency {
  readonly start: Int32Array; // start of each node's slots, with one extra slot
  readonly count: Int32Array; // number of present pairs at a node
  readonly target: Int32Array; // node at the other end

  constructor(start: Int32Array) {
    this.start = start;
    this.count = new Int32Array(start.length);
    this.target = new Int32Array(start.at(-1)!);
  }

  push(node: number, target: number): void {
    this.target[this.start[node] + this.count[node]++] = target;
  }

  pop(node: number): void {
    this.count[node]--;
  }
}

export class PairAdjacency extends Adjacency {
  readonly pair: Int32Array;

  constructor(start: Int32Array) {
    super(start);
    this.pair = new Int32Array(this.target.length);
  }

  pushPair(node: number, target: number, pair: number): void {
    const at = this.start[node] + this.count[node]++;
    this.target[at] = target;
    this.pair[at] = pair;
  }
}
