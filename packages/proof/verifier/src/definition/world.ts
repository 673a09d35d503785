import {
  EMPTY_LIST,
  type History,
  type IdColumn,
  OpKind,
  type OperationId,
  type TransactionId,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countKeys,
  keysInOrder,
} from '@isolab/history';
import type { AllowedRead, LevelDefinition } from '@isolab/levels';
import { eachOf, type Fields, integerOf, listOf, refuse } from '../verdict/flaw.ts';
import { refuseAnomalousRead } from '../facts/internal.ts';
import { keysWritten, writersByKey, writersInOrder } from '../facts/last-writes.ts';
import { BLIND, completersOfLists, holdsLists, listOfOthers } from '../facts/list-tree.ts';
import { readCommitOrder, readEventOrder } from '../facts/orders.ts';
import { NOT_FROM_ANOTHER, type RawFacts, Saw, factsGiven, readsFrom } from '../facts/raw-facts.ts';
import { NOT_STATED, statedSources } from '../facts/stated-sources.ts';
import { Rank } from '../facts/versions.ts';
import { refuseUnlessTheyHappened } from './needed.ts';
import { mayBeUnexplained } from './unexplained.ts';
import { type Rows, placeIn } from '../facts/sorted.ts';

/** Events in the order of a certificate, and the writers that reads saw. Transaction n is the initial transaction. */
export interface World {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly happened: Uint8Array;
  /** 1 for transactions with at least one write. */
  readonly isWriter: Uint8Array;
  /**
   * The keys that each transaction writes, ascending, and the position of each version among the versions of its key.
   */
  readonly keys: Rows;
  readonly placeOfVersion: Int32Array;
  /** The writers of each key, in the order of their versions. */
  readonly versions: Rows;
  /** The transactions in commit order, and the events; empty where the level has no such order. */
  readonly commits: Int32Array;
  readonly events: Int32Array;
  readonly placeOfCommit: Int32Array;
  readonly placeOfEvent: Int32Array;
  /** Transaction that each operation reads from (−1: the initial transaction), or one of the two constants below. */
  readonly from: Int32Array;
  /** Number that identifies the result of each reading operation. */
  readonly shown: Int32Array;
  /** For a part of a world: the original numbers of its transactions and operations. */
  readonly names?: { readonly txns: Int32Array; readonly ops: Int32Array };
}

/**
 * Replaces a writer: NO_READ for operations that are not external reads with a known result, the other constant for
 * allowed reads of versions that no transaction left.
 */
export const NO_READ = -3;
export const NO_WRITER = -2;

export function readWorld(history: History, level: LevelDefinition, certificate: Fields): World {
  const orders = readOrders(history, level, certificate);
  const { happened, versions } = orders;
  const keys = keysWritten(history, happened);
  const placeOfVersion = new Int32Array(keys.item.length);
  for (let key = 0; key + 1 < versions.start.length; key++)
    for (let i = versions.start[key]; i < versions.start[key + 1]; i++)
      placeOfVersion[rowOf(keys, versions.item[i], key)] = i;
  const facts = factsGiven(history, happened);
  if (level.allows.length > 0) refuseUnlessTheyHappened(facts);
  const comesBefore: WritesBefore = (t, other, key) => {
    const row = rowOf(keys, t, key);
    return row >= 0 && placeOfVersion[row] < placeOfVersion[rowOf(keys, other, key)];
  };
  const reads = readsOf(facts, level, versions, certificate['sources'], comesBefore);
  return { history, txnOf: facts.txnOf, ...orders, isWriter: writersIn(keys), keys, placeOfVersion, ...reads };
}

export const writersIn = ({ start }: Rows): Uint8Array =>
  Uint8Array.from({ length: start.length - 1 }, (_, t) => (start[t] < start[t + 1] ? 1 : 0));

/**
 * Index of a transaction's key among all written keys; −1 if the transaction does not write it, as for the initial
 * transaction.
 */
export const rowOf = (keys: Rows, t: number, key: number): number =>
  t < 0 || t + 1 >= keys.start.length ? -1 : placeIn(keys, t, key);

/** Whether a transaction writes a key before another writer of the key. */
type WritesBefore = (t: number, other: number, key: number) => boolean;

