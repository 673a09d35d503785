import { EMPTY_LIST, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import { SeenLists } from './lists.ts';
import type { Stated } from './stated.ts';
import type { Violations } from './violations.ts';

/** Chronos-SER: executes transactions one after the other in commit order; start timestamps are ignored. */
export function checkSerial(
  { history }: Stated,
  commits: Int32Array,
  violations: Violations,
  tick: (transactions: number) => void,
): void {
  const { txnStart, txnSession, opKind, opKey, opValue, keyInitial, sessionStart } = history;
  const lists = new SeenLists(history);
  const frontier = keyInitial.slice();
  const listFrontier = new Int32Array(keyInitial.length).fill(EMPTY_LIST);
  const latest = new Int32Array(sessionStart.length).fill(-1); // by session, the transaction that committed last
  const toucher = new Int32Array(keyInitial.length).fill(-1); // by key, the transaction that touched it last

  for (let i = 0; i < commits.length && !violations.isEnough; i++) {
    const t = commits[i];
    if ((i & 1023) === 0) tick(1024);
    const before = latest[txnSession[t]];
    if (t < before) violations.session(before, t);
    latest[txnSession[t]] = t;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      const value = opValue[op];
      const isExternal = toucher[key] !== t;
      toucher[key] = t;
      // A wrong internal read of a register is an internal anomaly, which has been reported before.
      if (kind === OpKind.Read) {
        if (isExternal && value !== frontier[key] && value !== UNKNOWN_VALUE) violations.external(op);
      } else if (kind === OpKind.ListRead) {
        if (value !== listFrontier[key] && value !== UNKNOWN_LIST) violations.external(op);
      } else if (kind === OpKind.Write) frontier[key] = value;
      else listFrontier[key] = lists.append(key, listFrontier[key], value);
    }
  }
}
