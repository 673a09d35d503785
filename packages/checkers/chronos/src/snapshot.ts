import { EMPTY_LIST, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import { SeenLists } from './lists.ts';
import { Ongoing } from './ongoing.ts';
import type { Stated } from './stated.ts';
import type { Violations } from './violations.ts';

/**
 * Algorithm 2 of the paper: starts and commits in the order of their timestamps. `frontier` is the last committed value
 * of each key, `ongoing` the set of ongoing transactions that write it. A start executes the reads and announces the
 * writes; a commit moves the writes to the frontier.
 */
export function checkSnapshots(
  { history, startTs, commitTs }: Stated,
  events: Int32Array,
  violations: Violations,
  tick: (events: number) => void,
): void {
  const { txnStart, txnSession, opKind, opKey, opValue, keyInitial, sessionStart } = history;
  const lists = new SeenLists(history);
  const frontier = keyInitial.slice();
  const listFrontier = new Int32Array(keyInitial.length).fill(EMPTY_LIST);
  const ongoing = new Ongoing(keyInitial.length, opKind.length);
  const latest = new Int32Array(sessionStart.length).fill(-1); // by session, the transaction that started last
  const toucher = new Int32Array(keyInitial.length).fill(-1); // by key, the transaction that touched it last
  const seen = new Int32Array(keyInitial.length); // by key: the list that this transaction must see

  for (let i = 0; i < events.length && !violations.isEnough; i++) {
    const t = events[i] >> 1;
    if ((i & 1023) === 0) tick(1024);
    if ((events[i] & 1) === 0) {
      const before = latest[txnSession[t]];
      if (before >= 0 && (t < before || startTs[t] < commitTs[before])) violations.session(before, t);
      latest[txnSession[t]] = t;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const key = opKey[op];
        const kind = opKind[op];
        const value = opValue[op];
        const isExternal = toucher[key] !== t;
        if (isExternal) seen[key] = listFrontier[key];
        toucher[key] = t;
        // A wrong internal read of a register is an internal anomaly, which has been reported before.
        if (kind === OpKind.Read) {
          if (isExternal && value !== frontier[key] && value !== UNKNOWN_VALUE) violations.external(op);
        } else if (kind === OpKind.ListRead) {
          if (value !== seen[key] && value !== UNKNOWN_LIST) violations.external(op);
        } else {
          if (kind === OpKind.Append) seen[key] = lists.append(key, seen[key], value);
          ongoing.add(key, op, t);
        }
      }
    } else {
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const key = opKey[op];
        const kind = opKind[op];
        if (kind === OpKind.Write) frontier[key] = opValue[op];
        else if (kind === OpKind.Append) listFrontier[key] = lists.append(key, listFrontier[key], opValue[op]);
        else continue;
        if (!ongoing.remove(key, op)) continue;
        for (let other = ongoing.first[key]; other >= 0; other = ongoing.next[other]) violations.conflict(op, other);
      }
    }
  }
}
