import { type History, OpKind, type ReadFromIndex } from '@isolab/history';
import { type Nodes, Relations } from '@isolab/graph/relations';

/** Represents the initial transaction, and writers that did not happen, in columns of nodes. */
export const NO_NODE = -1;

export interface Model extends Nodes {
  readonly history: History;
  readonly index: ReadFromIndex;
  readonly relations: Relations;
  /** Node of each operation, or NO_NODE (none). */
  readonly nodeOfOp: Int32Array;
  readonly kind: 'list-append' | 'rw-register';
}

export function buildModel(history: History, index: ReadFromIndex): Model {
  const relations = new Relations(history, index);
  return { ...relations.nodes, history, index, relations, nodeOfOp: relations.nodeOfOp, kind: kindOf(history) };
}

/** A history holds lists or registers, never both, as the checker requires. */
const kindOf = ({ opKind }: History): Model['kind'] =>
  opKind.some((kind) => kind === OpKind.Append || kind === OpKind.ListRead) ? 'list-append' : 'rw-register';
