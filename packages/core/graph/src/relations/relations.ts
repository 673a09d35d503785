import type { History, ReadFromIndex } from '@isolab/history';
import {
  type Neighbours,
  type Nodes,
  type Sessions,
  neighboursOf,
  nodesOfOperations,
  nodesThatHappened,
  sessionsOf,
} from './nodes.ts';
import { type Reads, readsOf, sourcesOf } from './reads.ts';
import { type Writers, type WriteSets, type Writes, lastWritesOf, writeSetsOf, writersOf, writesOf } from './writes.ts';

/** Relations between transactions: reads of versions, writers and writes. Each part is computed on first use. */
export class Relations {
  readonly history: History;
  readonly index: ReadFromIndex;
  readonly nodes: Nodes;
  #sessions: Sessions | null = null;
  #neighbours: Neighbours | null = null;
  #nodeOfOp: Int32Array | null = null;
  #source: Int32Array | null = null;
  #reads: Reads | null = null;
  #writers: Writers | null = null;
  #lastWrites: Int32Array | null = null;
  #writeSets: WriteSets | null = null;
  #writes: Writes | null = null;

  constructor(history: History, index: ReadFromIndex, nodes: Nodes = nodesThatHappened(index.outcome)) {
    this.history = history;
    this.index = index;
    this.nodes = nodes;
  }

  get sessions(): Sessions {
    return (this.#sessions ??= sessionsOf(this.history, this.nodes));
  }

  get neighbours(): Neighbours {
    return (this.#neighbours ??= neighboursOf(this.history, this.nodes));
  }

  /** Node of each operation; −1 for a transaction that does not count. */
  get nodeOfOp(): Int32Array {
    return (this.#nodeOfOp ??= nodesOfOperations(this.history, this.nodes));
  }

  /** Node that each operation reads from, INITIAL, or NO_SOURCE. */
  get source(): Int32Array {
    // Does not keep the nodes of operations unless they were requested; the same holds for the writers used by
    // `writeSets`.
    this.#source ??= sourcesOf(this.history, this.index, this.#nodeOfOp ?? nodesOfOperations(this.history, this.nodes));
    return this.#source;
  }

  get reads(): Reads {
    return (this.#reads ??= readsOf(this.history, this.nodes, this.source));
  }

  get writers(): Writers {
    return (this.#writers ??= writersOf(this.history, this.nodes));
  }

  /** Last write of each node to each key, indexed by place among the writers. */
  get lastWrites(): Int32Array {
    return (this.#lastWrites ??= lastWritesOf(this.history, this.nodes, this.writers));
  }

  get writeSets(): WriteSets {
    this.#writeSets ??= writeSetsOf(this.#writers ?? writersOf(this.history, this.nodes), this.nodes.numNodes);
    return this.#writeSets;
  }

  get writes(): Writes {
    return (this.#writes ??= writesOf(this.history, this.nodes));
  }
}
