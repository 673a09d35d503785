import {
  type History,
  Outcome,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';
import { INITIAL_TXN } from '@isolab/contract';

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
  /** How many transactions write each key, summed up: where each key's begin in a row of all of them. */
  readonly writerStart: Int32Array;
  /** The transaction before each one in its session that happened, or −1. */
  readonly previous: Int32Array;
}

export function gatherFacts(history: History, index: ReadFromIndex): Facts {
  const { sessionStart } = history;
  const numKeys = countKeys(history);
  const numTxns = history.txnStatus.length;
  const happened = new Uint8Array(numTxns);
  for (let t = 0; t < numTxns; t++) if (index.outcome[t] === Outcome.Happened) happened[t] = 1;
  const source = new Int32Array(history.opKind.length).fill(NO_SOURCE);
  const writerStart = new Int32Array(numKeys + 1);
  const gatherer = new Gatherer(history, index, happened, source, writerStart);
  for (let t = 0; t < numTxns; t++) if (happened[t] === 1) gatherer.gather(t);
  for (let key = 0; key < numKeys; key++) writerStart[key + 1] += writerStart[key];

  const previous = new Int32Array(numTxns).fill(-1);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let last = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (!happened[t]) continue;
      previous[t] = last;
      last = t;
    }
  }
  return { history, happened, source, writerStart, previous };
}

/** Goes through the transactions one by one: a function for each is optimized sooner than a loop over all of them. */
class Gatherer {
  readonly #history: History;
  readonly #readFrom: Int32Array;
  readonly #txnOf: Int32Array;
  readonly #happened: Uint8Array;
  readonly #source: Int32Array;
  readonly #writers: Int32Array;
  readonly #lastWriter: Int32Array;

  constructor(
    history: History,
    { readFrom }: ReadFromIndex,
    happened: Uint8Array,
    source: Int32Array,
    writers: Int32Array,
  ) {
    this.#history = history;
    this.#readFrom = readFrom;
    this.#txnOf = transactionOfOperations(history);
    this.#happened = happened;
    this.#source = source;
    this.#writers = writers;
    this.#lastWriter = new Int32Array(countKeys(history)).fill(-1);
  }

  gather(t: number): void {
    const { txnStart, opKind, opKey } = this.#history;
    const lastWriter = this.#lastWriter;
    const readFrom = this.#readFrom;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.Write) {
        const key = opKey[op];
        if (lastWriter[key] !== t) this.#writers[key + 1]++;
        lastWriter[key] = t;
      } else if (opKind[op] === OpKind.Read) {
        const from = readFrom[op];
        const writer = from >= 0 ? this.#txnOf[from] : -1;
        if (writer >= 0) {
          // What an aborted transaction wrote is an anomaly of its own, and orders nothing.
          if (writer !== t && this.#happened[writer] === 1) this.#source[op] = writer;
        } else if (from === ReadFrom.Initial) this.#source[op] = INITIAL_TXN;
      }
    }
  }
}

/** The transactions that write each key, in ascending order; where each key's begin, `writerStart` says. */
export function writersOfKeys({ history, happened, writerStart }: Facts): Int32Array {
  const { txnStart, opKind, opKey } = history;
  const cursor = writerStart.slice(0, writerStart.length - 1);
  const writer = new Int32Array(writerStart[writerStart.length - 1]);
  for (let t = 0; t < happened.length; t++) {
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Write) continue;
      if (cursor[key] === writerStart[key] || writer[cursor[key] - 1] !== t) writer[cursor[key]++] = t;
    }
  }
  return writer;
}

/** The keys that each transaction writes, in ascending order. */
export interface WriteSets {
  readonly start: Int32Array;
  readonly key: Int32Array;
}

/** Turns the writers of each key around; going through the keys in order sorts every set. */
export function writeSets(facts: Facts): WriteSets {
  const { writerStart } = facts;
  const writer = writersOfKeys(facts);
  const numTxns = facts.happened.length;
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
