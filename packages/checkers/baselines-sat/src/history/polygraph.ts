import type { PolygraphInput } from '@isolab/history';
import { INITIAL } from '@isolab/relations';
import type { Facts } from './facts.ts';

/** The polygraph of serializability as CobraSAT has it. Readers of the initial state come before all writers. */
export function polygraphOfHistory(facts: Facts, sessions: boolean, tick: (steps: number) => void): PolygraphInput {
  const { numNodes, session, readFrom, writers } = facts;
  const edges = new Pairs(numNodes);
  const constraints: number[] = [];
  const known = new Set<number>(); // constraints, of which several keys may say the same
  if (sessions) for (let n = 1; n < numNodes; n++) if (session[n] === session[n - 1]) edges.add(n - 1, n);
  for (const { reader, key, writer } of readFrom) {
    if (writer !== INITIAL) edges.add(writer, reader);
    for (const other of writers[key]!) {
      if (other === reader || other === writer) continue;
      if (writer === INITIAL) {
        edges.add(reader, other);
        continue;
      }
      const identity = (reader * numNodes + other) * numNodes + writer;
      if (known.has(identity)) continue;
      known.add(identity);
      constraints.push(reader, other, other, writer);
    }
    tick(writers[key]!.length);
  }
  return { name: '', nodes: numNodes, edges: Int32Array.from(edges.list), constraints: Int32Array.from(constraints) };
}

class Pairs {
  readonly list: number[] = [];
  readonly #numNodes: number;
  readonly #known = new Set<number>();

  constructor(numNodes: number) {
    this.#numNodes = numNodes;
  }

  add(from: number, to: number): void {
    const identity = from * this.#numNodes + to;
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    this.list.push(from, to);
  }
}
