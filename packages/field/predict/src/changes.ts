/** Possible changes of a recorded history: each external read with every other transaction that wrote its key. */
import type { Change, Setting } from './execution.ts';
import { INITIAL, type Model, NO_SOURCE } from './model.ts';

/** A change, with its distance in versions from the recorded version. */
export interface PossibleChange extends Change {
  readonly distance: number;
}

/** Lists possible changes, nearest first, and whether versions further away than `furthest` were left out. */
export function possibleChanges(
  { model, flow, plan }: Setting,
  furthest: number,
): { readonly changes: readonly PossibleChange[]; readonly areAll: boolean } {
  const { source, txn, key, writers } = model;
  const changes: PossibleChange[] = [];
  let areAll = true;
  for (let read = 0; read < source.length; read++) {
    if (source[read] === NO_SOURCE || isUpdate(model, flow, read, plan !== null)) continue;
    const at = placeOf(model, read);
    const of = writers[key[read]]!;
    for (let place = -1; place < of.length; place++) {
      if (place === at || of[place] === txn[read]) continue;
      const distance = Math.abs(place - at);
      if (distance <= furthest) changes.push({ read, writer: place < 0 ? INITIAL : of[place]!, distance });
      else areAll = false;
    }
  }
  return { changes: changes.toSorted((a, b) => a.distance - b.distance), areAll };
}

/**
 * Returns whether a read belongs to a statement or an operation that writes: it sees the latest version. A read that only
 * locks its row may change if a plan has the axioms of locks.
 */
function isUpdate(
  { txn, isWrite, operation, key }: Model,
  flow: Setting['flow'],
  read: number,
  hasLocks: boolean,
): boolean {
  if (flow.isUpdate(operation[read]) && !(hasLocks && flow.isLocking(operation[read]))) return true;
  for (let op = read + 1; op < txn.length && txn[op] === txn[read]; op++) {
    if (!flow.areOne(operation[op], operation[read])) return false;
    if (isWrite[op] === 1 && key[op] === key[read]) return true;
  }
  return false;
}

function placeOf({ source, txn, key, places }: Model, read: number): number {
  return source[read] < 0 ? -1 : places[key[read]]!.get(txn[source[read]])!;
}
