import {
  OpKind,
  type OperationId,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countOperations,
  countTransactions,
  isEarlierStatement,
} from '@isolab/history';
import { type BaseRelation, isBaseRelation, typeOfRelation } from '@isolab/levels';
import { type Fields, integerOf, refuse, show } from '../verdict/flaw.ts';
import { BLIND, listOfOthers } from '../facts/list-tree.ts';
import { readsFrom } from '../facts/raw-facts.ts';
import { callOf, isEarlier, returnOf, timeFrom, timeTo } from '../facts/real-time.ts';
import { Rank } from '../facts/versions.ts';
import type { Premises } from './assumed.ts';
import { isSelected } from './selected.ts';
import { mayBeUnexplained } from './unexplained.ts';
import { placeIn } from '../facts/sorted.ts';

/** A step along a single relation, with its ends in the direction of the relation. */
export interface DefinitionStep {
  readonly relation: BaseRelation;
  readonly from: number;
  readonly to: number;
  readonly isInverse: boolean;
}

/**
 * Refuses unless a step belongs to its relation in every order that meets the assumptions. If a key is given, the
 * relation must be of this key.
 */
export function readStep(premises: Premises, data: Fields, onlyKey: number | null): DefinitionStep {
  premises.spend(1);
  const relation = data['relation'];
  if (typeof relation !== 'string' || !isBaseRelation(relation) || relation === 'id')
    return refuse(`the relation is ${show(relation)}, which is not a base relation`);
  const name = relation;
  const { from: sort, to: endSort } = typeOfRelation(name);
  const from = endOf(premises, sort!, data['from'], 'from');
  const to = endOf(premises, endSort!, data['to'], 'to');
  if (onlyKey !== null) {
    refuseEndOfOtherKey(premises, sort, from, onlyKey);
    refuseEndOfOtherKey(premises, endSort, to, onlyKey);
  }
  if (!holdsIn(premises, name, from, to, data, onlyKey)) refuse(`it does not follow that ${from} ${name} ${to}`);
  const isInverse = data['inverse'] === true;
  return { relation: name, from, to, isInverse };
}

/** Reads an end of a step: a transaction (initial: −1), an event (initial: −2, −1), or an external read. */
export function endOf(premises: Premises, sort: string, data: unknown, what: string): number {
  const { history, txnOf } = premises.facts;
  const n = countTransactions(history);
  if (sort === 'read') {
    const op = integerOf(data, 0, countOperations(history), what);
    if (!premises.happened(txnOf[op]) || !isExternalRead(premises, op))
      refuse(`${what} is operation ${op}, which is not an external read of a transaction that happened`);
    return op;
  }
  const end = sort === 'event' ? integerOf(data, -2, 2 * n, what) : integerOf(data, -1, n, what);
  const t = sort === 'event' ? end >> 1 : end;
  if (t >= 0 && !premises.happened(t)) refuse(`${what} belongs to transaction ${t}, which did not happen`);
  return end;
}

export function isExternalRead({ facts }: Premises, op: OperationId): boolean {
  const { opKind, opValue } = facts.history;
  if (opKind[op] === OpKind.Read) return facts.ownWrite[op] < 0 && opValue[op] !== UNKNOWN_VALUE;
  if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) return false;
  return listOfOthers(facts.history, facts.ownWrite, op) !== BLIND;
}

/** Relations of a single key connect transactions and events that use the key, and reads of the key. */
export function refuseEndOfOtherKey({ facts }: Premises, sort: string | null, end: number, key: number): void {
  const { opKey, txnStart } = facts.history;
  if (sort === 'read' && opKey[end] !== key) refuse(`operation ${end} does not read key ${key}`);
  const t = sort === 'event' ? end >> 1 : end;
  if (sort === 'read' || t < 0) return;
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKey[op] === key) return;
  refuse(`transaction ${t} does not use key ${key}`);
}

