import { type History, countOperations, withoutNames } from './history.ts';
import { Exchange, OpKind, TxnStatus } from '../columns/operation.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';
import { PLAIN_WRITES_OF_COUNTERS } from '../rows/counters.ts';
import { isOpaque } from '../rows/predicate.ts';
import type { Threads } from '../threads/threads.ts';
import { Times, sortByTime } from './times.ts';

/**
 * Evidence for a verdict: counts of the situations in which anomalies could have appeared. Only transactions that
 * happened count.
 */
export interface HistoryEvidence {
  readonly transactions: number;
  readonly sessions: number;
  /** Reads of written keys with a known source: another transaction, the initial transaction, or the reader itself. */
  readonly reads: number;
  /** Reads of written keys that may have seen any of several writers. */
  readonly ambiguousReads: number;
  /** Reads of a key that their transaction had already read, without its own write in between. */
  readonly repeatedReads: number;
  /**
   * Pairs of possibly concurrent transactions of different sessions that share a key written by at least one of them;
   * counted per key.
   */
  readonly meetings: number;
  /** Sessions that overlap in time with another session; null if no transaction has times. */
  readonly overlappingSessions: number | null;
  /**
   * Transactions with a begin and a later end; with a begin; with an end; with either. Unknown outcomes have no end.
   */
  readonly timed: number;
  readonly begun: number;
  readonly ended: number;
  readonly begunOrEnded: number;
  /** Last line of a recording that was cut off; null for complete recordings and for all other histories. */
  readonly cutOffAfterLine: number | null;
  /** Plain writes of keys that are also incremented. */
  readonly plainWritesOfCounters: number;
}

/** A history whose evidence is weighed, and its index. */
export interface Indexed {
  readonly history: History;
  readonly index: ReadFromIndex;
}

/** Begins to weigh the evidence of a large history in another thread. Returns a function that waits for the result. */
export function beginEvidence(threads: Threads, { history, index }: Indexed): () => HistoryEvidence {
  const beside = threads.begin<Indexed, HistoryEvidence>('evidence');
  beside.give({ history: withoutNames(history), index });
  return () => beside.result() ?? weighEvidence(history, index);
}

/** Weighs the evidence of a history in one linear pass, in order of time if there are times. */
export function weighEvidence(history: History, index: ReadFromIndex): HistoryEvidence {
  const counts = countTransactionsThatHappened(history, index);
  const uses = collectUses(history, index);
  const { notes } = history.source;
  const isMixed = counts.timed < counts.transactions;
  const spans = counts.timed > 0 ? spansOf(history, index) : null;
  for (let t = 0; t < index.outcome.length; t++)
    if (index.outcome[t] === Outcome.Happened && spans?.isTimed[t] !== 1) uses.add(t);
  return {
    ...counts,
    meetings: spans === null ? countMeetings(uses, history, null) : meetingsWithTimes(uses, history, spans, isMixed),
    overlappingSessions: spans && countOverlapping(spans),
    ...uses.countReads(),
    cutOffAfterLine: notes['cutOffAfterLine'] ?? null,
    plainWritesOfCounters: notes[PLAIN_WRITES_OF_COUNTERS] ?? 0,
  };
}

/** Counts the meetings of timed transactions by their times, and all others as if at any time. */
function meetingsWithTimes(uses: Uses, history: History, spans: Spans, isMixed: boolean): number {
  const inTime = countMeetingsInTime(uses, history, spans);
  if (!isMixed) return inTime;
  return inTime + countMeetings(uses, history, null) - countMeetings(uses, history, spans.isTimed);
}

/** Counts the compare-and-sets that found an unexpected value; lowering removes them. */
export function countFailedCompareAndSets({ exchanges, opKind, opValue, txnStart, txnStatus }: History): number {
  let count = 0;
  for (let t = 0; exchanges.flags.length > 0 && t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.CompareAndSet && (exchanges.flags[opValue[op]] & Exchange.Failed) !== 0) count++;
  }
  return count;
}

/** Counts the scans whose conditions are not modelled: the rows that they skipped or counted are unknown. */
export function countOpaqueScans({ scans, opKind, opValue, txnStart, txnStatus }: History): number {
  let count = 0;
  for (let t = 0; scans.table.length > 0 && t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Scan && isOpaque(scans.predicates[scans.predicate[opValue[op]]]!)) count++;
  }
  return count;
}

