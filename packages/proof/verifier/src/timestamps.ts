import {
  EMPTY_LIST,
  type History,
  NO_TIME,
  OpKind,
  type OperationId,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  listElements,
} from '@isolab/history';
import { type Fields, integerOf, listOf, refuse, show } from './verdict/flaw.ts';
import type { RawFacts } from './facts/raw-facts.ts';
import type { Rules } from './facts/rules.ts';
import { isWrite } from './facts/versions.ts';

/** Refuses unless the database's timestamps, treated as facts, contradict the recorded operations. */
export function verifyTimestamps(facts: RawFacts, rules: Rules, certificate: Fields): void {
  if (rules.axiom !== 'snapshot' && rules.axiom !== 'serial')
    refuse(`at ${rules.level}, timestamps do not determine what a transaction sees`);
  const stated = new Stated(facts, rules.axiom === 'snapshot');
  const txns = facts.history.txnStatus.length;
  const at = stated.isSnapshot ? 'start' : 'commit';
  const counts = certificate['axiom'] === 'EXT' || certificate['axiom'] === 'SESSION';
  if (counts && certificate['at'] !== at)
    refuse(`the snapshot is taken at ${show(certificate['at'])}, but ${rules.level} takes it at "${at}"`);
  switch (certificate['axiom']) {
    case 'EXT':
      return verifyRead(stated, integerOf(certificate['read'], 0, facts.txnOf.length, 'the read'));
    case 'NOCONFLICT': {
      const writes = listOf(certificate['writes'], 'the list of writes');
      if (writes.length !== 2) refuse(`there are ${writes.length} writes, expected 2`);
      const [a, b] = writes.map((write) => integerOf(write, 0, facts.txnOf.length, 'the write'));
      return verifyConflict(stated, a!, b!);
    }
    case 'SESSION': {
      if (!rules.sessions) refuse(`at ${rules.level}, sessions do not count`);
      const first = integerOf(certificate['first'], 0, txns, 'the first transaction');
      return verifySession(stated, first, integerOf(certificate['second'], 0, txns, 'the second transaction'));
    }
    case 'ORDER': {
      const t = integerOf(certificate['transaction'], 0, txns, 'the transaction');
      const [start, commit] = [stated.start(t), stated.commit(t)];
      if (!stated.isSnapshot) refuse(`at ${rules.level}, start timestamps do not count`);
      if (start <= commit) refuse(`transaction ${t} starts at ${start} and commits at ${commit}, which is in order`);
      return;
    }
    default:
      return refuse(`the axiom is ${show(certificate['axiom'])}, expected "EXT", "NOCONFLICT", "SESSION" or "ORDER"`);
  }
}

/** The database's timestamps of the transactions that happened. */
class Stated {
  readonly facts: RawFacts;
  /** Whether a transaction sees the state committed at its start instead of the state at its commit. */
  readonly isSnapshot: boolean;

  constructor(facts: RawFacts, isSnapshot: boolean) {
    this.facts = facts;
    this.isSnapshot = isSnapshot;
  }

  get history(): History {
    return this.facts.history;
  }

  start(t: number): bigint {
    return this.#time(t, this.history.txnStartTs, 'start');
  }

  commit(t: number): bigint {
    return this.#time(t, this.history.txnCommitTs, 'commit');
  }

  #time(t: number, column: BigInt64Array | null, name: string): bigint {
    if (this.history.txnStatus[t] !== TxnStatus.Committed) refuse(`transaction ${t} is not known to be committed`);
    const time = column?.[t] ?? NO_TIME;
    if (time === NO_TIME) refuse(`transaction ${t} has no ${name} timestamp`);
    return time;
  }

  /** Transactions that write a key and had committed when the reader took its snapshot, in commit order. */
  seenBy(reader: number, key: number): number[] {
    const { history, isSnapshot } = this;
    const from = isSnapshot ? this.start(reader) : this.commit(reader);
    const seen: number[] = [];
    for (let t = 0; t < history.txnStatus.length; t++) {
      if (t === reader || history.txnStatus[t] !== TxnStatus.Committed || !writesTo(history, t, key)) continue;
      const commit = this.commit(t);
      if (isSnapshot ? commit <= from : commit < from) seen.push(t);
      else if (commit === from) refuse(`transactions ${t} and ${reader} have the same commit timestamp`);
    }
    seen.sort((a, b) => (this.commit(a) < this.commit(b) ? -1 : 1));
    for (let i = 1; i < seen.length; i++) this.#refuseNoOrder(seen[i - 1]!, seen[i]!);
    return seen;
  }

  /** Writers of a key with unknown commit, whose versions are therefore uncertain. */
  mayBeSeenBy(reader: number, key: number): number[] {
    const { history, facts } = this;
    const isOpen = (t: number): boolean => history.txnStatus[t] === TxnStatus.Unknown && facts.mayHaveHappened[t] === 1;
    return Array.from(history.txnStatus.keys()).filter((t) => t !== reader && isOpen(t) && writesTo(history, t, key));
  }

  /** Refuses writers of a key with equal commit timestamps, unless equality itself shows that they were concurrent. */
  #refuseNoOrder(a: number, b: number): void {
    if (this.commit(a) !== this.commit(b)) return;
    if (!this.isSnapshot || this.start(a) >= this.commit(a) || this.start(b) >= this.commit(b))
      refuse(`transactions ${a} and ${b} have the same commit timestamp`);
  }
}

