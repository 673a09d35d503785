import { type Atom, atomOf } from './atoms.ts';
import { type History, countKeys, countOperations, countTransactions } from './history.ts';
import { Exchange, NO_TIME, OPEN_BOUND, OpKind } from './operation.ts';
import { valueWritten } from './entries.ts';
import { holdsOnly } from './shape.ts';

/**
 * A history whose exchanges and range reads are spelled as plain reads and writes, for checkers that know nothing else
 * (Viper, section 5: an insert or delete reads a version and writes one; a range read reads every row that it returned,
 * and the initial state of every key between its bounds that it did not return).
 *
 * A failed compare-and-set is left out: it says only what a key did not hold.
 */
export interface RegisterHistory {
  readonly history: History;
  /** The operation of the given history that each operation stems from. */
  readonly opOf: Int32Array;
}

export function toRegisters(history: History): RegisterHistory {
  const { opKind, opKey, opValue, opVersion, exchanges, ranges, txnStart, keyInitial } = history;
  if (hasRegistersOrLists(history)) {
    const opOf = new Int32Array(countOperations(history));
    for (let op = 0; op < opOf.length; op++) opOf[op] = op;
    return { history, opOf };
  }
  const kind: number[] = [];
  const key: number[] = [];
  const value: number[] = [];
  const opOf: number[] = [];
  const put = (from: number, k: number, v: number, op: number): void => {
    kind.push(k);
    key.push(from);
    value.push(v);
    opOf.push(op);
  };
  const keysBetween = writtenKeysBetween(history);
  const newTxnStart = new Int32Array(txnStart.length);
  for (let t = 0; t < countTransactions(history); t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const x = opValue[op];
      if (opKind[op] === OpKind.RangeRead) {
        const returned = new Set<number>();
        for (let row = ranges.rowStart[x]; row < ranges.rowStart[x + 1]; row++) {
          put(ranges.rowKey[row], OpKind.Read, ranges.rowValue[row], op);
          returned.add(ranges.rowKey[row]);
        }
        for (const absent of keysBetween(ranges.low[x], ranges.high[x])) {
          if (!returned.has(absent)) put(absent, OpKind.Read, keyInitial[absent], op);
        }
      } else if (opKind[op] < OpKind.CompareAndSet) {
        put(opKey[op], opKind[op], x, op);
      } else if ((exchanges.flags[x] & Exchange.Failed) === 0) {
        put(opKey[op], OpKind.Read, exchanges.observed[x], op);
        put(opKey[op], OpKind.Write, exchanges.written[x], op);
      }
    }
    newTxnStart[t + 1] = kind.length;
  }
  return {
    history: {
      ...history,
      txnStart: newTxnStart,
      opKind: Uint8Array.from(kind),
      opKey: Int32Array.from(key),
      opValue: Int32Array.from(value),
      opPosition: Uint32Array.from(opOf, (op, i) => distance(history, op, newTxnStart, i)),
      opVersion: opVersion && BigInt64Array.from(opOf, (op) => opVersion[op] ?? NO_TIME),
    },
    opOf: Int32Array.from(opOf),
  };
}

/** Whether there is nothing that {@link toRegisters} spells in another way. */
export const hasRegistersOrLists = (history: History): boolean =>
  holdsOnly(history, [OpKind.Read, OpKind.Write, OpKind.Append, OpKind.ListRead]);

/** How far an operation is from its transaction's position. */
function distance({ opPosition, source, txnStart }: History, op: number, newTxnStart: Int32Array, i: number): number {
  if (opPosition) return opPosition[op];
  if (source.opStride === 0) return 0;
  let low = 0;
  let high = newTxnStart.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (newTxnStart[middle] <= i) low = middle;
    else high = middle - 1;
  }
  return (op - txnStart[low]) * source.opStride;
}

/** The keys that the history writes, between two bounds of which either may be open; integers and texts do not mix. */
function writtenKeysBetween(history: History): (low: number, high: number) => readonly number[] {
  const written = new Uint8Array(countKeys(history));
  for (let op = 0; op < countOperations(history); op++)
    if (valueWritten(history, op) >= 0) written[history.opKey[op]] = 1;
  const keys = Array.from(written.keys()).filter((key) => written[key] === 1);
  const atoms = new Map(keys.map((key) => [key, atomOf(history.keys, key)]));
  const sorted = keys.toSorted((a, b) => compareAtoms(atoms.get(a)!, atoms.get(b)!));
  const rank = (bound: Atom): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareAtoms(atoms.get(sorted[middle]!)!, bound) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (low, high) => {
    const from = low === OPEN_BOUND ? 0 : rank(atomOf(history.keys, low));
    const highAtom = high === OPEN_BOUND ? null : atomOf(history.keys, high);
    let to = highAtom === null ? sorted.length : rank(highAtom);
    if (highAtom !== null && to < sorted.length && compareAtoms(atoms.get(sorted[to]!)!, highAtom) === 0) to++;
    const inside = sorted.slice(from, to);
    const bound = low === OPEN_BOUND ? highAtom : atomOf(history.keys, low);
    return bound === null ? inside : inside.filter((key) => typeof atoms.get(key) === typeof bound);
  };
}

function compareAtoms(a: Atom, b: Atom): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'bigint') return -1;
  if (typeof b === 'bigint') return 1;
  const [x, y] = [textOfAtom(a), textOfAtom(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const textOfAtom = (atom: Exclude<Atom, bigint>): string =>
  atom === null ? '' : typeof atom === 'string' ? atom : atom.text;