type Orders = Pick<World, 'happened' | 'versions' | 'commits' | 'events' | 'placeOfCommit' | 'placeOfEvent'>;

function readOrders(history: History, level: LevelDefinition, certificate: Fields): Orders {
  const { kind } = certificate;
  if (kind === 'event-order') {
    const { events, position } = readEventOrder(history, certificate['events']);
    const commits = events.filter((event) => event % 2 === 1).map((event) => event >> 1);
    const placeOfCommit = new Int32Array(position.length >> 1);
    for (let t = 0; t < placeOfCommit.length; t++) placeOfCommit[t] = position[2 * t + 1];
    return { ...byCommits(history, commits, placeOfCommit), events, placeOfEvent: position };
  }
  if (level.order === 'events')
    return refuse(`the certificate is not of kind "event-order", but ${level.name} is about begins and commits`);
  if (kind === 'commit-order') {
    const { order, position } = readCommitOrder(history, certificate['order']);
    return { ...byCommits(history, order, position), events: NONE, placeOfEvent: NONE };
  }
  if (kind !== 'version-orders') return refuse('the certificate is not an order');
  if (level.order !== 'versions')
    return refuse(`orders of versions do not determine the order that ${level.name} needs`);
  return readVersionOrders(history, certificate);
}

const NONE = new Int32Array(0);

function byCommits(history: History, commits: Int32Array, placeOfCommit: Int32Array) {
  const happened = Uint8Array.from(placeOfCommit, (place) => (place < 0 ? 0 : 1));
  const versions = writersInOrder(history, happened, placeOfCommit);
  return { happened, versions, commits, placeOfCommit };
}

function readVersionOrders(history: History, certificate: Fields): Orders {
  const { position } = readCommitOrder(history, certificate['happened']);
  const happened = Uint8Array.from(position, (place) => (place < 0 ? 0 : 1));
  const versions = writersByKey(history, happened);
  const isOrdered = new Uint8Array(countKeys(history));
  const nameEntry = (number: number): string => `entry ${number} of the orders`;
  eachOf(certificate['orders'], 'the list of orders', nameEntry, (order) =>
    readVersionOrder(versions, isOrdered, listOf(order, 'it'), happened.length),
  );
  for (let key = 0; key < isOrdered.length; key++)
    if (isOrdered[key] === 0 && versions.start[key + 1] - versions.start[key] > 1)
      refuse(`the orders leave out key ${key}, which several transactions write`);
  refuseOtherOrders(history, versions);
  return { happened, versions, commits: NONE, events: NONE, placeOfCommit: NONE, placeOfEvent: NONE };
}

/** Refuses unless the key of a row and a predicate has the order of the row. */
function refuseOtherOrders(history: History, { start, item }: Rows): void {
  keysInOrder(history).forEach((row, key) => {
    if (row === key) return;
    for (let i = start[key]; i < start[key + 1]; i++)
      if (item[i] !== item[start[row] + i - start[key]])
        refuse(`key ${key} states whether row ${row} matches, but has another order than the row`);
  });
}

function readVersionOrder(versions: Rows, isOrdered: Uint8Array, pair: readonly unknown[], numTxns: number): void {
  const key = integerOf(pair[0], 0, isOrdered.length, 'the key');
  const writers = listOf(pair[1], 'the order');
  const row = versions.item.subarray(versions.start[key], versions.start[key + 1]);
  if (isOrdered[key] === 1) refuse(`key ${key} has two orders`);
  isOrdered[key] = 1;
  const given = writers.map((writer, i) => integerOf(writer, 0, numTxns, `entry ${i + 1} of the order`));
  const sorted = given.toSorted((a, b) => a - b);
  if (sorted.length !== row.length || sorted.some((t, i) => t !== row[i]))
    refuse(`the order of key ${key} does not list each writer of the key exactly once`);
  row.set(given);
}

