import { IntList } from '@isolab/graph';
import {
  type History,
  type MatchingRow,
  NIL,
  OpKind,
  type PassedOver,
  type Predicate,
  UNKNOWN_VALUE,
  countKeys,
  excludedFrom,
  indexRows,
  isOpaque,
} from '@isolab/history';
import type { Overlooked } from './replay-scans.ts';

/** Visibility of other transactions to a transaction, queried for its scans in order. */
export interface Sight {
  enter(t: number): void;
  /** Begins the next scan of the transaction, an operation of the history. */
  beginScan(op: number): void;
  isVisible(t: number): boolean;
}

/** A place in an order of transactions, the writes up to it, and the rows read by the scans that follow. */
interface Replay {
  readonly asked: PassedOver;
  readonly sight: Sight;
  readonly overlooked: Overlooked[];
  readonly onPassed: (scan: number, row: number, writer: number) => void;
  readonly writes: WritesOfRows;
}

/** Finds rows that scans should have returned, by the latest visible version of each passed-over row. */
export class VisibleScans {
  readonly #history: History;
  readonly #matching = new Map<string, readonly MatchingRow[]>();

  constructor(history: History) {
    this.#history = history;
  }

  /**
   * Returns overlooked rows of scans. `order` has the transactions that happened; `asked` are rows that scans read
   * themselves. Each other passed-over row and the writer of its seen version are passed to `onPassed`; −1 is the
   * initial version.
   */
  overlooked(
    order: ArrayLike<number>,
    asked: PassedOver,
    sight: Sight,
    onPassed: (scan: number, row: number, writer: number) => void,
  ): readonly Overlooked[] {
    const writes = new WritesOfRows(countKeys(this.#history));
    const replay: Replay = { asked, sight, overlooked: [], onPassed, writes };
    for (let i = 0; i < order.length; i++) this.#visit(order[i]!, replay);
    return replay.overlooked;
  }

  #visit(t: number, replay: Replay): void {
    const { txnStart, opKind, opKey, opValue, scans } = this.#history;
    const own = new Map<number, number>();
    replay.sight.enter(t);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] === OpKind.Scan) this.#judge(op, own, replay);
      else if (opKind[op] === OpKind.Write && scans.keyTable[opKey[op]] >= 0) own.set(opKey[op], opValue[op]);
    }
    for (const [row, value] of own) replay.writes.add(t, row, value);
  }

  #judge(op: number, own: ReadonlyMap<number, number>, replay: Replay): void {
    const { opValue, scans, keyInitial } = this.#history;
    const { sight, writes, overlooked, onPassed } = replay;
    const scan = opValue[op];
    sight.beginScan(op);
    const where = excludedFrom(this.#history, scan);
    if (where === null) return;
    const asked = new Set(replay.asked.get(scan));
    const returned = new Set<number>();
    const isCertain = !isOpaque(where);
    for (let i = scans.rowStart[scan]; i < scans.rowStart[scan + 1]; i++)
      (isCertain && scans.rowValue[i] === UNKNOWN_VALUE ? asked : returned).add(scans.rowKey[i]);
    for (const { row, some } of this.#matchingOf(scans.table[scan], where)) {
      if (asked.has(row) || returned.has(row)) continue;
      const isOwn = own.has(row);
      const seen = isOwn ? -1 : writes.latest(row, sight);
      const value = isOwn ? own.get(row)! : seen < 0 ? keyInitial[row] : writes.value.items[seen];
      if (some === null ? value !== NIL : some.includes(value)) overlooked.push({ scan, row });
      else if (!isOwn) onPassed(scan, row, seen < 0 ? -1 : writes.writer.items[seen]);
    }
  }

  #matchingOf(table: number, where: Predicate): readonly MatchingRow[] {
    const name = `${table} ${JSON.stringify(where)}`;
    let rows = this.#matching.get(name);
    if (rows === undefined) this.#matching.set(name, (rows = indexRows(this.#history)[table]!.matching(where)));
    return rows;
  }
}

/** Last writes of each row by each transaction, in the order, linked from the latest to the first. */
class WritesOfRows {
  readonly #latest: Int32Array; // by row
  readonly #previous = new IntList();
  readonly writer = new IntList();
  readonly value = new IntList();

  constructor(numKeys: number) {
    this.#latest = new Int32Array(numKeys).fill(-1);
  }

  add(t: number, row: number, value: number): void {
    this.#previous.push(this.#latest[row]);
    this.#latest[row] = this.writer.length;
    this.writer.push(t);
    this.value.push(value);
  }

  /** Returns the latest visible write of a row; −1 if there is none. */
  latest(row: number, sight: Sight): number {
    const { items } = this.writer;
    let write = this.#latest[row];
    while (write >= 0 && !sight.isVisible(items[write])) write = this.#previous.items[write];
    return write;
  }
}