function countTransactionsThatHappened(
  { txnBegin, txnEnd, txnSession, txnStatus }: History,
  { outcome }: ReadFromIndex,
): Pick<HistoryEvidence, 'transactions' | 'sessions' | 'timed' | 'begun' | 'ended' | 'begunOrEnded'> {
  const counts = { transactions: 0, sessions: 0, timed: 0, begun: 0, ended: 0, begunOrEnded: 0 };
  const [begin, end] = [txnBegin && new Times(txnBegin), txnEnd && new Times(txnEnd)];
  let latestSession = -1;
  for (let t = 0; t < outcome.length; t++) {
    if (outcome[t] !== Outcome.Happened) continue;
    const hasBegun = begin !== null && begin.isKnown(t);
    const hasEnded = end !== null && txnStatus[t] === TxnStatus.Committed && end.isKnown(t);
    if (hasBegun && hasEnded && !end.isBefore(t, begin, t)) counts.timed++;
    if (hasBegun) counts.begun++;
    if (hasEnded) counts.ended++;
    if (hasBegun || hasEnded) counts.begunOrEnded++;
    if (txnSession[t] !== latestSession) counts.sessions++;
    latestSession = txnSession[t];
    counts.transactions++;
  }
  return counts;
}

/** Uses of keys by transactions, with each key once per transaction, and counts of their reads. */
interface Uses {
  /** First use of each added transaction, with one extra slot. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  /** Twice the key, plus 1 if the transaction writes it. */
  readonly use: Int32Array;
  readonly numKeys: number;
  readonly add: (t: number) => void;
  /** Counts the reads of the added transactions. */
  readonly countReads: () => Pick<HistoryEvidence, 'reads' | 'ambiguousReads' | 'repeatedReads'>;
}

const WRITES = 1;

function collectUses(history: History, { readFrom, outcome }: ReadFromIndex): Uses {
  const { txnStart, opKind, opKey } = history;
  const first = new Int32Array(outcome.length);
  const end = new Int32Array(outcome.length);
  const use = new Int32Array(countOperations(history));
  const numKeys = history.keyInitial.length;
  const latest = new Int32Array(numKeys); // by key: its latest use, plus 1
  const initialReads = new Int32Array(numKeys);
  const isWritten = new Uint8Array(numKeys);
  const counts = { reads: 0, ambiguousReads: 0, repeatedReads: 0 };
  let numUses = 0;

  // V8 optimizes a function for one transaction sooner than a loop over all transactions, here and below.
  const add = (t: number): void => {
    const begin = numUses;
    let next = begin;
    let reads = 0;
    let repeated = 0;
    for (let op = txnStart[t], last = txnStart[t + 1]; op < last; op++) {
      const key = opKey[op];
      const known = latest[key] - 1;
      if (opKind[op] === OpKind.Read || opKind[op] === OpKind.ListRead) {
        const from = readFrom[op];
        if (from >= 0) reads++;
        else if (from === ReadFrom.Initial) initialReads[key]++;
        else if (from === ReadFrom.Ambiguous) counts.ambiguousReads++;
        if (known < begin) {
          use[next++] = 2 * key;
          latest[key] = next;
        } else if ((use[known] & WRITES) === 0) {
          repeated++;
        }
      } else if (known < begin) {
        use[next++] = 2 * key + WRITES;
        latest[key] = next;
        isWritten[key] = 1;
      } else {
        use[known] |= WRITES;
        isWritten[key] = 1;
      }
    }
    first[t] = begin;
    end[t] = next;
    numUses = next;
    counts.reads += reads;
    counts.repeatedReads += repeated;
  };

  const countReads = (): typeof counts => {
    markWrites(history, outcome, isWritten);
    let { reads } = counts;
    for (let key = 0; key < numKeys; key++) if (isWritten[key] === 1) reads += initialReads[key];
    return { ...counts, reads };
  };
  return { first, end, use, numKeys, add, countReads };
}

/** Marks the keys that are written by transactions that did not happen or may not have happened. */
function markWrites({ txnStart, opKind, opKey }: History, outcome: Uint8Array, isWritten: Uint8Array): void {
  for (let t = 0; t < outcome.length; t++) {
    if (outcome[t] === Outcome.Happened) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) isWritten[opKey[op]] = 1;
  }
}

/** Counts the meetings of transactions of different sessions at any time, either all or only of marked transactions. */
function countMeetings(
  { first, end, use, numKeys }: Uses,
  { sessionStart }: History,
  marked: Uint8Array | null,
): number {
  // For each key: users and writers so far, then users and writers in the current session, and the number of that
  // session.
  const known = new Int32Array(4 * numKeys);
  const sessionOf = new Int32Array(numKeys).fill(-1);
  const meet = (t: number, session: number): number => {
    let met = 0;
    for (let i = first[t], last = end[t]; i < last; i++) {
      const key = use[i] >> 1;
      const writes = use[i] & WRITES;
      const at = 4 * key;
      if (sessionOf[key] !== session) {
        sessionOf[key] = session;
        known[at + 2] = 0;
        known[at + 3] = 0;
      }
      // A writer meets all users, a reader only the writers.
      met += known[at + 1 - writes] - known[at + 3 - writes];
      known[at]++;
      known[at + 1] += writes;
      known[at + 2]++;
      known[at + 3] += writes;
    }
    return met;
  };
  let met = 0;
  for (let session = 0; session + 1 < sessionStart.length; session++) {
    for (let t = sessionStart[session]; t < sessionStart[session + 1]; t++)
      if (marked === null || marked[t] === 1) met += meet(t, session);
  }
  return met;
}

