import { newBytes, newInts } from '../columns/columns.ts';
import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';
import { EMPTY_LIST, OpKind, TxnStatus } from '../columns/operation.ts';
import type { ThreadTask, Threads } from '../threads/threads.ts';
import { type History, countOperations, transactionOf, withoutNames } from './history.ts';
import { ChunkIndexer, type ChunkedIndex, chunkedIndex } from './index-chunks.ts';
import { type KeyRange, splitKeys } from './key-groups.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';
import { type IndexColumns, type IndexCounts, type IndexPart, indexPart } from './resolve-reads.ts';

/** Builds the index, in several threads if there are some and the history is large. The result is always the same. */
export function buildReadFrom(history: History, threads: Threads | null = null): ReadFromIndex {
  const isLarge = threads !== null && countOperations(history) >= threads.leastOperations;
  const { columns, counts } = isLarge ? indexInThreads(history, threads) : indexAlone(history);
  const repeated = counts.map(({ firstRepeated }) => firstRepeated).filter((op) => op >= 0);
  return {
    readFrom: columns.readFrom as IdColumn<OperationId>,
    rowReadFrom: columns.rowReadFrom as IdColumn<OperationId>,
    nodeAppend: columns.nodeAppend as IdColumn<OperationId>,
    isOdd: columns.isOdd,
    ...new Outcomes(history, columns).find(counts),
    repeatedWrites: sumOf(counts, ({ repeatedWrites }) => repeatedWrites),
    firstRepeated: repeated.length === 0 ? -1 : Math.min(...repeated),
    spoiltReads: sumOf(counts, ({ spoiltReads }) => spoiltReads),
  };
}

interface Indexed {
  readonly columns: IndexColumns;
  readonly counts: readonly IndexCounts[];
}

function indexAlone(history: History): Indexed {
  const columns = emptyColumns(history);
  return { columns, counts: [indexPart({ history, columns, keys: null })] };
}

/** Shares the transactions among the threads if every value is written once, and the keys otherwise. */
function indexInThreads(history: History, threads: Threads): Indexed {
  const columns = emptyColumns(history, 0); // other threads write into the columns
  const begin = (): ThreadTask<ChunkedIndex | IndexPart, IndexCounts> => threads.begin('index');
  let begun = Array.from({ length: threads.count - 1 }, begin);
  const index = chunkedIndex(history, columns, threads.count);
  const indexer = new ChunkIndexer(index);
  if (indexer.enterNext()) {
    for (const other of begun) other.give(index);
    const counts = indexer.run();
    for (const other of begun) other.cancel();
    if (counts !== null) return { columns, counts: [counts] };
    begun = [];
  }
  const parts = splitKeys(history, threads.count);
  for (const other of begun.slice(parts.length - 1)) other.cancel();
  if (parts.length === 1) return indexAlone(history);
  return indexKeys(history, parts, begun.length === 0 ? parts.slice(1).map(begin) : begun);
}

/** Indexes each part of the keys in a thread of its own. */
function indexKeys(
  history: History,
  parts: readonly KeyRange[],
  others: readonly ThreadTask<IndexPart, IndexCounts>[],
): Indexed {
  const columns = emptyColumns(history, 0);
  const [own, ...rest] = parts.map((keys) => ({ history: withoutNames(history), columns, keys }));
  rest.forEach((part, i) => others[i]!.give(part));
  const counts = [indexPart(own!)];
  rest.forEach((part, i) => counts.push(others[i]!.result() ?? indexPart(part)));
  return { columns, counts };
}

/** Makes columns for an index, in shared memory from `least` bytes on. */
export const emptyColumns = (history: History, least?: number): IndexColumns => ({
  readFrom: newInts(countOperations(history), least).fill(ReadFrom.None),
  rowReadFrom: newInts(history.ranges.rowKey.length, least).fill(ReadFrom.None),
  nodeAppend: newInts(history.lists.parent.length, least).fill(ReadFrom.None),
  isOdd: newBytes(history.txnStatus.length, least),
  isContested: newBytes(history.txnStatus.length, least),
});

const sumOf = (all: readonly IndexCounts[], count: (counts: IndexCounts) => number): number =>
  all.reduce((sum, each) => sum + count(each), 0);

/** Outcomes of transactions: one of unknown outcome happened if a transaction that happened read from it. */
class Outcomes {
  readonly #history: History;
  readonly #columns: IndexColumns;

  constructor(history: History, columns: IndexColumns) {
    this.#history = history;
    this.#columns = columns;
  }

  /** Determines the outcomes, and counts the ambiguous reads of transactions that happened. */
  find(counts: readonly IndexCounts[]): { outcome: Uint8Array; ambiguousReads: number } {
    const { txnStatus } = this.#history;
    const outcome = newBytes(txnStatus.length);
    const someUnknown = txnStatus.includes(TxnStatus.Unknown);
    if (!someUnknown && !counts.some(({ someNodeAmbiguous }) => someNodeAmbiguous)) {
      for (let t = 0; t < outcome.length; t++) if (txnStatus[t] === TxnStatus.Committed) outcome[t] = Outcome.Happened;
      return { outcome, ambiguousReads: sumOf(counts, ({ ambiguousReads }) => ambiguousReads) };
    }
    const found: TransactionId[] = [];
    let ambiguousReads = 0;
    const saw = (write: number): void => {
      if (write === ReadFrom.Ambiguous) ambiguousReads++;
      if (write < 0 || !someUnknown) return;
      const writer = transactionOf(this.#history, write as OperationId);
      if (txnStatus[writer] === TxnStatus.Unknown && outcome[writer] === Outcome.Left) {
        outcome[writer] = Outcome.Happened;
        found.push(writer);
      }
    };
    const seenNode = new Uint8Array(this.#history.lists.parent.length);
    for (let t = 0 as TransactionId; t < outcome.length; t++) {
      if (txnStatus[t] !== TxnStatus.Committed) continue;
      outcome[t] = Outcome.Happened;
      this.#visitReads(t, seenNode, saw);
    }
    for (let t = found.pop(); t !== undefined; t = found.pop()) this.#visitReads(t, seenNode, saw);
    if (ambiguousReads > 0) this.#leaveOpen(outcome);
    return { outcome, ambiguousReads };
  }

  #leaveOpen(outcome: Uint8Array): void {
    const { txnStatus } = this.#history;
    const { isContested } = this.#columns;
    for (let t = 0; t < outcome.length; t++) {
      const open = txnStatus[t] === TxnStatus.Unknown && outcome[t] === Outcome.Left && isContested[t];
      if (open) outcome[t] = Outcome.Open;
    }
  }

  /** Passes every write that a transaction saw to `saw`; for a list, all appends that no earlier visit has passed. */
  #visitReads(t: TransactionId, seenNode: Uint8Array, saw: (write: number) => void): void {
    const { txnStart, opKind, opValue, ranges, lists } = this.#history;
    const { readFrom, rowReadFrom, nodeAppend } = this.#columns;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.ListRead) {
        for (let node = opValue[op]; node > EMPTY_LIST && seenNode[node] === 0; node = lists.parent[node]) {
          seenNode[node] = 1;
          saw(nodeAppend[node]);
        }
      } else if (opKind[op] === OpKind.RangeRead) {
        for (let row = ranges.rowStart[opValue[op]]; row < ranges.rowStart[opValue[op] + 1]; row++)
          saw(rowReadFrom[row]);
      } else if (opKind[op] !== OpKind.Write) {
        saw(readFrom[op]);
      }
    }
  }
}
