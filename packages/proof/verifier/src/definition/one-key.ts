import type { History, IdColumn, KeyId, OperationId, TransactionId } from '@isolab/history';
import { NO_READ, type World } from './world.ts';
import { lowerBound, type Rows, sortedBy } from '../facts/sorted.ts';

/** The world of a single key: the transactions that use it and their operations on it, in separate numbers. */
export interface WorldOfKey extends World {
  /** The original numbers of its transactions and operations, ascending. */
  readonly names: { readonly txns: Int32Array; readonly ops: Int32Array };
}

/** The history of a single key: the transactions that use it, with their operations on it. */
export interface HistoryOfKey {
  readonly history: History;
  /** The original numbers of its transactions and operations, ascending. */
  readonly txns: Int32Array;
  readonly ops: Int32Array;
}

/** Extracts the history of each key in time proportional to the operations on the key. */
export class HistoriesOfKeys {
  readonly #history: History;
  readonly #txnOf: IdColumn<TransactionId>;
  readonly #ops: Rows;

  constructor(history: History, txnOf: IdColumn<TransactionId>) {
    this.#history = history;
    this.#txnOf = txnOf;
    this.#ops = operationsByKey(history, () => true);
  }

  of(key: number): HistoryOfKey {
    const { keys } = this.#history;
    const ops = this.#ops.item.subarray(this.#ops.start[key], this.#ops.start[key + 1]);
    const { txns, txnStart } = usersOf(ops, this.#txnOf);
    const history = historyOfKey(this.#history, key, txns, txnStart, ops);
    const [type, lo, hi] = [keys.type, keys.lo, keys.hi].map((column) => column.slice(key, key + 1));
    return { history: { ...history, keys: { ...keys, type, lo, hi } as History['keys'] }, txns, ops };
  }
}

/** Extracts the world of each key in time proportional to the operations on the key. */
export class WorldsOfKeys {
  readonly #world: World;
  /** The operations of transactions that happened, grouped by key, ascending. */
  readonly #ops: Rows;

  constructor(world: World) {
    this.#world = world;
    this.#ops = operationsByKey(world.history, (op) => world.happened[world.txnOf[op]] === 1);
  }

  /** The keys that transactions that happened use. */
  used(): number[] {
    const { start } = this.#ops;
    return Array.from({ length: start.length - 1 }, (_, key) => key).filter((key) => start[key] < start[key + 1]);
  }

  of(key: number): WorldOfKey {
    const world = this.#world;
    const ops = this.#ops.item.subarray(this.#ops.start[key], this.#ops.start[key + 1]);
    const { txns, txnStart } = usersOf(ops, world.txnOf);
    const local = (t: number): number => lowerBound(txns, 0, txns.length, t);
    const writers = world.versions.item.subarray(world.versions.start[key], world.versions.start[key + 1]).map(local);
    return {
      history: historyOfKey(world.history, key, txns, txnStart, ops),
      txnOf: ops.map((op) => local(world.txnOf[op])) as IdColumn<TransactionId>,
      happened: new Uint8Array(txns.length).fill(1),
      isWriter: Uint8Array.from(txns, (t) => world.isWriter[t]),
      ...versionsOf(writers, txns.length),
      ...ordersOf(world, txns),
      from: ops.map((op) => (world.from[op] < 0 ? world.from[op] : local(world.from[op]))),
      shown: ops.map((op) => world.shown[op]),
      names: { txns, ops },
    };
  }
}

/** Returns the transactions of some operations, and the position where each of them begins. */
function usersOf(
  ops: Int32Array,
  txnOf: IdColumn<TransactionId>,
): { readonly txns: Int32Array; readonly txnStart: Int32Array } {
  const firsts = ops.map((_, i) => i).filter((i) => i === 0 || txnOf[ops[i]] !== txnOf[ops[i - 1]]);
  return { txns: firsts.map((i) => txnOf[ops[i]]), txnStart: Int32Array.of(...firsts, ops.length) };
}

const operationsByKey = ({ opKey, keyInitial }: History, isThere: (op: OperationId) => boolean): Rows =>
  sortedBy(Int32Array.from(opKey.keys()).filter(isThere), opKey, keyInitial.length);

function historyOfKey(history: History, key: number, txns: Int32Array, txnStart: Int32Array, ops: Int32Array): History {
  const { txnStatus, txnSession, txnLevels, txnBegin, txnBegun, txnCommitting, txnEnd } = history;
  const { opKind, opValue, opStatement, keyInitial } = history;
  const times = (column: BigInt64Array | null) => column && BigInt64Array.from(txns, (t) => column[t]);
  const sessions = txns.map((t) => txnSession[t]);
  const firsts = sessions.map((_, t) => t).filter((t) => t === 0 || sessions[t] !== sessions[t - 1]);
  return {
    ...history,
    txnStatus: Uint8Array.from(txns, (t) => txnStatus[t]),
    txnSession: sessions,
    sessionStart: Int32Array.of(...firsts, txns.length) as IdColumn<TransactionId>,
    txnLevels: txnLevels && { ...txnLevels, of: Uint8Array.from(txns, (t) => txnLevels.of[t]) },
    txnBegin: times(txnBegin),
    txnBegun: times(txnBegun),
    txnCommitting: times(txnCommitting),
    txnEnd: times(txnEnd),
    opPosition: null,
    opVersion: null,
    opStatement: opStatement && Int32Array.from(ops, (op) => opStatement[op]),
    txnStart,
    opKind: Uint8Array.from(ops, (op) => opKind[op]),
    opKey: new Int32Array(ops.length) as IdColumn<KeyId>,
    opValue: ops.map((op) => opValue[op]),
    keyInitial: keyInitial.slice(key, key + 1),
  };
}

function versionsOf(writers: Int32Array, numTxns: number): Pick<World, 'keys' | 'versions' | 'placeOfVersion'> {
  const start = new Int32Array(numTxns + 1);
  for (const t of writers) start[t + 1] = 1;
  for (let t = 0; t < numTxns; t++) start[t + 1] += start[t];
  const placeOfVersion = new Int32Array(writers.length);
  writers.forEach((t, place) => (placeOfVersion[start[t]] = place));
  return {
    keys: { start, item: new Int32Array(writers.length) },
    versions: { start: Int32Array.of(0, writers.length), item: writers },
    placeOfVersion,
  };
}

type Orders = Pick<World, 'commits' | 'events' | 'placeOfCommit' | 'placeOfEvent'>;

function ordersOf({ placeOfCommit, placeOfEvent }: World, txns: Int32Array): Orders {
  const commitAt = placeOfCommit.length > 0 ? txns.map((t) => placeOfCommit[t]) : NONE;
  const eventAt = new Int32Array(placeOfEvent.length > 0 ? 2 * txns.length : 0);
  for (let e = 0; e < eventAt.length; e++) eventAt[e] = placeOfEvent[2 * txns[e >> 1] + (e % 2)];
  const inOrder = (place: Int32Array): Int32Array => place.map((_, i) => i).toSorted((a, b) => place[a] - place[b]);
  return { commits: inOrder(commitAt), placeOfCommit: commitAt, events: inOrder(eventAt), placeOfEvent: eventAt };
}

const NONE = new Int32Array(0);

/** Number of an element of the whole world in the world of a key; −1 if it is absent there. */
export function numberInKey({ names, from }: WorldOfKey, sort: string, name: number): number {
  const t = sort === 'event' ? name >> 1 : name;
  const named = sort === 'read' ? names.ops : names.txns;
  const at = lowerBound(named, 0, named.length, t);
  if (at === named.length || named[at] !== t || (sort === 'read' && from[at] === NO_READ)) return -1;
  return sort === 'event' ? 2 * at + (name % 2) : at;
}