/**
 * Counts the meetings of transactions of different sessions that overlap in time; adds these transactions to the uses.
 */
function countMeetingsInTime(uses: Uses, history: History, spans: Spans): number {
  const { first, end, use, numKeys } = uses;
  const open = new Int32Array(2 * numKeys); // by key: users and writers that have begun and not ended
  const enter = (t: number): number => {
    let met = 0;
    for (let i = first[t], last = end[t]; i < last; i++) {
      const writes = use[i] & WRITES;
      const at = use[i] - writes;
      met += open[at + 1 - writes];
      open[at]++;
      open[at + 1] += writes;
    }
    return met;
  };
  const leave = (t: number): void => {
    for (let i = first[t], last = end[t]; i < last; i++) {
      const writes = use[i] & WRITES;
      open[use[i] - writes]--;
      open[use[i] - writes + 1] -= writes;
    }
  };
  const walk = (byBegin: Int32Array, byEnd: Int32Array, add: (t: number) => void): number => {
    let met = 0;
    let left = 0;
    for (let entered = 0; entered < byBegin.length; entered++) {
      const t = byBegin[entered];
      for (; spans.end.isBefore(byEnd[left], spans.begin, t); left++) leave(byEnd[left]);
      add(t);
      met += enter(t);
    }
    for (; left < byEnd.length; left++) leave(byEnd[left]);
    return met;
  };
  let met = walk(spans.byBegin, spans.byEnd, uses.add);
  if (spans.crowded.length === 0) return met;
  // A client with several concurrent transactions only meets itself.
  const [begins, ends] = [bySession(spans.byBegin, history), bySession(spans.byEnd, history)];
  for (const session of spans.crowded) met -= walk(begins(session), ends(session), () => {});
  return met;
}

/** Splits an order of transactions into sessions. */
function bySession(order: Int32Array, { txnSession, sessionStart }: History) {
  const cursor = sessionStart.slice();
  const sorted = new Int32Array(txnSession.length);
  for (const t of order) sorted[cursor[txnSession[t]]++] = t;
  return (session: number): Int32Array => sorted.subarray(sessionStart[session], cursor[session]);
}

/** Transactions with a begin and an end that is not before it. */
interface Spans {
  readonly begin: Times;
  readonly end: Times;
  readonly isTimed: Uint8Array;
  readonly byBegin: Int32Array;
  readonly byEnd: Int32Array;
  /** Sessions with a transaction that begins during another transaction of the same session. */
  readonly crowded: readonly number[];
  /** For every session with such transactions, the first to begin and the last to end. */
  readonly sessions: readonly { readonly first: number; readonly last: number }[];
}

function spansOf({ txnBegin, txnEnd, txnStatus, sessionStart }: History, { outcome }: ReadFromIndex): Spans {
  const [begin, end] = [new Times(txnBegin!), new Times(txnEnd!)];
  const isTimed = new Uint8Array(outcome.length);
  const timed = new Int32Array(outcome.length);
  let count = 0;
  const crowded: number[] = [];
  const sessions: { first: number; last: number }[] = [];
  for (let session = 0; session + 1 < sessionStart.length; session++) {
    let first = -1;
    let last = -1;
    let isCrowded = false;
    for (let t = sessionStart[session]; t < sessionStart[session + 1]; t++) {
      if (outcome[t] !== Outcome.Happened || txnStatus[t] !== TxnStatus.Committed) continue;
      if (!begin.isKnown(t) || !end.isKnown(t) || end.isBefore(t, begin, t)) continue;
      isTimed[t] = 1;
      timed[count++] = t;
      if (last >= 0 && !end.isBefore(last, begin, t)) isCrowded = true;
      if (last < 0 || end.isBefore(last, end, t)) last = t;
      if (first < 0 || begin.isBefore(t, begin, first)) first = t;
    }
    if (isCrowded) crowded.push(session);
    if (first >= 0) sessions.push({ first, last });
  }
  const txns = timed.subarray(0, count);
  return { begin, end, isTimed, byBegin: sortByTime(txns, begin), byEnd: sortByTime(txns, end), crowded, sessions };
}

/** Counts the sessions that overlap with another session between their first begin and last end. */
function countOverlapping({ begin, end, sessions }: Spans): number {
  const inOrder = sessions.toSorted((a, b) =>
    begin.isBefore(a.first, begin, b.first) ? -1 : begin.isBefore(b.first, begin, a.first) ? 1 : 0,
  );
  const overlapping = new Set<object>();
  let longest = inOrder[0];
  for (const session of inOrder.slice(1)) {
    // `longest` is the earlier session that ends last: if any earlier session overlaps with this session, `longest`
    // does.
    if (!end.isBefore(longest.last, begin, session.first)) overlapping.add(longest).add(session);
    if (end.isBefore(longest.last, end, session.last)) longest = session;
  }
  return overlapping.size;
}
