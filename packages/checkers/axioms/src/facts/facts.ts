import { IntList, rowStarts } from '@isolab/graph';
import {
  EMPTY_LIST,
  type History,
  type IdColumn,
  NO_TIME,
  OpKind,
  Outcome,
  type ReadFromIndex,
  type StatedLevels,
  TimeBounds,
  type TransactionId,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  keysInOrder,
} from '@isolab/history';
import { INITIAL, Relations, nodesAmong, placeOfWriter } from '@isolab/graph/relations';
import type { Unexplained } from './unexplained.ts';

/**
 * A history, or the part that concerns one key, in columns from which relations of levels are built. The nodes are
 * the transactions that happened, in ascending order, followed by the initial transaction.
 */
export interface LevelFacts {
  /** Number of transactions that happened, which is also the number of the initial transaction. */
  readonly initial: number;
  /** The transaction of each node except the last. */
  readonly txnOf: Int32Array;
  /** The previous and the next node of the same session, or −1. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** The session of each node, and the position in this session. */
  readonly session: Int32Array;
  /** Bounds on the begin and the commit of each node, as ranks: equal times have equal ranks; −1 if unknown. */
  readonly called: Int32Array;
  readonly begun: Int32Array;
  readonly committing: Int32Array;
  readonly returned: Int32Array;
  /** Level that each node states: 0 for none, otherwise 1 + the place of its name. */
  readonly levels: StatedLevels;
  /** 1 for nodes with at least one write. */
  readonly isWriter: Uint8Array;
  readonly reads: ReadFacts;
  readonly writes: WriteFacts;
  /** The history's number for each key. */
  readonly keyNames: Int32Array;
}

/** The external reads with known results, node by node, in program order. */
export interface ReadFacts {
  /** First read of each node, with one extra slot at the end. */
  readonly start: Int32Array;
  readonly op: Int32Array;
  readonly statement: Int32Array;
  readonly node: Int32Array;
  readonly key: Int32Array;
  /** Number of the result: equal for reads of equal values, or of lists with equal foreign elements. */
  readonly shown: Int32Array;
  /**
   * The node that the read saw (possibly the initial transaction), or −1 for an unexplained read that the level allows.
   */
  readonly writer: Int32Array;
  /** The row of that writer in the writes; −1 for the initial transaction or no writer. */
  readonly seenRow: Int32Array;
  /** The row of the reader's own write of the key, or −1. */
  readonly ownRow: Int32Array;
}

/** Writers of each key, grouped by key, in ascending order. */
export interface WriteFacts {
  /** First row of each key, with one extra slot at the end. */
  readonly start: Int32Array;
  readonly node: Int32Array;
  readonly key: Int32Array;
  /** For each row: the row of the same node that gives its place in the order of the key; see keysInOrder. */
  readonly standsAt: Int32Array;
  /** The rows of each node, as offsets. */
  readonly rowStart: Int32Array;
  readonly row: Int32Array;
}

/** Includes the open transactions as if they had happened. Reads with a choice have no writer here. */
export function factsOf(
  history: History,
  index: ReadFromIndex,
  isUnexplained: Unexplained,
  isOpen: Uint8Array,
): LevelFacts {
  const counts = new IntList(isOpen.length);
  for (let t = 0; t < isOpen.length; t++) if (isOpen[t] === 1 || index.outcome[t] === Outcome.Happened) counts.push(t);
  const relations = new Relations(
    history,
    index,
    nodesAmong(counts.toArray() as IdColumn<TransactionId>, isOpen.length),
  );
  const { nodes, neighbours, writers, sessions } = relations;
  const writes = writesOf(writers.start, writers.node, nodes.numNodes, keysInOrder(history));
  const isWriter = new Uint8Array(nodes.numNodes);
  for (let n = 0; n < nodes.numNodes; n++) {
    isWriter[n] = writes.rowStart[n] < writes.rowStart[n + 1] ? 1 : 0;
  }
  return {
    initial: nodes.numNodes,
    txnOf: nodes.txnOf,
    ...neighbours,
    session: sessions.session,
    levels: levelsOf(history, nodes.txnOf),
    ...timesOf(history, nodes.txnOf),
    isWriter,
    reads: readsOf(relations, writes, isUnexplained),
    writes,
    keyNames: Int32Array.from({ length: writers.start.length - 1 }, (_, key) => key),
  };
}

const levelsOf = ({ txnLevels }: History, txnOf: Int32Array): StatedLevels => ({
  of: Uint8Array.from(txnOf, (t) => txnLevels?.of[t] ?? 0),
  names: txnLevels?.names ?? [],
});