function holdsIn(
  premises: Premises,
  name: BaseRelation,
  from: number,
  to: number,
  data: Fields,
  onlyKey: number | null,
): boolean {
  const { history, txnOf } = premises.facts;
  switch (name) {
    case 'so':
      return from >= 0 && from < to && history.txnSession[from] === history.txnSession[to];
    case 'rt':
      return from >= 0 && to >= 0 && isEarlier(returnOf(history, from), callOf(history, to));
    case 'time':
      return from >= 0 && to >= 0 && isEarlier(timeFrom(history, from), timeTo(history, to));
    case 'wr': {
      const read = readGiven(premises, data['read'], onlyKey);
      return txnOf[read] === to && sees(premises, read, from);
    }
    case 'seen':
      return sees(premises, to, from);
    case 'reads':
      return txnOf[to] === from;
    case 'po':
      return txnOf[from] === txnOf[to] && isEarlierStatement(history, from, to);
    case 'same-key':
      return history.opKey[from] === history.opKey[to];
    case 'same-value':
      return history.opKey[from] === history.opKey[to] && shown(premises, from) === shown(premises, to);
    case 'conflict':
      return from >= 0 && to >= 0 && from !== to && commonKey(premises, from, to, onlyKey, () => true);
    case 'ww':
      return commonKey(premises, from, to, onlyKey, (key) => premises.isEarlierVersion(from, to, key));
    case 'rw': {
      const read = readGiven(premises, data['read'], onlyKey);
      return txnOf[read] === from && misses(premises, read, to);
    }
    case 'missed':
      return misses(premises, from, to);
    case 'co':
      return premises.order !== 'versions' && premises.commitsBefore(from, to);
    case 'before':
      return premises.order === 'events' && premises.eventBefore(from, to);
    case 'begin':
      return to === 2 * from;
    case 'commit':
      return to === 2 * from + 1;
    case '[writer]':
      return from === to && (from === -1 || premises.keys.start[from] < premises.keys.start[from + 1]);
    case '[initial]':
      return from === -1 && to === -1;
    case '[begin]':
      return from === to && from % 2 === 0;
    case '[commit]':
      return from === to && from % 2 !== 0;
    default:
      return from === to && from >= 0 && isSelected(history, name, from, txnOf);
  }
}

function readGiven(premises: Premises, data: unknown, onlyKey: number | null): number {
  const read = endOf(premises, 'read', data, 'the read');
  if (onlyKey !== null && premises.facts.history.opKey[read] !== onlyKey)
    refuse(`operation ${read} does not read key ${onlyKey}`);
  return read;
}

/**
 * Returns whether a transaction, or the initial transaction, left the version that a read saw, certainly or by
 * assumption.
 */
const sees = (premises: Premises, read: OperationId, writer: number): boolean =>
  writer >= -1 && (writerOf(premises, read) === writer || premises.assumedWriters(read).includes(writer));

/** The transaction that certainly left the version that was read; less than −1 if it is unknown. */
function writerOf({ facts, level }: Premises, read: OperationId): number {
  const { allows } = level;
  const isList = facts.history.opKind[read] === OpKind.ListRead;
  if (isList ? allows.length > 0 : mayBeUnexplained(facts, allows, read)) return -2;
  const writer = readsFrom(facts, read);
  if (writer < 0) return writer;
  return facts.versions.rank[facts.source[read]] === Rank.Last ? writer : -2;
}

/** Returns whether a transaction other than the reader overwrites the version that a read saw. */
function misses(premises: Premises, read: OperationId, t: number): boolean {
  const { history, txnOf } = premises.facts;
  if (t < 0 || t === txnOf[read]) return false;
  return [writerOf(premises, read), ...premises.assumedWriters(read)].some(
    (writer) => writer >= -1 && premises.isEarlierVersion(writer, t, history.opKey[read]),
  );
}

function commonKey(
  { keys }: Premises,
  x: number,
  y: number,
  onlyKey: number | null,
  test: (key: number) => boolean,
): boolean {
  if (y < 0) return false;
  for (let i = keys.start[y]; i < keys.start[y + 1]; i++) {
    const key = keys.item[i];
    if ((onlyKey === null || key === onlyKey) && (x < 0 || placeIn(keys, x, key) >= 0) && test(key)) return true;
  }
  return false;
}

function shown({ facts }: Premises, read: OperationId): number {
  const { history, ownWrite } = facts;
  return history.opKind[read] === OpKind.Read ? history.opValue[read] : ~listOfOthers(history, ownWrite, read);
}
