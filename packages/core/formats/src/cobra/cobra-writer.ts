import {
  type Atom,
  type Atoms,
  type History,
  NIL,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  atomIdentity,
  atomOf,
  buildReadFrom,
  countAtoms,
  countSessions,
  transactionOfOperations,
} from '@isolab/history';
import { type Capabilities, type AtomRange, lossesOf, signed64, spelling } from '../format/capabilities.ts';
import { isMarker, Letter, Special } from './cobra-records.ts';
import type { HistoryWriter } from '../format/format.ts';
import { areLogNumbers } from '../files/numbered-logs.ts';
import type { Output } from '../files/output.ts';
import { BinaryFile } from '../files/binary-file.ts';

/**
 * Writes in write-id mode: a value is the id of its write. Reads of any other value name a transaction that no log
 * contains.
 */
export const cobraWriter: HistoryWriter = {
  losses: (history) => lossesOf(history, capabilities(history)),
  write,
};

const ids: AtomRange = (atom) => signed64(atom) && !isMarker(atom as bigint);

function capabilities({ sessionNames, txnNames, txnStatus, txnSession }: History): Capabilities {
  // Only the last transaction of a log can be left open.
  const openEnds = txnStatus.every((status, t) => status !== TxnStatus.Unknown || txnSession[t + 1] !== txnSession[t]);
  return {
    aborted: 'yes',
    unknown: openEnds ? 'yes' : 'aborted',
    emptyTransactions: true,
    emptySessions: txnStatus.length > 0, // unless all sessions are empty
    sessionNames: areLogNumbers(sessionNames) ? signed64 : 'ordinal',
    transactionNames: txnNames !== null && areDistinct(txnNames) ? ids : 'ordinal',
    keys: signed64,
    values: ids,
    initial: null,
    nilValues: true,
    unknownReads: true,
  };
}

function areDistinct(names: Atoms): boolean {
  const seen = new Set<string>();
  for (let t = 0; t < countAtoms(names); t++) seen.add(atomIdentity(atomOf(names, t)));
  return seen.size === countAtoms(names);
}

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStart, txnStatus, txnNames, opKind, opKey, opValue, values, sessionNames } = history;
  const { readFrom } = buildReadFrom(history);
  const txnOf = transactionOfOperations(history);
  const can = capabilities(history);
  const key = spelling(history.keys, can.keys, 0n);
  const id = spelling(values, can.values, 1n, UNKNOWN_VALUE + 1);
  const named = txnNames !== null && can.transactionNames !== 'ordinal';
  const name = named ? spelling(txnNames, ids, 1n) : (t: number): bigint => BigInt(t + 1);

  const writeRead = (log: BinaryFile, op: number): void => {
    const value = opValue[op];
    if (value === UNKNOWN_VALUE) record(log, Letter.Read, MISSING, MISSING, key(opKey[op]), 0n);
    else if (value === NIL) record(log, Letter.Read, NULL, NULL, key(opKey[op]), 0n);
    else if (readFrom[op] === ReadFrom.Initial)
      record(log, Letter.Read, INITIAL, INITIAL, key(opKey[op]), hashOf(atomOf(values, value)));
    else {
      const writer = readFrom[op] >= 0 ? name(txnOf[readFrom[op]]) : id(value);
      record(log, Letter.Read, writer, id(value), key(opKey[op]), id(value));
    }
  };
  const writeWrite = (log: BinaryFile, op: number): void => {
    const value = opValue[op];
    if (value === NIL) record(log, Letter.Write, DELETED, key(opKey[op]), 0n);
    else if (value !== UNKNOWN_VALUE) record(log, Letter.Write, id(value), key(opKey[op]), id(value));
  };

  for (let s = 0; s < countSessions(history); s++) {
    const number = can.sessionNames === 'ordinal' ? BigInt(s) : (atomOf(sessionNames, s) as bigint);
    const log = new BinaryFile(await output.fileIn(`T${number}.log`));
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      record(log, Letter.Start, name(t));
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] === OpKind.Read) writeRead(log, op);
        else if (opKind[op] === OpKind.Write) writeWrite(log, op);
      }
      if (txnStatus[t] === TxnStatus.Committed) record(log, Letter.Commit, name(t));
      else if (txnStatus[t] === TxnStatus.Aborted || can.unknown !== 'yes') record(log, Letter.Abort, name(t));
      await log.flush();
    }
    await log.close();
  }
}

function record(log: BinaryFile, letter: number, ...numbers: readonly bigint[]): void {
  log.byte(letter);
  for (const number of numbers) log.bigEndian(number);
}

/** The hash of an initial value, or 0 where the value is not a number. */
const hashOf = (value: Atom): bigint => (signed64(value) ? (value as bigint) : 0n);

const INITIAL = BigInt(Special.Initial >>> 0);
const NULL = BigInt(Special.Null >>> 0);
const DELETED = BigInt(Special.Deleted >>> 0);
const MISSING = BigInt(Special.Missing >>> 0);