/** Returns the writer that each read saw. Refuses reads that the level does not allow. */
function readsOf(
  facts: RawFacts,
  level: LevelDefinition,
  versions: Rows,
  sources: unknown,
  comesBefore: WritesBefore,
): Pick<World, 'from' | 'shown'> {
  const { history, txnOf, happened, ownWrite } = facts;
  const { opKind, opValue } = history;
  const isAllowed = (read: OperationId): boolean => mayBeUnexplained(facts, level.allows, read);
  const stated = sources === undefined ? null : statedSources(facts, sources, isAllowed);
  const from = new Int32Array(opKind.length).fill(NO_READ);
  const shown = new Int32Array(opKind.length);
  const completer = holdsLists(history) ? completersOfLists(history, versions) : NONE;
  for (let op = 0; op < opKind.length; op++) {
    if (happened[txnOf[op]] === 0) continue;
    if (opKind[op] === OpKind.Read && opValue[op] !== UNKNOWN_VALUE) {
      from[op] = writerSeen(facts, level, op, stated);
      shown[op] = opValue[op];
    } else if (opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST) {
      const list = listOfOthers(history, ownWrite, op);
      from[op] = listSeen(facts, level, op, list, completer, comesBefore);
      shown[op] = ~list;
    }
  }
  return { from, shown };
}

function writerSeen(facts: RawFacts, level: LevelDefinition, op: OperationId, stated: Int32Array | null): number {
  const { history, txnOf, ownWrite } = facts;
  const t = txnOf[op];
  if (ownWrite[op] >= 0) {
    if (history.opValue[ownWrite[op]] !== history.opValue[op] && !level.allows.includes('blind-reads'))
      refuse(`operation ${op} of transaction ${t} does not see the write of its own transaction to its key`);
    return NO_READ;
  }
  if (level.allows.includes('thin-air-reads')) return NO_WRITER;
  if (stated !== null && stated[op] !== NOT_STATED) return stated[op];
  if (isLeftByAnother(facts, op)) return readsFrom(facts, op);
  const kind = kindOfRead(facts, op);
  if (kind !== null && level.allows.includes(kind)) return NO_WRITER;
  refuseAnomalousRead(facts, t, op);
  return refuse(`operation ${op} of transaction ${t} does not see a version that another transaction left`);
}

/**
 * The kind of allowed read for a version that no transaction left; null for a version that several transactions may
 * have left.
 */
function kindOfRead({ source, txnOf, versions }: RawFacts, op: OperationId): AllowedRead | null {
  const write = source[op];
  if (write < 0) return write === Saw.ThinAir ? 'thin-air-reads' : null;
  if (txnOf[write] === txnOf[op]) return 'future-reads';
  return versions.rank[write] === Rank.InPassing ? 'intermediate-reads' : 'aborted-reads';
}

/** Returns whether a read certainly saw the version of another transaction, or the initial version. */
function isLeftByAnother(facts: RawFacts, op: OperationId): boolean {
  const from = readsFrom(facts, op);
  if (from === NOT_FROM_ANOTHER) return false;
  return from === -1 || facts.versions.rank[facts.source[op]] === Rank.Last;
}

function listSeen(
  facts: RawFacts,
  level: LevelDefinition,
  op: OperationId,
  list: number,
  completer: Int32Array,
  comesBefore: WritesBefore,
): number {
  const t = facts.txnOf[op];
  if (list === BLIND) {
    if (!level.allows.includes('blind-reads'))
      refuse(`operation ${op} of transaction ${t} does not end with the earlier appends of transaction ${t}`);
    return NO_READ;
  }
  if (level.allows.includes('thin-air-reads')) return NO_WRITER;
  if (list === EMPTY_LIST) return -1;
  if (completer[list] >= 0 && completer[list] !== t) {
    if (comesBefore(t, completer[list], facts.history.opKey[op]))
      refuse(`operation ${op} of transaction ${t} sees appends of transaction ${t} itself among the appends of others`);
    return completer[list];
  }
  if (!LISTS_OF_ALL_KINDS.every((kind) => level.allows.includes(kind)))
    refuse(`operation ${op} of transaction ${t} sees a list that no other transaction completes in the order`);
  return NO_WRITER;
}

const LISTS_OF_ALL_KINDS: readonly AllowedRead[] = [
  'aborted-reads',
  'intermediate-reads',
  'future-reads',
  'thin-air-reads',
];
