import {
  type History,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  foldInitialTransaction,
  slice,
  transactionOfOperations,
} from '@isolab/history';

/** A history with the facts that the comparison needs. */
export interface Side {
  readonly history: History;
  readonly index: ReadFromIndex;
  /** Sessions that are not empty. */
  readonly sessions: readonly number[];
}

export function sideOf(history: History): Side {
  const { sessionStart } = history;
  const sessions: number[] = [];
  for (let s = 0; s < countSessions(history); s++) if (sessionStart[s] < sessionStart[s + 1]) sessions.push(s);
  return { history, index: buildReadFrom(history), sessions };
}

export const withoutAborted = (history: History): History =>
  slice(history, { txns: Uint8Array.from(history.txnStatus, (status) => (status === TxnStatus.Aborted ? 0 : 1)) })
    .history;

/** For each session of `a` the session of `b` with its signature, the first one not yet taken; null where one has none. */
export function matchBySignature(a: Side, b: Side): number[] | null {
  const sessionsOf = new Map<string, number[]>();
  for (const [s, signature] of signatures(b)) {
    const same = sessionsOf.get(signature);
    if (same) same.push(s);
    else sessionsOf.set(signature, [s]);
  }
  const matched: number[] = [];
  const taken = new Map<string, number>();
  for (const [, signature] of signatures(a)) {
    const next = taken.get(signature) ?? 0;
    const session = sessionsOf.get(signature)?.[next];
    if (session === undefined) return null;
    matched.push(session);
    taken.set(signature, next + 1);
  }
  return matched;
}

/**
 * Signature of each session without names: outcomes, kinds of operations, which of them touch the same key as an
 * earlier one, how often all sessions together touch that key, and which read the initial state.
 */
function* signatures({ history, index, sessions }: Side): Generator<readonly [session: number, signature: string]> {
  const { sessionStart, txnStart, txnStatus, opKind, opKey } = history;
  const touched = new Int32Array(countKeys(history));
  for (let op = 0; op < countOperations(history); op++) if (opKey[op] >= 0) touched[opKey[op]]++;

  const firstTouch = new Map<number, number>(); // of each key of the session, the number of the operation
  for (const s of sessions) {
    firstTouch.clear();
    let [hash, second] = [0, 0];
    const mix = (x: number): void => {
      hash = hashPair(hash, x);
      second = hashPair(x, second + 1);
    };
    const sessionOp = txnStart[sessionStart[s]];
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      mix(-txnStatus[t] - 1);
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const key = opKey[op];
        if (!firstTouch.has(key)) firstTouch.set(key, op - sessionOp);
        mix(2 * opKind[op] + (index.readFrom[op] === ReadFrom.Initial ? 1 : 0));
        mix(key < 0 ? 0 : touched[key]);
        mix(firstTouch.get(key)!);
      }
    }
    yield [s, `${hash} ${second}`];
  }
}

export function initialReads({ index: { readFrom, rowReadFrom } }: Side): number {
  let count = 0;
  for (let op = 0; op < readFrom.length; op++) if (readFrom[op] === ReadFrom.Initial) count++;
  for (let row = 0; row < rowReadFrom.length; row++) if (rowReadFrom[row] === ReadFrom.Initial) count++;
  return count;
}

/**
 * A side without its explicit initial transaction, null if it has none. Where several only write and begin a session,
 * it is the one after whose removal there are `reads` reads of the initial state, then one alone in its session, then
 * the one with the most readers and writes.
 */
export function withoutInitialTransaction(side: Side, reads: number | null = null): Side | null {
  const { history, sessions } = side;
  const { sessionStart, txnStart, txnStatus } = history;
  const readers = readersOf(side);
  const now = initialReads(side);
  let best = -1 as TransactionId;
  let bestRank = -1;
  for (const s of sessions) {
    const t = sessionStart[s];
    if (txnStatus[t] !== TxnStatus.Committed || !onlyWrites(history, t)) continue;
    const fits = reads !== null && now + readers[t] === reads;
    const isAlone = sessionStart[s + 1] - t === 1;
    const rank = (fits ? 2 * RANK : 0) + (isAlone ? RANK : 0) + readers[t] + txnStart[t + 1] - txnStart[t];
    if (rank <= bestRank) continue;
    best = t;
    bestRank = rank;
  }
  return best < 0 ? null : sideOf(foldInitialTransaction(history, best).history);
}

/** Number of reads that saw a write of each transaction. */
function readersOf({ history, index: { readFrom, rowReadFrom } }: Side): Int32Array {
  const txnOf = transactionOfOperations(history);
  const readers = new Int32Array(countTransactions(history));
  for (let op = 0; op < readFrom.length; op++) if (readFrom[op] >= 0) readers[txnOf[readFrom[op]]]++;
  for (let row = 0; row < rowReadFrom.length; row++) if (rowReadFrom[row] >= 0) readers[txnOf[rowReadFrom[row]]]++;
  return readers;
}

function onlyWrites({ txnStart, opKind }: History, t: number): boolean {
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] !== OpKind.Write) return false;
  return txnStart[t] < txnStart[t + 1];
}

const RANK = 2 ** 40;

/** Mixes a pair of 32-bit integers well enough for a table whose size is a power of two. */
function hashPair(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
