import { NO_TIME, OpKind, TxnStatus, countKeys, countSessions } from '@isolab/history';
import { returned } from './commit-order.ts';
import { integerOf, listOf, nameTxn, refuse } from './flaw.ts';
import { type RawFacts, readsFrom } from './raw-facts.ts';
import type { Rules } from './rules.ts';

/** Refuses unless these begins (2t) and commits (2t + 1), in this order, satisfy the level. */
export function verifyEventOrder(facts: RawFacts, rules: Rules, data: unknown): void {
  const { events, position } = readEvents(facts, data);
  if (rules.sessions) verifySessions(facts, position);
  replay(facts, rules, events);
  if (rules.realTime !== 'none') verifyRealTime(facts, rules, events);
}

const nameEvent = (event: number): string => `the ${event % 2 === 0 ? 'begin' : 'commit'} of transaction ${event >> 1}`;

function readEvents(
  { happened, numHappened }: RawFacts,
  data: unknown,
): { readonly events: Int32Array; readonly position: Int32Array } {
  const list = listOf(data, 'the order of events');
  const position = new Int32Array(2 * happened.length).fill(-1);
  // A longer list repeats an event, which is found before its end.
  const events = new Int32Array(Math.min(list.length, 2 * numHappened));
  for (let i = 0; i < list.length; i++) {
    const event = integerOf(list[i], 0, 2 * happened.length, `entry ${i + 1} of the order of events`);
    if (!happened[event >> 1]) refuse(`entry ${i + 1} is ${nameEvent(event)}, which did not happen`);
    if (position[event] >= 0) refuse(`the order lists ${nameEvent(event)} twice`);
    if (event % 2 === 1 && position[event - 1] < 0) refuse(`the order puts ${nameEvent(event)} before its begin`);
    position[event] = i;
    events[i] = event;
  }
  const missing = position.findIndex((at, event) => at < 0 && happened[event >> 1] === 1);
  if (missing >= 0) refuse(`the order misses ${nameEvent(missing)}`);
  return { events, position };
}

function verifySessions({ history, happened }: RawFacts, position: Int32Array): void {
  const { sessionStart } = history;
  for (let s = 0; s < countSessions(history); s++) {
    let previous = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (!happened[t]) continue;
      if (previous >= 0 && position[2 * t] < position[2 * previous + 1])
        refuse(
          `the order puts ${nameEvent(2 * t)} before ${nameEvent(2 * previous + 1)}, which is earlier in its session`,
        );
      previous = t;
    }
  }
}

/** Every read sees what was committed last before its begin; of two writers of a key one commits before the other begins. */
function replay(facts: RawFacts, rules: Rules, events: Int32Array): void {
  const { txnStart, opKind, opKey } = facts.history;
  const exclusive = rules.axiom === 'snapshot';
  const committed = new Int32Array(countKeys(facts.history)).fill(-1); // by key: the last writer to commit,
  const writing = new Int32Array(committed.length).fill(-1); // and the writer that has begun and not committed
  for (let i = 0; i < events.length; i++) {
    const t = events[i] >> 1;
    const begins = events[i] % 2 === 0;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) {
        if (!begins) {
          committed[key] = t;
          writing[key] = -1;
        } else if (exclusive) {
          if (writing[key] >= 0 && writing[key] !== t)
            refuse(`transactions ${writing[key]} and ${t} write key ${key} at the same time in the order`);
          writing[key] = t;
        }
      } else if (begins) {
        const from = readsFrom(facts, op);
        if (from >= -1 && from !== committed[key]) refuseSnapshot(t, op, from, committed[key]);
      }
    }
  }
}

const refuseSnapshot = (t: number, op: number, from: number, committed: number): never =>
  refuse(
    `operation ${op} of transaction ${t} reads from ${nameTxn(from)}, but the last to commit its key before the begin is ${nameTxn(committed)}`,
  );

/**
 * Walks backwards with the earliest begin and the earliest commit, in real time, of the events passed: they must not lie
 * before a commit, and no commit before a begin where the level asks for the latest snapshot.
 */
function verifyRealTime({ history }: RawFacts, rules: Rules, events: Int32Array): void {
  const { txnBegin, txnEnd } = history;
  let begin = -1;
  let commit = -1;
  for (let i = events.length - 1; i >= 0; i--) {
    const t = events[i] >> 1;
    if (events[i] % 2 === 1) {
      const at = commitsAfter(history, t);
      if (at !== NO_TIME) {
        if (begin >= 0 && txnBegin![begin] < at) refuseRealTime(events[i], 2 * begin);
        if (commit >= 0 && txnEnd![commit] < at) refuseRealTime(events[i], 2 * commit + 1);
      }
      if (returned(history, t) && (commit < 0 || txnEnd![t] < txnEnd![commit])) commit = t;
    } else if (txnBegin !== null && txnBegin[t] !== NO_TIME) {
      if (rules.realTime === 'snapshots' && commit >= 0 && txnEnd![commit] < txnBegin[t])
        refuseRealTime(events[i], 2 * commit + 1);
      if (begin < 0 || txnBegin[t] < txnBegin[begin]) begin = t;
    }
  }
}

const refuseRealTime = (first: number, second: number): never =>
  refuse(`the order puts ${nameEvent(first)} before ${nameEvent(second)}, against real time`);

/** A time before which a transaction surely did not commit: its end, or if that was never learned its begin. */
export function commitsAfter(
  history: {
    readonly txnStatus: Uint8Array;
    readonly txnBegin: BigInt64Array | null;
    readonly txnEnd: BigInt64Array | null;
  },
  t: number,
): bigint {
  if (returned(history, t)) return history.txnEnd![t];
  // A committed transaction without an end may have any; one of unknown outcome is known to have been called.
  return history.txnStatus[t] === TxnStatus.Unknown && history.txnBegin !== null ? history.txnBegin[t] : NO_TIME;
}
