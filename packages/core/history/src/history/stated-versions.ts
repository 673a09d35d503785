/**
 * Version numbers that a database states, as facts: each write also reads the version that it replaced. That expresses
 * the version order at levels where each writer of a key sees the previous version: snapshot isolation, serializability.
 */
import { nameAtom } from '../columns/atoms.ts';
import { NO_TIME, OpKind, TxnStatus } from '../columns/operation.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';
import { valueWritten } from './entries.ts';
import { type History, countOperations, countTransactions } from './history.ts';
import { nameTransaction } from './describe.ts';

export interface WithVersions {
  /** The history with a read before each write whose replaced version is stated. */
  readonly history: History;
  /** Number of these reads. */
  readonly reads: number;
  /** Number of stated versions that are not used: those of lists, of repeated values and beside unknown writes. */
  readonly left: number;
}

/** Two statements of one key that no execution makes true. */
export interface WrongVersions {
  readonly transactions: readonly number[];
  readonly text: string;
}

/** A committed write with the number of its version; a transaction's last write of the key. */
interface Written {
  readonly version: bigint;
  readonly value: number;
  readonly t: number;
  /** First write of the key in the transaction, and its version; −1 if that write has no version or reads the key. */
  readonly first: number;
  readonly from: bigint;
  /** States that an earlier write of the transaction has a higher number. */
  readonly descends: boolean;
}

export function withStatedVersions(history: History): WithVersions | WrongVersions {
  const keys = keysOf(history);
  const wrong = wrongNumbers(history, keys) ?? wrongReads(history, keys);
  if (wrong !== null) return wrong;
  const replaced = new Map<number, number>();
  let used = 0;
  for (const { isClear, hasUnstated, written } of keys.values()) {
    if (!isClear) continue;
    for (let i = 1; i < written.length; i++) {
      const [before, after] = [written[i - 1]!, written[i]!];
      // A write without a version may lie between two versions, unless their numbers follow each other.
      if (after.first < 0 || (hasUnstated && after.from !== before.version + 1n)) continue;
      used++;
      replaced.set(after.first, before.value);
    }
  }
  const stated = [...keys.values()].reduce((sum, { written }) => sum + Math.max(0, written.length - 1), 0);
  return { history: withReads(history, replaced), reads: replaced.size, left: stated - used };
}

interface StatedKey {
  /** Committed versions in the order of their numbers. */
  readonly written: Written[];
  /** States that all written values differ, so that a read identifies its version. */
  isClear: boolean;
  /** States that a version of the key may have no number. */
  hasUnstated: boolean;
  readonly versionOf: Map<number, bigint>;
}

function keysOf(history: History): ReadonlyMap<number, StatedKey> {
  const { txnStart, txnStatus, opKind, opKey, opVersion, keyInitial } = history;
  const keys = new Map<number, StatedKey>();
  for (let t = 0; t < countTransactions(history); t++) {
    const own = new Map<number, Written>();
    const others = new Set<number>();
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const value = valueWritten(history, op);
      if (value < 0 || opKind[op] === OpKind.Append) continue;
      const key = opKey[op];
      let of = keys.get(key);
      if (of === undefined) {
        of = { written: [], isClear: true, hasUnstated: false, versionOf: new Map() };
        keys.set(key, of);
      }
      const version = opVersion === null ? NO_TIME : opVersion[op]!;
      if (of.versionOf.has(value) || value === keyInitial[key]) of.isClear = false;
      of.versionOf.set(value, version);
      if (txnStatus[t] === TxnStatus.Aborted) continue;
      if (version === NO_TIME || txnStatus[t] !== TxnStatus.Committed) {
        of.hasUnstated = true;
        others.add(key);
      } else {
        const isFirst = opKind[op] === OpKind.Write && !others.has(key);
        const before = own.get(key);
        const { first = isFirst ? op : -1, from = version } = before ?? {};
        const descends = before !== undefined && (before.descends || version < before.version);
        own.set(key, { version, value, t, first, from, descends });
      }
    }
    for (const [key, each] of own) keys.get(key)!.written.push(each);
  }
  for (const { written } of keys.values()) written.sort((a, b) => (a.version < b.version ? -1 : 1));
  return keys;
}