function writesOf(
  start: Int32Array,
  node: Int32Array,
  numNodes: number,
  inOrderOf: Int32Array = NO_OTHERS,
): WriteFacts {
  const key = new Int32Array(node.length);
  for (let k = 0; k + 1 < start.length; k++) key.fill(k, start[k], start[k + 1]);
  const rowStart = rowStarts(node, numNodes);
  const cursor = rowStart.slice(0, numNodes);
  const row = new Int32Array(node.length);
  for (let r = 0; r < node.length; r++) row[cursor[node[r]]++] = r;
  const standsAt = new Int32Array(key.length);
  for (let r = 0; r < key.length; r++) {
    const other = key[r] < inOrderOf.length ? inOrderOf[key[r]] : key[r];
    standsAt[r] = other === key[r] ? r : placeOfWriter({ start, node }, other, node[r]);
  }
  return { start, node, key, standsAt, rowStart, row };
}

const NO_OTHERS = new Int32Array(0);

function readsOf(relations: Relations, writes: WriteFacts, isUnexplained: Unexplained): ReadFacts {
  const { history, index, nodes, source, lastWrites } = relations;
  const { txnStart, opKind, opKey, opValue, opStatement } = history;
  const capacity = opKind.length;
  const column = (): Int32Array => new Int32Array(capacity);
  const [op, node, key, shown, writer, seenRow, ownRow] = Array.from({ length: 7 }, column);
  const start = new Int32Array(nodes.numNodes + 1);
  const written = new Int32Array(writes.start.length).fill(-1); // by key: the latest node seen writing it
  const rowLeftBy = new Int32Array(capacity).fill(-1); // by write that is the last of its transaction to the key
  for (let row = 0; row < lastWrites.length; row++) rowLeftBy[lastWrites[row]] = row;
  const rowOfKey = new Int32Array(writes.start.length).fill(-1); // of the latest node that writes the key
  let count = 0;
  for (let n = 0; n < nodes.numNodes; n++) {
    const t = nodes.txnOf[n];
    for (let i = writes.rowStart[n]; i < writes.rowStart[n + 1]; i++)
      rowOfKey[writes.key[writes.row[i]]] = writes.row[i];
    for (let at = txnStart[t]; at < txnStart[t + 1]; at++) {
      const k = opKey[at];
      const kind = opKind[at];
      if (kind === OpKind.Write) written[k] = n;
      const isRegister = kind === OpKind.Read && written[k] !== n && opValue[at] !== UNKNOWN_VALUE;
      const list = kind === OpKind.ListRead && opValue[at] !== UNKNOWN_LIST ? listOfOthers(history, t, at) : BLIND;
      if (!isRegister && list === BLIND) continue;
      const from = source[at];
      // No transaction left a version that it overwrote itself, or a list with only part of its appends.
      const row = from >= 0 ? rowLeftBy[index.readFrom[at]] : -1;
      const isLeft = !isUnexplained(at) && (from === INITIAL || (row >= 0 && writes.key[row] === k));
      op[count] = at;
      node[count] = n;
      key[count] = k;
      shown[count] = isRegister ? opValue[at] : ~list;
      writer[count] = !isLeft ? -1 : from === INITIAL ? nodes.numNodes : from;
      seenRow[count] = isLeft ? row : -1;
      ownRow[count++] = rowOfKey[k] >= 0 && writes.node[rowOfKey[k]] === n ? rowOfKey[k] : -1;
    }
    start[n + 1] = count;
  }
  const cut = (all: Int32Array): Int32Array => all.slice(0, count);
  return {
    start,
    op: cut(op),
    statement: opStatement === null ? cut(op) : cut(op).map((at) => opStatement[at]),
    node: cut(node),
    key: cut(key),
    shown: cut(shown),
    writer: cut(writer),
    seenRow: cut(seenRow),
    ownRow: cut(ownRow),
  };
}

/** The foreign part of a list that a read saw; BLIND if the list does not end with the transaction's own appends. */
export function listOfOthers({ txnStart, opKind, opKey, opValue, lists }: History, t: number, read: number): number {
  let list = opValue[read];
  for (let op = read - 1; op >= txnStart[t]; op--) {
    if (opKind[op] !== OpKind.Append || opKey[op] !== opKey[read]) continue;
    if (list === EMPTY_LIST || lists.element[list] !== opValue[op]) return BLIND;
    list = lists.parent[list];
  }
  return list;
}

export const BLIND = -3;

type Times = Pick<LevelFacts, 'called' | 'begun' | 'committing' | 'returned'>;

function timesOf(history: History, txnOf: IdColumn<TransactionId>): Times {
  const bounds = new TimeBounds(history);
  const columns = {
    called: Array.from(txnOf, (t) => bounds.earliestBegin(t)),
    begun: Array.from(txnOf, (t) => bounds.latestBegin(t)),
    committing: Array.from(txnOf, (t) => bounds.earliestCommit(t)),
    returned: Array.from(txnOf, (t) => bounds.latestCommit(t)),
  };
  const known = Object.values(columns).flatMap((times) => times.filter((time) => time !== NO_TIME));
  const rank = new Map<bigint, number>();
  for (const time of BigInt64Array.from(known).toSorted()) if (!rank.has(time)) rank.set(time, rank.size);
  const ranks = (times: readonly bigint[]): Int32Array => Int32Array.from(times, (time) => rank.get(time) ?? -1);
  return {
    called: ranks(columns.called),
    begun: ranks(columns.begun),
    committing: ranks(columns.committing),
    returned: ranks(columns.returned),
  };
}