function writesTo({ txnStart, opKind, opKey }: History, t: number, key: number): boolean {
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) if (opKey[op] === key && isWrite(opKind[op]!)) return true;
  return false;
}

/** Refuses unless a read contradicts the timestamps. */
function verifyRead(stated: Stated, read: OperationId): void {
  const { history, facts } = stated;
  const { opKind, opKey, opValue, txnStart } = history;
  const kind = opKind[read];
  if (kind !== OpKind.Read && kind !== OpKind.ListRead) refuse(`operation ${read} is not a read`);
  const key = opKey[read]!;
  const value = opValue[read]!;
  if (value === (kind === OpKind.Read ? UNKNOWN_VALUE : UNKNOWN_LIST))
    refuse(`operation ${read} has an unknown result`);
  const reader = facts.txnOf[read]!;
  const seen = stated.seenBy(reader, key);
  const open = stated.mayBeSeenBy(reader, key);
  const refuseOpen = (t: number | undefined): void => {
    if (t !== undefined) refuse(`operation ${read} may have seen transaction ${t}, whose outcome is unknown`);
  };
  const own: number[] = [];
  for (let op = txnStart[reader]!; op < read; op++) if (opKey[op] === key && isWrite(opKind[op]!)) own.push(op);
  if (kind === OpKind.Read) {
    if (own.length > 0) refuse(`operation ${read} reads a write of its own transaction`);
    const expected = seen.length === 0 ? history.keyInitial[key] : lastValue(history, seen.at(-1)!, key);
    if (value === expected) refuse(`operation ${read} saw the version that the timestamps imply`);
    refuseOpen(open.find((t) => lastValue(history, t, key) === value));
    return;
  }
  const expected = [...seen.flatMap((t) => appendsOf(history, t, key)), ...own.map((op) => opValue[op]!)];
  const found = value === EMPTY_LIST ? [] : [...listElements(history.lists, value)];
  refuseOpen(open.find((t) => appendsOf(history, t, key).some((element) => found.includes(element))));
  if (expected.length === found.length && expected.every((element, i) => element === found[i]))
    refuse(`operation ${read} saw the version that the timestamps imply`);
}

function lastValue({ txnStart, opKind, opKey, opValue }: History, t: number, key: number): number {
  let last = -1;
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) if (opKey[op] === key && isWrite(opKind[op]!)) last = op;
  return opValue[last]!;
}

function appendsOf({ txnStart, opKind, opKey, opValue }: History, t: number, key: number): number[] {
  const found: number[] = [];
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++)
    if (opKey[op] === key && opKind[op] === OpKind.Append) found.push(opValue[op]!);
  return found;
}

/** Refuses unless two transactions write the same key, and neither had committed when the other started. */
function verifyConflict(stated: Stated, a: number, b: number): void {
  if (!stated.isSnapshot) refuse('transactions in a serial order cannot conflict');
  const { history, facts } = stated;
  for (const op of [a, b]) if (!isWrite(history.opKind[op]!)) refuse(`operation ${op} is not a write`);
  if (history.opKey[a] !== history.opKey[b]) refuse(`operations ${a} and ${b} write different keys`);
  const [s, t] = [facts.txnOf[a]!, facts.txnOf[b]!];
  if (s === t) refuse(`operations ${a} and ${b} belong to one transaction`);
  if (stated.commit(s) <= stated.start(t) || stated.commit(t) <= stated.start(s))
    refuse(`one of the transactions ${s} and ${t} had committed when the other started`);
}

function verifySession(stated: Stated, first: number, second: number): void {
  const { txnSession } = stated.history;
  if (txnSession[first] !== txnSession[second])
    refuse(`transactions ${first} and ${second} belong to different sessions`);
  if (first >= second) refuse(`transaction ${first} is not earlier in its session than transaction ${second}`);
  const from = stated.isSnapshot ? stated.start(second) : stated.commit(second);
  if (from >= stated.commit(first)) refuse(`transactions ${first} and ${second} are in the order of their session`);
}
