import { countKeys, countSessions } from '@isolab/history';
import { writersByKey } from './facts/last-writes.ts';
import type { CommitOrder } from './facts/orders.ts';
import type { Reads } from './reads-along.ts';
import { refuseOverwritten } from './weak-axioms.ts';
import { type Rows, lowerBound, lowerBoundBy } from './facts/sorted.ts';

/**
 * If t₂ reaches t₃ through session order and read-from, t₃ reads x from t₁, and t₂ writes x, then t₂ comes before t₁.
 * The check walks along the order, which contains session order and read-from, with a vector for every transaction: the
 * last transaction of each session that reaches it. Sessions are processed in blocks of BLOCK. All vectors together
 * take n × BLOCK numbers for any number of sessions.
 */
export function verifyCausal(reads: Reads, co: CommitOrder): void {
  const sessions = countSessions(reads.history);
  const width = Math.min(sessions, BLOCK);
  const visible = new Int32Array(reads.happened.length * width);
  const versions = versionsInOrder(reads, co);
  const previous = previousInSession(reads);
  for (let first = 0; first < sessions; first += width) {
    const block = { first, width, visible };
    for (let i = 0; i < co.order.length; i++) {
      join(reads, block, co.order[i], previous[co.order[i]]);
      verifyTransaction(reads, block, co, versions, co.order[i]);
    }
  }
}

/** Vectors of the sessions from `first` on. An entry is a transaction plus 1, or 0 for none. */
interface Block {
  readonly first: number;
  readonly width: number;
  readonly visible: Int32Array;
}

function previousInSession({ history, happened }: Reads): Int32Array {
  const { txnSession } = history;
  const previous = new Int32Array(happened.length).fill(-1);
  let last = -1;
  for (let t = 0; t < happened.length; t++) {
    if (!happened[t]) continue;
    if (last >= 0 && txnSession[last] === txnSession[t]) previous[t] = last;
    last = t;
  }
  return previous;
}

/** Makes `t` see its predecessor in its session, its writers, and all transactions that these see. */
function join(reads: Reads, { first, width, visible }: Block, t: number, previous: number): void {
  const { txnStart, txnSession } = reads.history;
  const row = t * width;
  if (previous < 0) visible.fill(0, row, row + width);
  else {
    visible.copyWithin(row, previous * width, (previous + 1) * width);
    const column = txnSession[t] - first;
    if (column >= 0 && column < width) visible[row + column] = previous + 1;
  }
  for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
    const from = reads.from[op];
    if (from < 0) continue;
    const column = txnSession[from] - first;
    if (column >= 0 && column < width) {
      if (visible[row + column] > from) continue; // already seen, with its visible transactions
      visible[row + column] = from + 1;
    }
    const other = from * width;
    for (let c = 0; c < width; c++) if (visible[other + c] > visible[row + c]) visible[row + c] = visible[other + c];
  }
}

/** Writers of every key, in ascending order (grouped by session) and in commit order. */
interface VersionsInOrder {
  readonly writers: Rows;
  readonly inOrder: Int32Array; // rows as those of `writers`
  readonly groups: Int32Array; // number of sessions that write each key
}

function versionsInOrder(reads: Reads, { order, position }: CommitOrder): VersionsInOrder {
  const { txnSession } = reads.history;
  const writers = writersByKey(reads.history, reads.happened);
  const { start, item } = writers;
  const groups = new Int32Array(countKeys(reads.history));
  const inOrder = new Int32Array(item.length);
  for (let key = 0; key < groups.length; key++) {
    for (let i = start[key]; i < start[key + 1]; i++) {
      inOrder[i] = position[item[i]];
      if (i === start[key] || txnSession[item[i]] !== txnSession[item[i - 1]]) groups[key]++;
    }
    inOrder.subarray(start[key], start[key + 1]).sort();
  }
  for (let i = 0; i < inOrder.length; i++) inOrder[i] = order[inOrder[i]];
  return { writers, inOrder, groups };
}

function verifyTransaction(
  reads: Reads,
  { first, width, visible }: Block,
  { position }: CommitOrder,
  { writers, inOrder, groups }: VersionsInOrder,
  t3: number,
): void {
  const { txnStart, txnSession, opKey } = reads.history;
  const { start, item } = writers;
  const row = t3 * width;
  for (let read = txnStart[t3], end = txnStart[t3 + 1]; read < end; read++) {
    const t1 = reads.from[read];
    if (t1 < -1) continue;
    const key = opKey[read];

    // The writers between t₁ and t₃ in the order must not be visible. If they are few, each of them is examined.
    const from = lowerBoundBy(position, inOrder, start[key], start[key + 1], t1 < 0 ? 0 : position[t1] + 1);
    const limit = Math.min(start[key + 1], from + groups[key]);
    let i = from;
    for (; i < limit && position[inOrder[i]] < position[t3]; i++) {
      const t2 = inOrder[i];
      const column = txnSession[t2] - first;
      if (column >= 0 && column < width && visible[row + column] > t2) refuseOverwritten(t2, t1, read, t3);
    }
    if (i < limit || i === start[key + 1]) continue;

    // Otherwise only the last visible writer of each session is examined, which represents its predecessors.
    for (let at = start[key]; at < start[key + 1];) {
      const session = txnSession[item[at]];
      const next = lowerBound(item, at, start[key + 1], reads.history.sessionStart[session + 1]);
      const column = session - first;
      if (column >= 0 && column < width) {
        const last = lowerBound(item, at, next, visible[row + column]) - 1;
        if (last >= at && position[item[last]] > (t1 < 0 ? -1 : position[t1]))
          refuseOverwritten(item[last], t1, read, t3);
      }
      at = next;
    }
  }
}

const BLOCK = 64;
