import {
  type History,
  type IdColumn,
  NO_TIME,
  OpKind,
  Outcome,
  type ReadFromIndex,
  type TransactionId,
  TxnStatus,
  nameAtom,
  nameTransaction,
  showOperation,
  transactionOfOperations,
} from '@isolab/history';
import { addTo } from '@isolab/graph';
import type { IndexedHistory, Warning } from '@isolab/contract';

/**
 * Finds contradictions between the reads from a database and the timestamps or version numbers that the database
 * states. These are claims: they do not affect whether a level holds, but a database that wrongly believes them will
 * violate the level one day.
 * With `fromSnapshots`, a read sees the state at its transaction's start timestamp; otherwise it sees some state
 * between that timestamp and its commit timestamp. Reads of values that several transactions may have written, and
 * operations without a claim, are skipped.
 */
export function contradictedClaims(
  { history, index }: IndexedHistory,
  { fromSnapshots, findAll }: { readonly fromSnapshots: boolean; readonly findAll: boolean },
): Warning[] {
  const { txnCommitTs, opVersion } = history;
  if (txnCommitTs === null && opVersion === null) return [];
  const reads = new Reads(history, index);
  const found = [...contradictedTimes(reads, fromSnapshots), ...contradictedVersions(reads)];
  return findAll ? found : found.slice(0, 1);
}

/** Reads of other transactions' versions, and last writes per key, of the transactions that happened. */
class Reads {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  /** 1 for every write that is its transaction's last write of the key. */
  readonly isLast: Uint8Array;
  readonly #index: ReadFromIndex;

  constructor(history: History, index: ReadFromIndex) {
    this.history = history;
    this.#index = index;
    this.txnOf = transactionOfOperations(history);
    this.isLast = findLastWrites(history, this.txnOf);
  }

  happened(t: number): boolean {
    return this.#index.outcome[t] === Outcome.Happened || this.history.txnStatus[t] === TxnStatus.Committed;
  }

  /**
   * Returns the other transaction's write that an operation read; −1 for the initial state; null for other operations.
   */
  source(op: number): number | null {
    const from = this.#index.readFrom[op];
    const { opKind } = this.history;
    if ((opKind[op] !== OpKind.Read && opKind[op] !== OpKind.ListRead) || from < -1) return null;
    return from >= 0 && this.txnOf[from] === this.txnOf[op] ? null : from;
  }
}

function findLastWrites({ opKind, opKey, keyInitial }: History, txnOf: Int32Array): Uint8Array {
  const isLast = new Uint8Array(opKind.length);
  const writer = new Int32Array(keyInitial.length).fill(-1); // by key, from the end: the transaction that wrote it
  for (let op = opKind.length - 1; op >= 0; op--) {
    if (opKind[op] !== OpKind.Write && opKind[op] !== OpKind.Append) continue;
    if (writer[opKey[op]] !== txnOf[op]) isLast[op] = 1;
    writer[opKey[op]] = txnOf[op];
  }
  return isLast;
}

function* contradictedTimes(reads: Reads, fromSnapshots: boolean): Generator<Warning> {
  const { history, txnOf } = reads;
  const { txnStartTs, txnCommitTs, opKey } = history;
  if (txnCommitTs === null) return;
  const committed = (t: number): bigint => txnCommitTs[t];
  const started = (t: number): bigint => (txnStartTs === null ? NO_TIME : txnStartTs[t]);
  const writes = writesByTime(reads, committed);
  for (let op = 0; op < txnOf.length; op++) {
    const t = txnOf[op];
    const from = reads.happened(t) ? reads.source(op) : null;
    if (from === null) continue;
    const writer = from < 0 ? (-1 as TransactionId) : txnOf[from];
    const written = writer < 0 ? NO_TIME : committed(writer);
    const latest = fromSnapshots && started(t) !== NO_TIME ? started(t) : committed(t);
    if (written !== NO_TIME && latest !== NO_TIME && written > latest) {
      const did = latest === committed(t) ? 'committed' : 'started';
      yield timestamp(
        [writer, t],
        `${saw(reads, op)} was written by ${nameTransaction(history, writer)}, which claims to have committed at ${written}; the reader claims to have ${did} at ${latest}.`,
      );
      continue;
    }
    if (started(t) === NO_TIME || (writer >= 0 && written === NO_TIME)) continue;
    const newer = latestBefore(writes.get(opKey[op]) ?? [], started(t), committed, txnOf, t);
    if (newer < 0 || newer === from || (writer >= 0 && committed(txnOf[newer]) <= written)) continue;
    const by = txnOf[newer];
    yield timestamp(
      [writer, by, t],
      `${saw(reads, op)} was overwritten by ${showOperation(history, newer)} of ${nameTransaction(history, by)}, which claims to have committed at ${committed(by)}; the reader claims to have started at ${started(t)}.`,
    );
  }
}

