import { type Edge, type FoundAnomaly, INITIAL_TXN, nameOfEdges } from '@isolab/contract';
import { EdgeColumns, PathFinder, closure, shortCycles, topologicalOrder } from '@isolab/graph';
import {
  EMPTY_LIST,
  type History,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  Times,
  UNKNOWN_LIST,
  transactionOf,
} from '@isolab/history';
import type { Lowering } from './lowering.ts';
import { hasReturned } from './partitions.ts';

/**
 * Derives a proof that a failed search itself does not give. Where reads show their sources, this is usually possible.
 * The initial edges between the operations on a key are session order, real time and read-from, and for a list the
 * order in which it shows appends. An operation that overwrites a version and is before a reader of it is also before
 * its writer. An operation that is after the writer and overwrites the version is after its readers. When no more edges
 * follow, they contain a cycle, or there is no proof of this kind. Returns the certificate and the name of the anomaly,
 * and, for a list, the transactions.
 */
export function refute(
  history: History,
  index: ReadFromIndex,
  lowering: Lowering,
  txns: readonly number[],
): Partial<FoundAnomaly> | null {
  return new Derivation(history, index, lowering, txns).run();
}

interface Member {
  readonly txn: number;
  /** The member whose write it reads, and its read and its write in the lowered history, or −1. */
  source: number;
  readonly read: number;
  readonly write: number;
  /** An append, or a read of a list, in the current history; or −1. */
  readonly append: number;
  readonly listRead: number;
}

class Derivation {
  readonly #members: Member[];
  readonly #edges = new EdgeColumns();
  readonly #edge: Edge[] = [];
  /** A list that shows an append twice, which is evidence by itself. */
  #shownTwice: Partial<FoundAnomaly> | null = null;

  constructor(history: History, index: ReadFromIndex, lowering: Lowering, txns: readonly number[]) {
    this.#members = membersOf(history, index, lowering, txns);
    const members = this.#members;
    const begins = history.txnBegin && new Times(history.txnBegin);
    const ends = history.txnEnd && new Times(history.txnEnd);
    for (const [to, { txn, source, read }] of members.entries()) {
      if (to === INITIAL) continue;
      if (source >= 0) this.#add(source, to, { kind: 'read-from', read });
      this.#add(INITIAL, to, { kind: 'initial' });
      for (let from = 1; from < members.length; from++) {
        const other = members[from].txn;
        if (other < txn && history.txnSession[other] === history.txnSession[txn])
          this.#add(from, to, { kind: 'session' });
        else if (
          begins &&
          ends &&
          other !== txn &&
          hasReturned(history, ends, other) &&
          ends.isBefore(other, begins, txn)
        )
          this.#add(from, to, { kind: 'real-time' });
      }
    }
    this.#addVersions(history, index);
  }

  /** Adds the order of elements that a list shows, and their precedence over the other elements. */
  #addVersions({ opKind, opValue, lists }: History, { nodeAppend }: ReadFromIndex): void {
    const appender = new Map<number, number>(); // by operation
    for (const [i, { append }] of this.#members.entries()) if (append >= 0) appender.set(append, i);
    for (const { txn, read, listRead } of this.#members) {
      if (listRead < 0 || opKind[listRead] !== OpKind.ListRead || opValue[listRead] === UNKNOWN_LIST) continue;
      const shown: number[] = []; // −1 for elements with several possible writers
      const elements = new Set<number>();
      for (let node = opValue[listRead]; node !== EMPTY_LIST; node = lists.parent[node]) {
        shown.push(appender.get(nodeAppend[node]) ?? -1);
        elements.add(lists.element[node]);
      }
      const twice = shown.findIndex((i, at) => i >= 0 && shown.indexOf(i) < at);
      if (twice >= 0) {
        const { txn: appended, write: other } = this.#members[shown[twice]];
        const name = 'duplicate-elements';
        const certificate = { kind: 'lists', anomaly: name, read, other } as const;
        this.#shownTwice = { name, transactions: [appended, txn], certificate };
        return;
      }
      for (let i = 1; i < shown.length; i++)
        if (shown[i] >= 0 && shown[i - 1] >= 0) this.#add(shown[i], shown[i - 1], { kind: 'version', read });
      const [last = -1] = shown;
      if (last < 0) continue;
      for (const [append, i] of appender)
        if (!elements.has(opValue[append])) this.#add(last, i, { kind: 'version', read });
    }
  }

  run(): Partial<FoundAnomaly> | null {
    if (this.#shownTwice !== null) return this.#shownTwice;
    for (;;) {
      const graph = this.#edges.digraph(this.#members.length);
      for (const cycle of shortCycles(graph)) return shownBy(cycle.map((e) => this.#edge[e]));
      const before = this.#edges.count;
      const reaches = closure(graph, topologicalOrder(graph));
      const paths = new PathFinder(graph);
      const path = (from: number, to: number): Edge[] => paths.shortest(from, to)!.map((e) => this.#edge[e]);
      for (const [reader, { source, read }] of this.#members.entries()) {
        if (source < 0) continue;
        for (const [writer, { write }] of this.#members.entries()) {
          if (write < 0 || writer === source || writer === reader) continue;
          if (reaches.has(writer, reader) && !reaches.has(writer, source))
            this.#add(writer, source, { kind: 'overwritten', write, read, visible: path(writer, reader) });
          if (reaches.has(source, writer) && !reaches.has(reader, writer))
            this.#add(reader, writer, { kind: 'overwrites', write, read, order: path(source, writer) });
        }
      }
      if (this.#edges.count === before) return null;
    }
  }

  #add(from: number, to: number, reason: Edge['reason']): void {
    this.#edges.add(from, to);
    this.#edge.push({ from: this.#members[from].txn, to: this.#members[to].txn, reason });
  }
}

const shownBy = (edges: readonly Edge[]): Partial<FoundAnomaly> => ({
  name: nameOfEdges(edges, false) ?? 'stale-read',
  certificate: { kind: 'cycle', edges },
});

/** The initial transaction is the first member. */
const INITIAL = 0;

function membersOf(
  history: History,
  { readFrom, outcome }: ReadFromIndex,
  lowering: Lowering,
  txns: readonly number[],
): Member[] {
  const members: Member[] = [{ txn: INITIAL_TXN, source: -1, read: -1, write: -1, append: -1, listRead: -1 }];
  const place = new Map<number, number>();
  const sources: number[] = [-1];
  for (const txn of txns) {
    if (outcome[txn] !== Outcome.Happened) continue;
    const op = history.txnStart[txn];
    const isAppend = history.opKind[op] === OpKind.Append;
    const isList = history.opKind[op] === OpKind.ListRead;
    const isWrite = history.opKind[op] === OpKind.Write || isAppend;
    const isRead = !isWrite && readFrom[op] !== ReadFrom.None;
    const finds = isRead && (readFrom[op] >= 0 || readFrom[op] === ReadFrom.Initial);
    place.set(txn, members.length);
    sources.push(finds ? readFrom[op] : NOTHING);
    members.push({
      txn,
      source: -1,
      read: finds || isList ? lowering.read(op) : -1,
      write: isWrite || (finds && !isList && history.opKind[op] !== OpKind.Read) ? lowering.write(op) : -1,
      append: isAppend ? op : -1,
      listRead: isList ? op : -1,
    });
  }
  for (const [i, write] of sources.entries()) {
    if (i === INITIAL || write === NOTHING) continue;
    members[i].source = write < 0 ? INITIAL : (place.get(transactionOf(history, write)) ?? -1);
  }
  return members;
}

const NOTHING = -9;
