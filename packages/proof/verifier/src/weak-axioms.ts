import { type OperationId, countKeys, isEarlierStatement } from '@isolab/history';
import { nameTxn, refuse } from './verdict/flaw.ts';
import { keysWritten } from './facts/last-writes.ts';
import type { CommitOrder } from './facts/orders.ts';
import type { Reads } from './reads-along.ts';
import type { Rules } from './facts/rules.ts';
import { placeIn, type Rows } from './facts/sorted.ts';

// Both axioms compare the writes of t₂ with the reads of t₃, for all t₂ that t₃ reads from. Iterating over the smaller
// of the two sets takes at most O(n^1.5) steps for n operations (AWDIT, section 4).

export function refuseOverwritten(t2: number, t1: number, read: OperationId, t3: number): never {
  refuse(
    `${nameTxn(t2)} is visible to transaction ${t3} and writes the key that operation ${read} reads from ${nameTxn(t1)}, but the order does not put ${nameTxn(t2)} before ${nameTxn(t1)}`,
  );
}

/** If t₃ reads from t₂ and in a later statement x from t₁, and t₂ writes x, then t₂ comes before t₁. */
export function verifyReadCommitted(reads: Reads, rules: Rules, { order, position }: CommitOrder): void {
  const { history, happened, from } = reads;
  const { txnStart, opKey } = history;
  const sameKeyCounts = rules.axiom === 'read-committed-dbcop';
  const keys = keysWritten(history, happened);
  // For the current reader: its first read from each transaction, and its first read of another key from that
  // transaction. Entries of other readers are recognised because they are outside the reader's range of operations.
  const firstRead = new Int32Array(happened.length).fill(-1);
  const firstOther = new Int32Array(happened.length).fill(-1);
  // For each key, while walking backwards through the reader: the read of a later statement whose writer comes first in
  // the order.
  const passed = new Int32Array(countKeys(history)).fill(-1);
  const passedKeys: number[] = [];

  const verifyKey = (t3: number, t2: number, key: number): void => {
    const read = passed[key];
    if (read < txnStart[t3] || read >= txnStart[t3 + 1]) return;
    const t1 = from[read];
    if ((t1 < 0 ? -1 : position[t1]) < position[t2]) refuseOverwritten(t2, t1, read, t3);
  };

  for (let i = 0; i < order.length; i++) {
    const t3 = order[i];
    const start = txnStart[t3];
    const end = txnStart[t3 + 1];
    const pass = (op: OperationId): void => {
      if (from[op] < -1) return;
      const known = passed[opKey[op]];
      if (known < start || known >= end) passedKeys.push(opKey[op]);
      else if (isBefore(position, from[known], from[op])) return;
      passed[opKey[op]] = op;
    };
    for (let op = start; op < end; op++) {
      const t2 = from[op];
      if (t2 < 0) continue;
      if (firstRead[t2] < start || firstRead[t2] >= end) firstRead[t2] = op;
      else if ((firstOther[t2] < start || firstOther[t2] >= end) && opKey[op] !== opKey[firstRead[t2]])
        firstOther[t2] = op;
    }

    passedKeys.length = 0;
    let unpassed = end - 1; // last operation of the statement
    for (let op = end - 1; op >= start; op--) {
      for (; isEarlierStatement(history, op, unpassed); unpassed--) pass(unpassed);
      const t2 = from[op];
      if (t2 < -1) continue;
      const key = opKey[op];
      if (t2 >= 0 && firstRead[t2] === op) {
        const own = sameKeyCounts ? -1 : key;
        if (keys.start[t2 + 1] - keys.start[t2] <= passedKeys.length) {
          for (let k = keys.start[t2]; k < keys.start[t2 + 1]; k++)
            if (keys.item[k] !== own) verifyKey(t3, t2, keys.item[k]);
        } else {
          for (const other of passedKeys) if (other !== own && placeIn(keys, t2, other) >= 0) verifyKey(t3, t2, other);
        }
      } else if (t2 >= 0 && firstOther[t2] === op && placeIn(keys, t2, opKey[firstRead[t2]]) >= 0) {
        verifyKey(t3, t2, opKey[firstRead[t2]]);
      }
    }
  }
}

const isBefore = (position: Int32Array, a: number, b: number): boolean =>
  a < 0 || (b >= 0 && position[a] <= position[b]);

/**
 * If t₂ precedes t₃ in its session, or t₃ reads from t₂, and if t₃ reads x from t₁ and t₂ writes x, then t₂ comes
 * before t₁.
 */
export function verifyReadAtomic(reads: Reads, { position }: CommitOrder): void {
  const { history, happened, from } = reads;
  const { txnStart, txnSession, opKey } = history;
  const keys = keysWritten(history, happened);
  const readOf = new Int32Array(countKeys(history)).fill(-1); // valid if it is an operation of the current reader
  const lastWriter = new Int32Array(countKeys(history)).fill(-1); // valid if it belongs to the current session
  const seenBy = new Int32Array(happened.length).fill(-1);

  const verifyRead = (t3: number, t2: number, read: OperationId): void => {
    const t1 = from[read];
    if ((t1 < 0 ? -1 : position[t1]) < position[t2]) refuseOverwritten(t2, t1, read, t3);
  };

  for (let t3 = 0; t3 < happened.length; t3++) {
    if (!happened[t3]) continue;
    const start = txnStart[t3];
    const end = txnStart[t3 + 1];
    for (let op = start; op < end; op++) {
      if (from[op] < -1) continue;
      readOf[opKey[op]] = op;
      // The session's earlier writers are in order, so checking the last writer suffices.
      const t2 = lastWriter[opKey[op]];
      if (t2 >= 0 && txnSession[t2] === txnSession[t3]) verifyRead(t3, t2, op);
    }
    for (let op = start; op < end; op++) {
      const t2 = from[op];
      if (t2 < 0 || seenBy[t2] === t3) continue;
      seenBy[t2] = t3;
      if (keys.start[t2 + 1] - keys.start[t2] <= end - start) {
        for (let k = keys.start[t2]; k < keys.start[t2 + 1]; k++) {
          const read = readOf[keys.item[k]];
          if (read >= start && read < end) verifyRead(t3, t2, read);
        }
      } else verifyAllReads(reads, keys, t3, t2, verifyRead);
    }
    for (let k = keys.start[t3]; k < keys.start[t3 + 1]; k++) lastWriter[keys.item[k]] = t3;
  }
}

function verifyAllReads(
  { history, from }: Reads,
  keys: Rows,
  t3: number,
  t2: number,
  verifyRead: (t3: number, t2: number, read: OperationId) => void,
): void {
  const { txnStart, opKey } = history;
  for (let op = txnStart[t3]; op < txnStart[t3 + 1]; op++)
    if (from[op] >= -1 && placeIn(keys, t2, opKey[op]) >= 0) verifyRead(t3, t2, op);
}
