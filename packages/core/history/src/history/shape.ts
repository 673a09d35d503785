import { type History, countTransactions, transactionOf } from './history.ts';
import { NO_KEY, NO_TIME, OpKind, TxnStatus } from '../columns/operation.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';
import type { OperationId, TransactionId } from '../columns/ids.ts';

/** Structural properties that checkers require or exploit, each with the operations that violate it. */
export const HISTORY_SHAPES = {
  'unique-values': 'no read has several possible writers',
  registers: 'only reads and writes of single values',
  'list-append': 'only appends and reads of whole lists',
  'registers-and-lists': 'each key only read and written as a register, or appended to and read as a list',
  'mini-transactions':
    'at most two reads and two writes in each transaction, on at most two keys, each write after a read of its key',
  'read-modify-write': 'every write follows a read of its key in the same transaction',
  'no-aborted': 'no aborted transaction',
  'no-unknown': 'no transaction whose outcome is unknown and not settled by a read',
  'real-times': 'every committed transaction has a begin and an end time',
  timestamps: 'every committed transaction has a start and a commit timestamp',
  'single-operations': 'one operation in each transaction',
  'single-keys': 'one key in each transaction',
  'no-scans': 'no scan of rows and no range read',
} as const;

export type HistoryShape = keyof typeof HISTORY_SHAPES;

/** Shapes that exclude exchanges, range reads and scans. */
export const SHAPES_WITHOUT_EXCHANGES: readonly HistoryShape[] = ['registers', 'list-append', 'registers-and-lists'];

/** Whether a history has a shape, and if not, the first transactions and operations that violate it. */
export interface ShapeReport {
  readonly holds: boolean;
  /** Number of transactions (for unique values: reads) that violate the shape. */
  readonly broken: number;
  /** An operation of the first violating transaction, or -1 if there is none. */
  readonly firstOp: OperationId;
  readonly firstTxn: TransactionId;
}

export function checkShape(history: History, index: ReadFromIndex, shape: HistoryShape): ShapeReport {
  if (shape === 'unique-values') return uniqueValues(history, index);
  if (ONE_OF[shape]?.some((kinds) => holdsOnly(history, kinds))) return HOLDS;
  if (shape === 'list-append' && history.opKind.length === 0)
    return { holds: false, broken: 0, firstOp: -1, firstTxn: -1 as TransactionId };
  const breaks = shape === 'registers-and-lists' ? breaksRegistersAndLists(history) : BREAKS[shape];
  let broken = 0;
  let firstOp = -1;
  let firstTxn = -1 as TransactionId;
  for (let t = 0 as TransactionId; t < countTransactions(history); t++) {
    if (history.txnStatus[t] === TxnStatus.Aborted && !COUNTS_ABORTED.includes(shape)) continue;
    const op = breaks(history, t, index);
    if (op === FITS) continue;
    if (broken++ === 0) {
      firstTxn = t;
      firstOp = op;
    }
  }
  return { holds: broken === 0, broken, firstOp, firstTxn };
}

/**
 * Shapes that also restrict aborted transactions: a read of an aborted write, or a certificate about it, involves the
 * same kinds of operations.
 */
const COUNTS_ABORTED: readonly HistoryShape[] = [
  'no-aborted',
  'single-keys',
  'no-scans',
  'registers',
  'list-append',
  'registers-and-lists',
];

function uniqueValues(history: History, { ambiguousReads, readFrom, rowReadFrom }: ReadFromIndex): ShapeReport {
  if (ambiguousReads === 0) return HOLDS;
  let op = readFrom.indexOf(ReadFrom.Ambiguous);
  if (op < 0) op = rangeReadOf(history, rowReadFrom.indexOf(ReadFrom.Ambiguous));
  return {
    holds: false,
    broken: ambiguousReads,
    firstOp: op,
    firstTxn: op < 0 ? (-1 as TransactionId) : transactionOf(history, op as OperationId),
  };
}

function rangeReadOf({ opKind, opValue, ranges }: History, row: number): number {
  if (row < 0) return -1;
  return opKind.findIndex((kind, op) => kind === OpKind.RangeRead && ranges.rowStart[opValue[op] + 1] > row);
}

/** Returns whether a history has only operations of these kinds. */
export function holdsOnly({ opKind }: History, kinds: readonly number[]): boolean {
  let found = 0; // a bit for each kind
  for (let op = 0; op < opKind.length; op++) found |= 1 << opKind[op];
  return kinds.reduce((rest, kind) => rest & ~(1 << kind), found) === 0;
}

const REGISTER_KINDS: readonly number[] = [OpKind.Read, OpKind.Write];
export const LIST_KINDS: readonly number[] = [OpKind.Append, OpKind.ListRead];
/** Kinds of operations by shape: a history has the shape if all of its operations are of these kinds. */
const ONE_OF: Partial<Record<HistoryShape, readonly (readonly number[])[]>> = {
  registers: [REGISTER_KINDS],
  'registers-and-lists': [REGISTER_KINDS, LIST_KINDS],
};
const HOLDS: ShapeReport = { holds: true, broken: 0, firstOp: -1, firstTxn: -1 as TransactionId };
const FITS = -2;
const NO_OPERATION = -1;

