import { EdgeColumns, grown } from '@isolab/graph';

/** Edges with their costs (1 for edges that rest on a choice) and the letters that they belong to. */
export class Steps {
  readonly edges = new EdgeColumns();
  cost: Uint8Array = new Uint8Array(64);
  label: Int32Array = new Int32Array(64);
  numNodes: number;
  /** Whether edges are reversed, because the letter is an inverse. */
  isInverse = false;
  /** The current letter, as the number of a transition. */
  letter = NO_LETTER;

  constructor(numNodes: number) {
    this.numNodes = numNodes;
  }

  add(from: number, to: number, cost: 0 | 1 = 0): void {
    const e = this.isInverse ? this.edges.add(to, from) : this.edges.add(from, to);
    if (e >= this.cost.length) {
      this.cost = grown(this.cost, e + 1);
      this.label = grown(this.label, e + 1);
    }
    this.cost[e] = cost;
    this.label[e] = this.letter;
  }

  /** Makes `count` helper nodes, and returns the first. */
  helpers(count: number): number {
    const first = this.numNodes;
    this.numNodes += count;
    return first;
  }
}

export const NO_LETTER = -1;
