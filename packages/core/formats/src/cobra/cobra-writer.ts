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
import { BOUNDARY_BYTES, Letter, READ_BYTES, Special, WRITE_BYTES, isMarker } from './cobra-records.ts';
import type { HistoryWriter } from '../format/format.ts';
import { areLogNumbers } from '../files/numbered-logs.ts';
import type { ByteSink, Output } from '../files/output.ts';

/** Writes in write-id mode: a value is the id of its write. Other reads name a transaction that no log contains. */
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
    emptySessions: txnStatus.length > 0, // only not all of them
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

  const writeRead = (log: RecordLog, op: number): void => {
    const value = opValue[op];
    if (value === UNKNOWN_VALUE) log.read(MISSING, MISSING, key(opKey[op]), 0n);
    else if (value === NIL) log.read(NULL, NULL, key(opKey[op]), 0n);
    else if (readFrom[op] === ReadFrom.Initial)
      log.read(INITIAL, INITIAL, key(opKey[op]), hashOf(atomOf(values, value)));
    else {
      const writer = readFrom[op] >= 0 ? name(txnOf[readFrom[op]]) : id(value);
      log.read(writer, id(value), key(opKey[op]), id(value));
    }
  };
  const writeWrite = (log: RecordLog, op: number): void => {
    const value = opValue[op];
    if (value === NIL) log.write(DELETED, key(opKey[op]), 0n);
    else if (value !== UNKNOWN_VALUE) log.write(id(value), key(opKey[op]), id(value));
  };

  for (let s = 0; s < countSessions(history); s++) {
    const number = can.sessionNames === 'ordinal' ? BigInt(s) : (atomOf(sessionNames, s) as bigint);
    const log = new RecordLog(await output.fileIn(`T${number}.log`));
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      log.boundary(Letter.Start, name(t));
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] === OpKind.Read) writeRead(log, op);
        else if (opKind[op] === OpKind.Write) writeWrite(log, op);
      }
      if (txnStatus[t] === TxnStatus.Committed) log.boundary(Letter.Commit, name(t));
      else if (txnStatus[t] === TxnStatus.Aborted || can.unknown !== 'yes') log.boundary(Letter.Abort, name(t));
      await log.flush(BATCH_BYTES);
    }
    await log.close();
  }
}

/** Records on their way to a file. */
class RecordLog {
  readonly #sink: ByteSink;
  #bytes = Buffer.allocUnsafe(2 * BATCH_BYTES);
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  boundary(letter: number, txn: bigint): void {
    this.#begin(letter, BOUNDARY_BYTES);
    this.#put(txn);
  }

  write(id: bigint, key: bigint, hash: bigint): void {
    this.#begin(Letter.Write, WRITE_BYTES);
    this.#put(id);
    this.#put(key);
    this.#put(hash);
  }

  read(writer: bigint, id: bigint, key: bigint, hash: bigint): void {
    this.#begin(Letter.Read, READ_BYTES);
    this.#put(writer);
    this.#put(id);
    this.#put(key);
    this.#put(hash);
  }

  /** Hands over the buffered bytes if there are at least `atLeast`. The sink may keep them, so a new buffer follows. */
  async flush(atLeast: number): Promise<void> {
    if (this.#length < atLeast) return;
    const batch = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(2 * BATCH_BYTES);
    this.#length = 0;
    await this.#sink.write(batch);
  }

  async close(): Promise<void> {
    await this.flush(1);
    await this.#sink.close();
  }

  #begin(letter: number, size: number): void {
    if (this.#length + size > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    this.#bytes[this.#length++] = letter;
  }

  #put(number: bigint): void {
    this.#length = this.#bytes.writeBigInt64BE(number, this.#length);
  }
}

/** The hash of an initial value; where it is no number, that of a value that the key had all the same. */
const hashOf = (value: Atom): bigint => (signed64(value) ? (value as bigint) : 0n);

const INITIAL = BigInt(Special.Initial >>> 0);
const NULL = BigInt(Special.Null >>> 0);
const DELETED = BigInt(Special.Deleted >>> 0);
const MISSING = BigInt(Special.Missing >>> 0);
const BATCH_BYTES = 1 << 16;