/** The history of a single key: its users without their other writes. */
export function historyOf(facts: LevelFacts, key: number, users: Int32Array): LevelFacts {
  const ofKey = restrictedTo(facts, key, users);
  const { rowStart } = ofKey.writes;
  return { ...ofKey, isWriter: Uint8Array.from(users, (_, n) => (rowStart[n] < rowStart[n + 1] ? 1 : 0)) };
}

/** The users of one key, with only their reads and writes of it. `users` is in ascending order. */
export const restrictedTo = (facts: LevelFacts, key: number, users: Int32Array): LevelFacts => part(facts, users, key);

/** The given nodes, in ascending order, with all their reads and writes. */
export const amongNodes = (facts: LevelFacts, nodes: Int32Array): LevelFacts => part(facts, nodes, null);

/** The given nodes with their reads and writes: of all keys, or of one key, which gets the number 0. */
function part(facts: LevelFacts, nodes: Int32Array, only: number | null): LevelFacts {
  const local = new Map<number, number>();
  for (let i = 0; i < nodes.length; i++) local.set(nodes[i], i);
  local.set(facts.initial, nodes.length);
  const pick = <T extends Int32Array | Uint8Array>(column: T): T => {
    const picked = new (column.constructor as new (length: number) => T)(nodes.length);
    for (let i = 0; i < nodes.length; i++) picked[i] = column[nodes[i]];
    return picked;
  };
  const session = pick(facts.session);
  const previous = new Int32Array(nodes.length).fill(-1);
  const next = new Int32Array(nodes.length).fill(-1);
  for (let i = 1; i < nodes.length; i++)
    if (session[i] === session[i - 1]) {
      previous[i] = i - 1;
      next[i - 1] = i;
    }
  const writes = writesAmong(facts, local, only);
  return {
    initial: nodes.length,
    txnOf: pick(facts.txnOf),
    previous,
    next,
    session,
    called: pick(facts.called),
    begun: pick(facts.begun),
    committing: pick(facts.committing),
    returned: pick(facts.returned),
    levels: { ...facts.levels, of: pick(facts.levels.of) },
    isWriter: pick(facts.isWriter),
    reads: readsAmong(facts, nodes, local, only, writes),
    writes,
    keyNames: only === null ? facts.keyNames : facts.keyNames.slice(only, only + 1),
  };
}

function writesAmong({ writes }: LevelFacts, local: ReadonlyMap<number, number>, only: number | null): WriteFacts {
  const numNodes = local.size - 1;
  const start = [0];
  const nodes: number[] = [];
  const [first, end] = only === null ? [0, writes.start.length - 1] : [only, only + 1];
  const rowIn = new Map<number, number>();
  for (let key = first; key < end; key++) {
    for (let row = writes.start[key]; row < writes.start[key + 1]; row++) {
      const node = local.get(writes.node[row]);
      if (node === undefined) continue;
      rowIn.set(row, nodes.length);
      nodes.push(node);
    }
    start.push(nodes.length);
  }
  const made = writesOf(Int32Array.from(start), Int32Array.from(nodes), numNodes);
  const rows = [...rowIn.keys()];
  return { ...made, standsAt: made.standsAt.map((row) => rowIn.get(writes.standsAt[rows[row]!]) ?? row) };
}

function readsAmong(
  { reads }: LevelFacts,
  nodes: Int32Array,
  local: ReadonlyMap<number, number>,
  only: number | null,
  writes: WriteFacts,
): ReadFacts {
  const kept: number[] = [];
  const start = new Int32Array(nodes.length + 1);
  for (let i = 0; i < nodes.length; i++) {
    for (let r = reads.start[nodes[i]]; r < reads.start[nodes[i] + 1]; r++)
      if (only === null || reads.key[r] === only) kept.push(r);
    start[i + 1] = kept.length;
  }
  const column = (of: (r: number) => number): Int32Array => Int32Array.from(kept, of);
  const node = column((r) => local.get(reads.node[r])!);
  const key = column((r) => (only === null ? reads.key[r] : 0));
  const writer = column((r) => (reads.writer[r] < 0 ? -1 : local.get(reads.writer[r])!));
  return {
    start,
    op: column((r) => reads.op[r]),
    statement: column((r) => reads.statement[r]),
    node,
    key,
    shown: column((r) => reads.shown[r]),
    writer,
    seenRow: writer.map((w, r) => (w < 0 || w === nodes.length ? -1 : placeOfWriter(writes, key[r], w))),
    ownRow: node.map((n, r) => placeOfWriter(writes, key[r], n)),
  };
}
