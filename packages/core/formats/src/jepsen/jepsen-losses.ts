import {
  type Atoms,
  Exchange,
  type History,
  NIL,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countAtoms,
  countKeys,
  countTransactions,
} from '@isolab/history';
import { type Lose, addingTo, anyInteger, lossesOf } from '../format/capabilities.ts';
import { countTimesLeftOut, timesAreTellable } from '../events/event-order.ts';
import type { Loss } from '../format/format.ts';
import { KeyUses } from '../format/nil-reads.ts';
import type { Notation } from './jepsen-notation.ts';
import { workloadOf } from './jepsen-workload.ts';

/** Returns the parts of a history that Jepsen's events cannot express. */
export function jepsenLosses(history: History, notation: Notation): Loss[] {
  const workload = workloadOf(history);
  const isTransactional = workload === 'transactions';
  const [keys, values] = [notation.range(history.keys), notation.range(history.values)];
  const losses = lossesOf(history, {
    operations: [
      OpKind.Read,
      OpKind.Write,
      OpKind.Append,
      OpKind.ListRead,
      ...(isTransactional ? [] : [OpKind.CompareAndSet]),
    ],
    aborted: 'yes',
    unknown: 'yes',
    emptyTransactions: true,
    emptySessions: true,
    sessionNames: anyInteger,
    keys,
    values,
    initial: workload === 'mutex' ? 'any' : null, // a lock is initially free
    nilValues: true,
    unknownReads: true, // in transactions that did not commit; the others are counted here
    times: true, // all or none, see below
  });
  const lose = addingTo(losses);
  lose('key-names', countRenamed(history.keys, notation), 'become strings');
  lose('value-names', countRenamed(history.values, notation), 'become strings');
  const hasUselessUnit = history.source.timeUnit !== 'none' && !timesAreTellable(history);
  lose('times', countTimesLeftOut(history) || (hasUselessUnit ? countTransactions(history) : 0), 'are left out');
  if (isTransactional) loseReads(history, lose);
  else loseResultsOfCalls(history, lose);
  return losses;
}

function countRenamed(atoms: Atoms, { renames, range }: Notation): number {
  const fits = range(atoms);
  let count = 0;
  for (let id = 0; id < countAtoms(atoms); id++) {
    const atom = atomOf(atoms, id);
    if (atom !== null && !(typeof atom === 'object' && atom.type === 'unknown') && !fits(atom)) return 0; // all are renumbered
    if (renames(atom)) count++;
  }
  return count;
}

/** Counts the reads that are written as nil, or left out, although they have another result. */
function loseReads(history: History, lose: Lose): void {
  const { txnStart, txnStatus, opKind, opKey, opValue, keyInitial } = history;
  const { readFrom } = buildReadFrom(history);
  const isNil = (op: number): boolean => opValue[op] === NIL || readFrom[op] === ReadFrom.Initial;
  const isList = usesOf(history, isNil).areLists(countKeys(history));
  const counts = { left: 0, forgotten: 0, nilLists: 0, unknownRegisters: 0, initialStrings: 0 };
  for (let t = 0; t < countTransactions(history); t++) {
    const isCommitted = txnStatus[t] === TxnStatus.Committed;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const id = opValue[op];
      const isRead = opKind[op] === OpKind.Read;
      if (opKind[op] === OpKind.ListRead && id === UNKNOWN_LIST) {
        if (isCommitted) counts.left++;
        else if (isList[opKey[op]] === 0) counts.unknownRegisters++;
      } else if (id === UNKNOWN_VALUE && (isRead || opKind[op] === OpKind.Write || opKind[op] === OpKind.Append)) {
        if (isCommitted || !isRead) counts.left++;
        else if (isList[opKey[op]] === 1) counts.nilLists++;
      } else if (isRead && isNil(op)) {
        if (!isCommitted) counts.forgotten++;
        if (isList[opKey[op]] === 1) counts.nilLists++;
      } else if (isRead && readFrom[op] === ReadFrom.None && id === keyInitial[opKey[op]]) counts.initialStrings++;
    }
  }
  lose('unknown-reads', counts.left, 'are left out');
  lose('unknown-reads', counts.unknownRegisters, 'of lists become operations of registers');
  lose('nil-reads', counts.forgotten, 'that did not commit become unknown');
  lose('nil-reads', counts.nilLists, 'of registers become operations of lists');
  lose('initial-values', counts.initialStrings, 'of strings with appends become plain values');
}

/** Returns the uses of the keys as the reader will infer them. */
function usesOf({ opKind, opKey, opValue }: History, isNil: (op: number) => boolean): KeyUses {
  const uses = new KeyUses();
  for (let op = 0; op < opKind.length; op++) {
    const kind = opKind[op];
    const id = opValue[op];
    if (kind === OpKind.ListRead) {
      if (id !== UNKNOWN_LIST) uses.asList(opKey[op]);
    } else if (id !== UNKNOWN_VALUE) {
      if (kind === OpKind.Append) uses.asList(opKey[op]);
      if (kind === OpKind.Write || (kind === OpKind.Read && !isNil(op))) uses.asRegister(opKey[op]);
    }
  }
  return uses;
}

/** Counts the results of calls on a register that did not succeed: such calls record only their request. */
function loseResultsOfCalls(
  { txnStart, txnStatus, opKind, opValue, exchanges, keyInitial }: History,
  lose: Lose,
): void {
  let forgotten = 0;
  let failed = 0;
  let failedOnInitial = 0;
  for (let t = 0; t < txnStatus.length; t++) {
    const op = txnStart[t];
    const id = opValue[op];
    const isCommitted = txnStatus[t] === TxnStatus.Committed;
    if (opKind[op] === OpKind.Read && !isCommitted && id !== UNKNOWN_VALUE) forgotten++;
    if (opKind[op] !== OpKind.CompareAndSet || (exchanges.flags[id] & Exchange.Failed) === 0) continue;
    if (!isCommitted) failed++;
    else if (exchanges.observed[id] === keyInitial[0] && keyInitial[0] !== NIL) failedOnInitial++;
  }
  lose('unknown-reads', forgotten, 'replace the results of reads in aborted or undecided calls');
  lose('compare-and-sets', failed, 'of aborted or undecided calls are no longer marked as failed');
  lose('initial-values', failedOnInitial, 'that failed compare-and-sets expected become plain values');
}