/** Checks a shape: returns the operation that violates it, NO_OPERATION if the transaction as a whole does, or FITS. */
type Breaks = (history: History, t: number, index: ReadFromIndex) => number;

const anyOperation =
  (breaks: (history: History, op: number) => boolean): Breaks =>
  (history, t) => {
    for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) if (breaks(history, op)) return op;
    return FITS;
  };

function needsTimes({ txnStatus }: History, t: number, from: BigInt64Array | null, to: BigInt64Array | null): number {
  if (txnStatus[t] !== TxnStatus.Committed) return FITS;
  return from && to && from[t] !== NO_TIME && to[t] !== NO_TIME ? FITS : NO_OPERATION;
}

const BREAKS: Record<Exclude<HistoryShape, 'unique-values' | 'registers-and-lists'>, Breaks> = {
  registers: anyOperation(({ opKind }, op) => !REGISTER_KINDS.includes(opKind[op])),
  'list-append': anyOperation(({ opKind }, op) => !LIST_KINDS.includes(opKind[op])),
  'mini-transactions': breaksMiniTransaction,
  'read-modify-write': breaksReadModifyWrite,
  'no-aborted': ({ txnStatus }, t) => (txnStatus[t] === TxnStatus.Aborted ? NO_OPERATION : FITS),
  'no-unknown': (_, t, { outcome }) => (outcome[t] === Outcome.Open ? NO_OPERATION : FITS),
  'real-times': (history, t) => needsTimes(history, t, history.txnBegin, history.txnEnd),
  timestamps: (history, t) => needsTimes(history, t, history.txnStartTs, history.txnCommitTs),
  'single-keys': ({ txnStart, txnStatus, opKind, opKey }, t) => {
    // The items that a scan reads are parts of rows, even if the scan aborted: a write of a row writes its items as
    // well.
    if (txnStatus[t] === TxnStatus.Aborted) {
      const scan = opKind.subarray(txnStart[t], txnStart[t + 1]).indexOf(OpKind.Scan);
      return scan < 0 ? FITS : txnStart[t] + scan;
    }
    if (txnStart[t] === txnStart[t + 1]) return NO_OPERATION; // such as the rest of a compare-and-set that failed
    if (opKey[txnStart[t]] === NO_KEY) return txnStart[t]; // a range read or scan
    for (let op = txnStart[t] + 1; op < txnStart[t + 1]; op++) if (opKey[op] !== opKey[txnStart[t]]) return op;
    return FITS;
  },
  'no-scans': anyOperation(({ opKind }, op) => opKind[op] === OpKind.RangeRead || opKind[op] === OpKind.Scan),
  'single-operations': ({ txnStart }, t) => (txnStart[t + 1] - txnStart[t] > 1 ? txnStart[t] + 1 : FITS),
};

/** A key with appends and register reads is a string; a single read of it says too little. */
function breaksRegistersAndLists({ opKind, opKey, keyInitial }: History): Breaks {
  const isList = new Uint8Array(keyInitial.length);
  for (let op = 0; op < opKind.length; op++) if (LIST_KINDS.includes(opKind[op])) isList[opKey[op]] = 1;
  return anyOperation(
    (_, op) => !LIST_KINDS.includes(opKind[op]) && (!REGISTER_KINDS.includes(opKind[op]) || isList[opKey[op]] === 1),
  );
}

/**
 * Checks the form from the mini-transactions paper: one or two reads and at most two writes, each of a key read before.
 */
function breaksMiniTransaction(history: History, t: number): number {
  const { txnStart, opKind } = history;
  let reads = 0;
  let writes = 0;
  const start = txnStart[t];
  const end = txnStart[t + 1];
  if (start === end) return FITS; // such as the rest of a compare-and-set that failed
  for (let op = start; op < end; op++) {
    if (opKind[op] === OpKind.Read) {
      if (++reads > 2) return op;
    } else if (opKind[op] === OpKind.Write) {
      if (++writes > 2 || !readBefore(history, start, op)) return op;
    } else if (opKind[op] === OpKind.CompareAndSet) {
      reads++;
      writes++;
    } else return op;
  }
  return reads === 0 ? start : FITS;
}

function breaksReadModifyWrite(history: History, t: number): number {
  const { txnStart, opKind } = history;
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKind[op] === OpKind.Write && !readBefore(history, txnStart[t], op)) return op;
  }
  return FITS;
}

function readBefore({ opKind, opKey }: History, start: number, write: number): boolean {
  for (let op = start; op < write; op++) if (opKind[op] === OpKind.Read && opKey[op] === opKey[write]) return true;
  return false;
}
