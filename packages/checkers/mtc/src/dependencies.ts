import { type History, OpKind, ReadFrom, type ReadFromIndex } from '@isolab/history';
import { Relations, happenedIn, nodesInPlace } from '@isolab/graph/relations';

/**
 * The dependency graph of mini-transactions (BuildDependency in Algorithm 1), without explicit edges: a *version* is
 * the write that made it, or `numOps` + key for a key's initial state, and the edges follow from the readers and the
 * overwriter of each version.
 * SO t → next[t]
 * WR writer of a version → its readers
 * WW writer of a version → its overwriter, which is one of its readers, as a write follows a read of its key
 * RW readers of a version → its overwriter
 * The initial transaction is not a node: nothing can precede it.
 */
export interface Dependencies {
  readonly history: History;
  readonly runs: Int32Array;
  readonly numOps: number;
  readonly happened: Uint8Array;
  readonly numHappened: number;
  /** Transaction of each operation, or −1 if it did not happen. */
  readonly txnOf: Int32Array;
  /** The previous and the next transaction of the same session that happened, or −1. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** Version that each read of another transaction's write saw; NO_VERSION for all other operations. */
  readonly version: Int32Array;
  /** Latest reader (an operation) of each version, and for each reader the previous reader; −1 at the end. */
  readonly lastReader: Int32Array;
  readonly readerBefore: Int32Array;
  /** Transaction that overwrites each version, or −1. */
  readonly overwriter: Int32Array;
  /** A write that overwrote an unknown version, because the read before it was never answered; or −1. */
  readonly unguided: number;
  readonly divergences: readonly Divergence[];
}

/** Two transactions that read one version and overwrite it (Definition 10). */
export interface Divergence {
  readonly version: number;
  readonly first: number;
  readonly second: number;
}

const NO_VERSION = -1;

export function buildDependencies(history: History, index: ReadFromIndex): Dependencies {
  const { readFrom } = index;
  const { txnStart, opKind, opKey } = history;
  const numOps = opKind.length;
  const numVersions = numOps + history.keyInitial.length;
  const happened = happenedIn(index.outcome);
  const { nodeOfOp: txnOf, neighbours } = new Relations(history, index, nodesInPlace(happened));
  const version = new Int32Array(numOps).fill(NO_VERSION);
  const lastReader = new Int32Array(numVersions).fill(-1);
  const readerBefore = new Int32Array(numOps);
  const overwriter = new Int32Array(numVersions).fill(-1);
  const divergences: Divergence[] = [];
  const runs = runsByPace(history);
  let numHappened = 0;
  let unguided = -1;
  for (let run = 0; run < runs.length; run += 2) {
    for (let t = runs[run]; t < runs[run + 1]; t++) {
      if (happened[t] === 0) continue;
      numHappened++;
      const start = txnStart[t];
      for (let op = start, end = txnStart[t + 1]; op < end; op++) {
        const key = opKey[op];
        if (opKind[op] === OpKind.Read) {
          let seen = readFrom[op];
          // A version that another transaction left; reads of writes that did not happen are separate anomalies.
          if (seen >= 0 ? txnOf[seen] < 0 || txnOf[seen] === t : seen !== ReadFrom.Initial) continue;
          if (seen < 0) seen = numOps + key;
          version[op] = seen;
          readerBefore[op] = lastReader[seen];
          lastReader[seen] = op;
          continue;
        }
        let read = start;
        while (read < op && (opKind[read] !== OpKind.Read || opKey[read] !== key)) read++;
        const overwritten = version[read];
        if (read === op || overwritten < 0) {
          if (unguided < 0) unguided = op;
          continue;
        }
        const other = overwriter[overwritten];
        if (other < 0) overwriter[overwritten] = t;
        else if (other !== t) divergences.push({ version: overwritten, first: other, second: t });
      }
    }
  }
  return {
    history,
    runs,
    numOps,
    happened,
    numHappened,
    txnOf,
    ...neighbours,
    version,
    lastReader,
    readerBefore,
    overwriter,
    unguided,
    divergences,
  };
}

export function readOfVersion({ history, version }: Dependencies, t: number, wanted: number): number {
  for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) if (version[op] === wanted) return op;
  return -1;
}

export function lastWriteOf({ opKind, opKey, txnStart }: History, t: number, key: number): number {
  for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--)
    if (opKind[op] === OpKind.Write && opKey[op] === key) return op;
  return -1;
}

/**
 * Runs of transactions (runs[i] to runs[i + 1], i even), at an equal pace through all sessions, as most reads are
 * recent.
 */
function runsByPace({ sessionStart }: History): Int32Array {
  const numSessions = sessionStart.length - 1;
  const numTxns = sessionStart[numSessions];
  const rounds = Math.ceil(numTxns / (numSessions * RUN));
  const runs = new Int32Array(2 * numSessions * rounds);
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    for (let s = 0; s < numSessions; s++) {
      const start = sessionStart[s];
      const length = sessionStart[s + 1] - start;
      const from = start + Math.floor((length * round) / rounds);
      const to = start + Math.floor((length * (round + 1)) / rounds);
      if (from === to) continue;
      runs[count++] = from;
      runs[count++] = to;
    }
  }
  return runs.subarray(0, count);
}

/** Average number of transactions in a run. */
const RUN = 64;