/** Finds transactions whose versions of a key fall, have one number, or lie between each other. */
function wrongNumbers(history: History, keys: ReadonlyMap<number, StatedKey>): WrongVersions | null {
  for (const [key, { written }] of keys)
    for (let i = 0; i < written.length; i++) {
      const [a, b] = [written[Math.max(0, i - 1)]!, written[i]!];
      if (!b.descends && (i === 0 || b.from > a.version)) continue;
      const [one, other] = [a, b].map(({ t }) => nameTransaction(history, t as TransactionId));
      const name = nameAtom(history.keys, key);
      if (b.descends) return { transactions: [b.t], text: `${other} states falling versions of ${name}` };
      const how = a.version === b.version ? 'the same version' : 'versions that lie between each other';
      const text = `${one} and ${other} state ${how} of ${name}: ${a.version} and ${b.version}`;
      return { transactions: [a.t, b.t], text };
    }
  return null;
}

/** Finds a read of another version than it states. */
function wrongReads(history: History, keys: ReadonlyMap<number, StatedKey>): WrongVersions | null {
  const { txnStart, txnStatus, opKind, opKey, opValue, opVersion, keyInitial } = history;
  if (opVersion === null) return null;
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const version = opVersion[op]!;
      const of = keys.get(opKey[op]);
      if (opKind[op] !== OpKind.Read || version === NO_TIME || of === undefined || !of.isClear) continue;
      const written = of.versionOf.get(opValue[op]) ?? null;
      const [first] = of.written;
      const isInitial = opValue[op] === keyInitial[opKey[op]];
      const isWrong = isInitial
        ? first !== undefined && version >= first.from
        : written !== NO_TIME && written !== version;
      if (!isWrong || (written === null && !isInitial)) continue;
      const what = isInitial ? 'which existed before all stated versions' : `which was written as version ${written}`;
      const key = nameAtom(history.keys, opKey[op]);
      return {
        transactions: [t],
        text: `${nameTransaction(history, t as TransactionId)} read version ${version} of ${key}, ${what}`,
      };
    }
  }
  return null;
}

/** Returns the history with a read of a value before some operations. */
function withReads(history: History, replaced: ReadonlyMap<number, number>): History {
  const { txnStart, opKind, opKey, opValue, opPosition, opVersion, opStatement, source } = history;
  const count = countOperations(history) + replaced.size;
  const start = new Int32Array(txnStart.length) as IdColumn<OperationId>;
  const kind = new Uint8Array(count);
  const key = new Int32Array(count) as IdColumn<KeyId>;
  const value = new Int32Array(count);
  const position = new Uint32Array(count);
  const version = opVersion && new BigInt64Array(count).fill(NO_TIME);
  const statement = opStatement && new Int32Array(count);
  let at = 0;
  for (let t = 0; t < countTransactions(history); t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const place = opPosition === null ? (op - txnStart[t]) * source.opStride : opPosition[op];
      const before = replaced.get(op);
      if (before !== undefined) {
        [kind[at], key[at], value[at], position[at]] = [OpKind.Read, opKey[op], before, place];
        if (statement !== null) statement[at] = opStatement![op]!;
        at++;
      }
      [kind[at], key[at], value[at], position[at]] = [opKind[op], opKey[op], opValue[op]!, place];
      if (version !== null) version[at] = opVersion![op]!;
      if (statement !== null) statement[at] = opStatement![op]!;
      at++;
    }
    (start as unknown as Int32Array)[t + 1] = at;
  }
  return {
    ...history,
    txnStart: start,
    opKind: kind,
    opKey: key,
    opValue: value,
    opPosition: position,
    opVersion: version,
    opStatement: statement,
  };
}
