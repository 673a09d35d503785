import { IntList, rowStarts } from '@isolab/graph';
import { type History, OpKind, ReadFrom, type ReadFromIndex, countKeys } from '@isolab/history';
import { versionName } from './optional.ts';

/**
 * Reads that may have seen one of several versions, and their candidates: the versions of a key with equal values,
 * which form a *class*. All reads of optional transactions are included, too, even reads with a single candidate,
 * because no transaction has to wait for them.
 */
export interface Several {
  /** First of these reads of each transaction, with one extra slot. */
  readonly readStart: Int32Array;
  readonly readClass: Int32Array;
  readonly reader: Int32Array;
  readonly readOp: Int32Array;
  /** Versions that each read may have seen: versions of its class, in their order. */
  readonly choiceStart: Int32Array;
  readonly choice: Int32Array;
  /** Place of each read among the reads of its class. */
  readonly readSlot: Int32Array;
  readonly classKey: Int32Array;
  /** Versions of each class, in the order of their writers; the initial version comes last. */
  readonly memberStart: Int32Array;
  readonly member: Int32Array;
  /** Reads of each class, in the order of their readers. */
  readonly readsStart: Int32Array;
  readonly reads: Int32Array;
  /** Class of each version, including initial versions, or −1; and its place among the members of the class. */
  readonly classOf: Int32Array;
  readonly memberSlot: Int32Array;
  /** Place of each transaction in the order. */
  readonly rankOf: Int32Array;
}

export function readOfClass({ readStart, readClass }: Several, t: number, c: number): number {
  let read = readStart[t];
  while (readClass[read] !== c) read++;
  return read;
}

/** Writes of transactions that happened or may have happened. */
export interface Writes {
  readonly writeStart: Int32Array;
  readonly writeKey: Int32Array;
  readonly writer: Int32Array;
  readonly versionOf: Int32Array;
}

type Source = Writes & {
  readonly happened: Uint8Array;
  readonly optional: Uint8Array | null;
};

/** Remaining candidates of reads, by operation; null before any were dropped. */
type Narrowed = ReadonlyMap<number, Int32Array> | null;

export function gatherSeveral(
  history: History,
  index: ReadFromIndex,
  writes: Source,
  order: Int32Array,
  narrowed: Narrowed,
): Several {
  const { writeStart, writer } = writes;
  const open = openReads(history, index, writes, narrowed);
  const { readStart, readClass, classKey } = open;
  const classOf = classesOfVersions(history, writes, open);
  const numClasses = classKey.length;
  const rankOf = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]] = rank;
  const members = inRows(numClasses, classOf, function* () {
    for (const t of order) for (let v = writeStart[t]; v < writeStart[t + 1]; v++) yield v;
    for (let v = writer.length; v < classOf.length; v++) yield v;
  });
  const reads = inRows(numClasses, readClass, function* () {
    for (const t of order) for (let i = readStart[t]; i < readStart[t + 1]; i++) yield i;
  });
  const several = {
    readStart,
    readClass: Int32Array.from(readClass),
    reader: Int32Array.from(open.reader),
    readOp: Int32Array.from(open.readOp),
    readSlot: reads.slotOf,
    classKey: Int32Array.from(classKey),
    memberStart: members.start,
    member: members.item,
    readsStart: reads.start,
    reads: reads.item,
    classOf,
    memberSlot: members.slotOf,
    rankOf,
  };
  return { ...several, ...choicesOf(writer, several, narrowed) };
}

/** Collects the reads that may have seen one of several versions, and their classes. */
function openReads(history: History, index: ReadFromIndex, { happened, optional }: Source, narrowed: Narrowed) {
  const { txnStart, opKind, opKey, opValue } = history;
  const numTxns = happened.length;
  const classes = new Map<number, number>(); // by version name
  const classKey: number[] = [];
  const classValue: number[] = [];
  const readStart = new Int32Array(numTxns + 1);
  const readClass: number[] = [];
  const reader: number[] = [];
  const readOp: number[] = [];
  const stamp = new Int32Array(countKeys(history)).fill(-1); // the transaction that read or wrote the key
  for (let t = 0; t < numTxns; t++) {
    readStart[t] = readOp.length;
    const isOptional = optional !== null && optional[t] === 1;
    if (!happened[t] && !isOptional) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const from = index.readFrom[op];
      if (opKind[op] === OpKind.Write) stamp[key] = t;
      if (opKind[op] !== OpKind.Read || from === ReadFrom.None || stamp[key] === t) continue;
      stamp[key] = t;
      if (!isOptional && (from !== ReadFrom.Ambiguous || narrowed?.get(op)?.length === 1)) continue;
      const name = versionName(history, op);
      let number = classes.get(name);
      if (number === undefined) {
        classes.set(name, (number = classKey.push(key) - 1));
        classValue.push(opValue[op]);
      }
      readClass.push(number);
      reader.push(t);
      readOp.push(op);
    }
  }
  readStart[numTxns] = readOp.length;
  return { classes, classKey, classValue, readStart, readClass, reader, readOp };
}

/** Returns the class of each version, including initial versions; −1 if no such read has it as a candidate. */
function classesOfVersions(
  history: History,
  { writeStart, writer, versionOf }: Writes,
  { classes, classKey, classValue }: ReturnType<typeof openReads>,
): Int32Array {
  const { txnStart, opKind, keyInitial } = history;
  const classOf = new Int32Array(writer.length + keyInitial.length).fill(-1);
  for (let t = 0; t + 1 < txnStart.length; t++) {
    if (writeStart[t] === writeStart[t + 1]) continue;
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      if (opKind[op] !== OpKind.Write || classOf[versionOf[op]] !== -1) continue;
      classOf[versionOf[op]] = classes.get(versionName(history, op)) ?? NO_CLASS;
    }
  }
  for (let v = 0; v < classOf.length; v++) if (classOf[v] === NO_CLASS) classOf[v] = -1;
  for (let c = 0; c < classKey.length; c++)
    if (classValue[c] === keyInitial[classKey[c]!]) classOf[writer.length + classKey[c]!] = c;
  return classOf;
}

function choicesOf(
  writer: Int32Array,
  several: Omit<Several, 'choiceStart' | 'choice'>,
  narrowed: Narrowed,
): Pick<Several, 'choiceStart' | 'choice'> {
  const { readClass, readOp, reader, memberStart, member } = several;
  const choiceStart = new Int32Array(readClass.length + 1);
  const choice = new IntList();
  for (let read = 0; read < readClass.length; read++) {
    const left = narrowed?.get(readOp[read]);
    if (left) for (const version of left) choice.push(version);
    const c = left ? -1 : readClass[read];
    for (let slot = left ? 0 : memberStart[c], end = left ? 0 : memberStart[c + 1]; slot < end; slot++) {
      const version = member[slot];
      if (version >= writer.length || writer[version] !== reader[read]) choice.push(version);
    }
    choiceStart[read + 1] = choice.length;
  }
  return { choiceStart, choice: choice.toArray() };
}

/** Groups items by row, in the order of `items`. Items of row −1 are left out. */
function inRows(numRows: number, rowOf: ArrayLike<number>, items: () => Iterable<number>) {
  const start = rowStarts(rowOf, numRows);
  const slotOf = new Int32Array(rowOf.length).fill(-1);
  const cursor = start.slice(0, numRows);
  const item = new Int32Array(start[numRows]);
  for (const i of items()) {
    const row = rowOf[i]!;
    if (row < 0) continue;
    slotOf[i] = cursor[row]++;
    item[slotOf[i]] = i;
  }
  return { start, item, slotOf };
}

const NO_CLASS = -2;
