/** Gathers the reads whose writer or existence is a choice, with their candidates in the order of a guess. */
import { INITIAL_TXN, type LevelName, levelsForbidding } from '@isolab/contract';
import {
  type History,
  type InternalAnomaly,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
  countKeys,
  transactionOf,
} from '@isolab/history';
import { NO_SOURCE } from '@isolab/graph/relations';
import { findImpossible, versionName } from '../../../problem/optional.ts';
import { lastWriteOf } from '../edges/facts.ts';
import { type Version, mayHaveHappened, versionsNamed } from './versions.ts';

/** A read whose writer or existence is a choice, with all other reads that must see an equal version. */
export interface OpenRead {
  readonly reader: number;
  readonly operations: number[];
  readonly version: Version;
  /** Place among all open reads. */
  readonly number: number;
  /** The writer of the guess, or NO_SOURCE if there is no candidate. */
  readonly guess: number;
  /** The operation of that writer, or ReadFrom.Initial. */
  readonly guessedWrite: number;
}

/** All open reads of a history at a level. */
export interface OpenReads {
  readonly reads: readonly OpenRead[];
  /** First read of each transaction, with one extra slot. */
  readonly start: Int32Array;
  readonly readOf: Int32Array;
  /** 1 for each transaction that may or may not have happened, by choice. */
  readonly optional: Uint8Array;
  /** Optional transactions that contradict themselves. */
  readonly impossible: ReadonlyMap<number, InternalAnomaly>;
  /** Place of each transaction in the guessed order. */
  readonly rank: Int32Array;
}

/** Gathers open reads. `order` has all transactions, in an order that is a guess at the real execution. */
export function gatherOpenReads(
  history: History,
  index: ReadFromIndex,
  level: LevelName,
  order: Int32Array,
): OpenReads {
  const optional = mayHaveHappened(history, index);
  const isForbidden = ({ name }: InternalAnomaly): boolean => levelsForbidding(name).includes(level);
  const impossible = findImpossible(history, index, isForbidden);
  const { operations, start, readOf } = groupReads(history, index, optional, !level.startsWith('read-committed'));
  const ambiguous = operations.filter(([op]) => index.readFrom[op!] === ReadFrom.Ambiguous);
  const names = new Set(ambiguous.map(([op]) => versionName(history, op!)));
  const versions = versionsNamed(history, order, impossible, names);
  const rank = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) rank[order[i]] = i;
  const reads = operations.map((group, number) => {
    const op = group[0]!;
    const reader = transactionOf(history, op);
    const version = versions.get(versionName(history, op)) ?? onlyVersion(history, index.readFrom[op]!, impossible);
    const guess = byPreference(reader, version, rank).next().value ?? NO_SOURCE;
    const guessedWrite = guess < 0 ? ReadFrom.Initial : lastWriteOf(history, guess, history.opKey[op]!);
    return { reader, operations: group, version, number, guess, guessedWrite };
  });
  return { reads, start, readOf, optional, impossible, rank };
}

/** Returns the version of a read that can only have seen one write. */
function onlyVersion(history: History, from: number, impossible: ReadonlyMap<number, unknown>): Version {
  if (from === ReadFrom.Initial) return { writers: [INITIAL_TXN], impossible: [] };
  const writer = from < 0 ? -1 : transactionOf(history, from);
  if (writer < 0 || history.txnStatus[writer] === TxnStatus.Aborted) return { writers: [], impossible: [] };
  return impossible.has(writer) ? { writers: [], impossible: [writer] } : { writers: [writer], impossible: [] };
}

/**
 * Groups ambiguous reads from other transactions, and all reads of optional transactions. Where a transaction must see
 * one version of a key, its reads of the key with equal values form one group.
 */
function groupReads(history: History, index: ReadFromIndex, optional: Uint8Array, areRepeatable: boolean) {
  const { txnStart, opKind, opKey, opValue } = history;
  const { outcome, readFrom } = index;
  const operations: number[][] = [];
  const start = new Int32Array(optional.length + 1);
  const readOf = new Int32Array(opKind.length).fill(-1);
  const latest = new Int32Array(countKeys(history)).fill(-1); // by key: its latest open read
  const writer = new Int32Array(countKeys(history)).fill(-1);
  for (let t = 0; t < optional.length; t++) {
    start[t] = operations.length;
    if (outcome[t] !== Outcome.Happened && optional[t] === 0) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) writer[key] = t;
      if (opKind[op] !== OpKind.Read || readFrom[op] === ReadFrom.None || writer[key] === t) continue;
      if (optional[t] === 0 && readFrom[op] !== ReadFrom.Ambiguous) continue;
      const known = areRepeatable && latest[key] >= start[t] ? latest[key] : -1;
      if (known >= 0 && opValue[operations[known]![0]!] === opValue[op]) {
        operations[known]!.push(op);
        readOf[op] = known;
      } else {
        latest[key] = readOf[op] = operations.push([op]) - 1;
      }
    }
  }
  start[optional.length] = operations.length;
  return { operations, start, readOf };
}

/** Yields the possible writers of a read: backwards from the reader in the guessed order, then the later writers. */
export function* byPreference(reader: number, { writers }: Version, rank: Int32Array): Generator<number, undefined> {
  const placeOf = (t: number): number => (t === INITIAL_TXN ? -1 : rank[t]);
  const place = rank[reader];
  let low = 0;
  let high = writers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(writers[middle]!) < place) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) yield writers[i]!;
  for (let i = low; i < writers.length; i++) if (writers[i] !== reader) yield writers[i]!;
}
