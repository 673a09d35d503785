import type { CycleEdge } from './search.ts';
import { Relation } from './graph.ts';
import type { Model } from './model.ts';
import type { InferredVersions } from './versions.ts';

/** Evidence for an edge of a cycle: the versions and the read that justify it. */
export type EdgeEvidence =
  | { readonly kind: 'process' | 'realtime' }
  /** The later transaction reads the version in this operation. */
  | { readonly kind: 'wr'; readonly version: number; readonly read: number }
  /** The place of the edge between the two versions in the rows of the version order. */
  | { readonly kind: 'ww'; readonly version: number; readonly place: number }
  /** The earlier transaction reads the version in this operation; `place` leads to the version that overwrites it. */
  | { readonly kind: 'rw'; readonly version: number; readonly place: number; readonly read: number };

/** Finds the reason for an edge between two transactions; null if the relation does not hold. */
export function evidenceOf(
  model: Model,
  versions: InferredVersions,
  { from, to, relation }: CycleEdge,
): EdgeEvidence | null {
  if (relation === Relation.Process) return { kind: 'process' };
  if (relation === Relation.RealTime) return { kind: 'realtime' };
  if (relation === Relation.WW) return orderedWrites(versions, from, to);
  return relation === Relation.WR ? readFromOther(model, versions, from, to) : overwritten(model, versions, from, to);
}

/** The read in which a node saw a version, or −1. */
export function readOf(
  { history, txnOf }: Model,
  { versionRead }: InferredVersions,
  node: number,
  version: number,
): number {
  const t = txnOf[node];
  for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) if (versionRead[op] === version) return op;
  return -1;
}

/** Reason why the version at a place of a row follows the version of that row. */
export const whyOrdered = ({ order, why }: InferredVersions, place: number): number => why[order.edge[place]];

/** The earlier and the later transaction, as nodes, of an order inferred from two transactions. */
export function pairBehind({ order, earlier, later }: InferredVersions, place: number): readonly [number, number] {
  const e = order.edge[place];
  return [earlier[e], later[e]];
}

function readFromOther(model: Model, versions: InferredVersions, from: number, to: number): EdgeEvidence | null {
  for (const read of operationsOf(model, to)) {
    const version = versions.versionRead[read];
    if (version >= 0 && versions.writer[version] === from) return { kind: 'wr', version, read };
  }
  return null;
}

function overwritten(model: Model, versions: InferredVersions, from: number, to: number): EdgeEvidence | null {
  for (const read of operationsOf(model, from)) {
    const version = versions.versionRead[read];
    const place = version < 0 ? -1 : placeOf(versions, version, to);
    if (place >= 0) return { kind: 'rw', version, place, read };
  }
  return null;
}

function orderedWrites(versions: InferredVersions, from: number, to: number): EdgeEvidence | null {
  const { start, target } = versions.left;
  for (let i = start[from]; i < start[from + 1]; i++) {
    const place = placeOf(versions, target[i], to);
    if (place >= 0) return { kind: 'ww', version: target[i], place };
  }
  return null;
}

/** The place of a version that a node left in the row of a version, or −1. */
function placeOf({ order, writer }: InferredVersions, version: number, node: number): number {
  for (let i = order.start[version]; i < order.start[version + 1]; i++) if (writer[order.target[i]] === node) return i;
  return -1;
}

function operationsOf({ history, txnOf }: Model, node: number): number[] {
  const first = history.txnStart[txnOf[node]];
  return Array.from({ length: history.txnStart[txnOf[node] + 1] - first }, (_, i) => first + i);
}