/** Groups the last writes of transactions with a claimed commit time by key, in the order of these times. */
function writesByTime(reads: Reads, committed: (t: number) => bigint): Map<number, number[]> {
  const { history, txnOf } = reads;
  const writes = new Map<number, number[]>();
  for (let op = 0; op < txnOf.length; op++) {
    const t = txnOf[op];
    if (committed(t) === NO_TIME || reads.isLast[op] === 0 || !reads.happened(t)) continue;
    addTo(writes, history.opKey[op], op);
  }
  for (const own of writes.values())
    own.sort((a, b) =>
      committed(txnOf[a]) < committed(txnOf[b]) ? -1 : committed(txnOf[a]) > committed(txnOf[b]) ? 1 : a - b,
    );
  return writes;
}

/** Returns the last of these writes that another transaction claims to have committed before a time, or −1. */
function latestBefore(
  writes: readonly number[],
  time: bigint,
  committed: (t: number) => bigint,
  txnOf: Int32Array,
  except: number,
): number {
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (committed(txnOf[writes[middle]]) < time) low = middle + 1;
    else high = middle;
  }
  while (low > 0 && txnOf[writes[low - 1]] === except) low--;
  return low > 0 ? writes[low - 1] : -1;
}

/** Yields violations of the rule that each version has one number and each number one version, per key. */
function* contradictedVersions(reads: Reads): Generator<Warning> {
  const { history, txnOf } = reads;
  const { opVersion, opKey } = history;
  if (opVersion === null) return;
  const byNumber = new Map<string, { op: number; source: number }>();
  const bySource = new Map<string, number>();
  for (let op = 0; op < txnOf.length; op++) {
    if (opVersion[op] === NO_TIME || !reads.happened(txnOf[op])) continue;
    const source = reads.isLast[op] === 1 ? op : reads.source(op);
    if (source === null) continue;
    const number = `${opKey[op]} ${opVersion[op]}`;
    const version = `${opKey[op]} ${source}`;
    const same = byNumber.get(number);
    const other = bySource.get(version);
    if (same !== undefined && same.source !== source)
      yield versionNumber(reads, same.op, op, `claim one version number, ${opVersion[op]}, for different versions`);
    else if (other !== undefined && opVersion[other] !== opVersion[op])
      yield versionNumber(
        reads,
        other,
        op,
        `claim the version numbers ${opVersion[other]} and ${opVersion[op]} for one version`,
      );
    byNumber.set(number, same ?? { op, source });
    bySource.set(version, other ?? op);
  }
}

const saw = ({ history, txnOf }: Reads, op: number): string =>
  `What ${showOperation(history, op)} of ${nameTransaction(history, txnOf[op])} saw`;

const timestamp = (transactions: readonly number[], text: string): Warning => ({
  name: 'contradicted-timestamp',
  transactions: [...new Set(transactions.filter((t) => t >= 0))],
  text,
});

function versionNumber({ history, txnOf }: Reads, first: number, second: number, text: string): Warning {
  const [a, b] = [first, second].map((op) => `${showOperation(history, op)} of ${nameTransaction(history, txnOf[op])}`);
  const transactions = [...new Set([txnOf[first], txnOf[second]])];
  return {
    name: 'contradicted-version',
    transactions,
    text: `${a} and ${b} ${text} of ${nameAtom(history.keys, history.opKey[first])}.`,
  };
}
