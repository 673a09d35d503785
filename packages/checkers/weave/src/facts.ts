import {
  type History,
  Outcome,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';
import { INITIAL_TXN } from '@isolab/checker';

/** Marks an operation that is no external read of a transaction that happened. */
export const NO_SOURCE = -2;

/**
 * What the weak levels need of a history: who read from whom, and who wrote each key last, in rows that can be walked.
 * Transactions are numbered session by session, so that the earlier ones of a session are the smaller numbers.
 */
export interface Facts {
  readonly history: History;
  readonly happened: Uint8Array;
  /** For every operation the transaction that it reads from, INITIAL_TXN, or NO_SOURCE. */
  readonly source: Int32Array;
  /** The transactions that write each key, in ascending order. */
  readonly writerStart: Int32Array;
  readonly writer: Int32Array;
  /** The transaction before each one in its session that happened, or −1. */
  readonly previous: Int32Array;
}

export function gatherFacts(history: History, index: ReadFromIndex): Facts {
  const { txnStart, sessionStart, opKind, opKey } = history;
  const numKeys = countKeys(history);
  const numTxns = txnStart.length - 1;
  const happened = index.outcome.map((outcome) => (outcome === Outcome.Happened ? 1 : 0));
  const txnOf = transactionOfOperations(history);

  const source = new Int32Array(opKind.length).fill(NO_SOURCE);
  const writerStart = new Int32Array(numKeys + 1);
  const lastWriter = new Int32Array(numKeys).fill(-1);
  for (let t = 0; t < numTxns; t++) {
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) {
        if (lastWriter[key] === t) continue;
        lastWriter[key] = t;
        writerStart[key + 1]++;
      } else if (opKind[op] === OpKind.Read) {
        const from = index.readFrom[op];
        if (from === ReadFrom.Initial) source[op] = INITIAL_TXN;
        // What an aborted transaction wrote is an anomaly of its own, and orders nothing.
        else if (from >= 0 && txnOf[from] !== t && happened[txnOf[from]]) source[op] = txnOf[from];
      }
    }
  }

  for (let key = 0; key < numKeys; key++) writerStart[key + 1] += writerStart[key];
  const cursor = writerStart.slice(0, numKeys);
  const writer = new Int32Array(writerStart[numKeys]);
  lastWriter.fill(-1);
  for (let t = 0; t < numTxns; t++) {
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Write || lastWriter[key] === t) continue;
      lastWriter[key] = t;
      writer[cursor[key]++] = t;
    }
  }

  const previous = new Int32Array(numTxns).fill(-1);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let last = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (!happened[t]) continue;
      previous[t] = last;
      last = t;
    }
  }
  return { history, happened, source, writerStart, writer, previous };
}

/** The keys that each transaction writes, in ascending order. */
export interface WriteSets {
  readonly start: Int32Array;
  readonly key: Int32Array;
}

/** Turns the writers of each key around; going through the keys in order sorts every set. */
export function writeSets({ history, writerStart, writer }: Facts): WriteSets {
  const numTxns = history.txnStatus.length;
  const start = new Int32Array(numTxns + 1);
  for (let i = 0; i < writer.length; i++) start[writer[i] + 1]++;
  for (let t = 0; t < numTxns; t++) start[t + 1] += start[t];
  const cursor = start.slice(0, numTxns);
  const key = new Int32Array(writer.length);
  for (let k = 0; k + 1 < writerStart.length; k++) {
    for (let i = writerStart[k]; i < writerStart[k + 1]; i++) key[cursor[writer[i]]++] = k;
  }
  return { start, key };
}

/** Whether the sorted set of a transaction's writes holds a key. */
export function writesKey({ start, key }: WriteSets, t: number, wanted: number): boolean {
  let low = start[t];
  let high = start[t + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low < start[t + 1] && key[low] === wanted;
}
