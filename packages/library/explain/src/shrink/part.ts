import {
  type History,
  type IdColumn,
  ListTree,
  OpKind,
  type OperationId,
  type ReadFromIndex,
  type TransactionId,
  UNKNOWN_LIST,
  buildReadFrom,
  countOperations,
  countTransactions,
  listElements,
  slice,
  transactionOfOperations,
  valueWritten,
} from '@isolab/history';
import { compact, isLoose } from './compact.ts';
import { findDependents, versionOf } from './dependents.ts';

/** A part of a history, with the original positions of its transactions and operations. */
export interface Part {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly opOf: Int32Array;
}

/**
 * Returns the part of a history with only the marked transactions and operations. An item marked with 1 is kept if its
 * dependencies are kept.
 */
export type Keep = (keptTxns: Uint8Array, keptOps?: Uint8Array) => Part;

export const wholeOf = (history: History): Part => ({
  history,
  txnOf: Int32Array.from({ length: countTransactions(history) }, (_, t) => t) as IdColumn<TransactionId>,
  opOf: Int32Array.from({ length: countOperations(history) }, (_, op) => op),
});

/**
 * Prepares the extraction of parts of a history. A removed write takes its possible reads with it, and empty
 * transactions are removed. A part has no new violations.
 */
export function partsOf(history: History, index: ReadFromIndex = buildReadFrom(history)): Keep {
  const txnOf = transactionOfOperations(history);
  const { start, op: reader, ofVersion, ofKey } = findDependents(history, index);
  const hasLists = history.opKind.includes(OpKind.ListRead);

  return (keptTxns, keptOps) => {
    const ops = new Uint8Array(countOperations(history));
    const leaving: number[] = [];
    for (let op = 0; op < ops.length; op++) {
      if (keptTxns[txnOf[op]] === 1 && (!keptOps || keptOps[op] === 1)) ops[op] = 1;
      else leaving.push(op);
    }
    const leave = (op: OperationId): void => {
      if (ops[op] === 0) return;
      ops[op] = 0;
      leaving.push(op);
    };
    const brokenKeys = new Set<number>();
    const brokenVersions = new Set<number>();
    for (let op = leaving.pop(); op !== undefined; op = leaving.pop()) {
      const value = valueWritten(history, op);
      if (value < 0) continue;
      for (let i = start[op]; i < start[op + 1]; i++) leave(reader[i]);
      const key = history.opKey[op];
      const version = versionOf(history, key, value);
      if (ofVersion.size > 0 && !brokenVersions.has(version)) {
        brokenVersions.add(version);
        for (const other of ofVersion.get(version) ?? []) leave(other);
      }
      if (brokenKeys.has(key)) continue;
      brokenKeys.add(key);
      for (const other of ofKey.get(key) ?? []) leave(other);
    }
    const gone = hasLists ? goneElements(history, ops) : null;
    const txns = new Uint8Array(countTransactions(history));
    for (let op = 0; op < ops.length; op++) if (ops[op] === 1) txns[txnOf[op]] = 1;
    const part = slice(history, { txns, ops });
    const projected = gone && gone.size > 0 ? projectLists(part.history, gone) : part.history;
    return { ...part, history: isLoose(projected) ? compact(projected) : projected };
  };
}

/**
 * Returns the elements to remove from lists. If one append of an element is removed and another is kept, the list is
 * removed.
 */
function goneElements(history: History, ops: Uint8Array): Gone {
  const gone = new Map<number, Set<number>>();
  const left = new Map<number, Set<number>>();
  for (let op = 0; op < ops.length; op++) {
    if (history.opKind[op] !== OpKind.Append) continue;
    const elements = ops[op] === 1 ? left : gone;
    const known = elements.get(history.opKey[op]);
    if (known) known.add(history.opValue[op]);
    else elements.set(history.opKey[op], new Set([history.opValue[op]]));
  }
  for (let op = 0; op < ops.length; op++) {
    if (ops[op] === 0 || history.opKind[op] !== OpKind.ListRead || history.opValue[op] === UNKNOWN_LIST) continue;
    const key = history.opKey[op];
    const [lost, kept] = [gone.get(key), left.get(key)];
    if (!lost || !kept || !meet(lost, kept)) continue;
    if (listElements(history.lists, history.opValue[op]).some((e) => lost.has(e) && kept.has(e))) ops[op] = 0;
  }
  return gone;
}

function meet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  for (const element of a) if (b.has(element)) return true;
  return false;
}

/** For each key, the elements whose append was removed. */
type Gone = ReadonlyMap<number, ReadonlySet<number>>;

/** Removes the given elements from the lists, as if they had never been appended. */
function projectLists(history: History, gone: Gone): History {
  const tree = new ListTree();
  const projected = new Map<number, number>(); // each non-empty list belongs to a single key
  const opValue = history.opValue.slice();
  for (let op = 0; op < opValue.length; op++) {
    if (history.opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
    const key = history.opKey[op];
    const list = opValue[op];
    let node = projected.get(list);
    if (node === undefined) {
      const without = gone.get(key);
      node = 0;
      for (const element of listElements(history.lists, list))
        if (!without?.has(element)) node = tree.extend(key, node, element);
      projected.set(list, node);
    }
    opValue[op] = node;
  }
  return { ...history, opValue, lists: tree.finish() };
}
