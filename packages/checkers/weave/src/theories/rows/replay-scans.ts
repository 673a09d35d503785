import { type History, OpKind, type Row, excludedFrom, matches } from '@isolab/history';
import { IndexedStore } from '../../hints/one-by-one/indexed-store.ts';
import type { Tuning } from '../../problem/tuning.ts';

/**
 * A matching row that a scan did not return, a row that an aggregate cannot have included, or (row −1) an aggregate
 * with another result.
 */
export interface Overlooked {
  readonly scan: number;
  readonly row: number;
}

/** An overlooked row, with the transaction and the operation of the scan. */
export interface OverlookedBy extends Overlooked {
  readonly t: number;
  readonly op: number;
}

export interface EventsOfScans {
  /** Transaction that commits at each event, or −1. */
  readonly commits: Int32Array;
  /** Operations that see the state at each event, or null if they contain no scan. */
  readonly readers: readonly (Reader | null)[];
}

/** Operations of a transaction that see one state. */
export interface Reader {
  readonly t: number;
  readonly from: number;
  readonly to: number;
}

/** Rows that the scans overlook in an order, and other rows worth reading before the next search for an order. */
export class ReplayOfScans {
  readonly #store: IndexedStore;
  readonly #events: EventsOfScans;
  readonly #history: History;
  readonly #tuning: Tuning;
  // For each event: offset of the rows that it wrote, each as three numbers: the row, its version before, and its
  // version after.
  readonly #start: Int32Array;
  readonly #replaced: number[] = [];
  readonly #places: number[] = []; // events where a row was overlooked
  readonly overlooked: OverlookedBy[] = [];

  constructor(history: History, events: EventsOfScans, tuning: Tuning) {
    this.#history = history;
    this.#tuning = tuning;
    this.#events = events;
    this.#store = new IndexedStore(history);
    const { commits, readers } = events;
    this.#start = new Int32Array(commits.length + 1);
    for (let place = 0; place < commits.length; place++) {
      const reader = readers[place];
      const before = this.overlooked.length;
      if (reader) this.judge(reader);
      if (this.overlooked.length > before) this.#places.push(place);
      if (commits[place] >= 0) this.#store.commit(commits[place], this.#replaced);
      this.#start[place + 1] = this.#replaced.length;
    }
  }

  /** Distance in events within which rows are searched; larger where transactions write a small share of many rows. */
  get #reach(): number {
    const eventsARow = this.#events.commits.length / (this.#replaced.length / 3);
    const { nearestRows, farthestRows, rowsNearby } = this.#tuning;
    return Math.max(nearestRows, Math.min(farthestRows, Math.round(rowsNearby * this.#store.rowsPresent * eventsARow)));
  }

  /** Whether transactions write few enough rows that examining many transactions is cheap. */
  get isSparse(): boolean {
    return this.#reach > this.#tuning.nearestRows;
  }

  /** Finds the rows that scans overlook in the present state. */
  judge({ t, from, to }: Reader): void {
    const { aggregate } = this.#history.scans;
    this.#store.eachScan(t, from, to, (scan, op) => {
      if (aggregate[scan] < 0) {
        for (const row of this.#store.notReturned(scan)) this.overlooked.push({ scan, row, t, op });
        return;
      }
      const matching = this.#store.matching(scan);
      if (this.#store.hasResult(scan, matching)) return;
      const isExcluded = this.#exclusionBy(scan);
      const excluded = matching.filter((row) => isExcluded(row, this.#store.rowOf(row)));
      for (const row of excluded.length > 0 ? excluded : [-1]) this.overlooked.push({ scan, row, t, op });
    });
  }

  /** Returns whether a scan, or an aggregate as far as it concerns single rows, excludes a row with these columns. */
  #exclusionBy(scan: number): (row: number, columns: Row | null) => boolean {
    const { keyTable, table, rowStart, rowKey } = this.#history.scans;
    const where = excludedFrom(this.#history, scan);
    if (where === null) return () => false;
    const seen = new Set<number>();
    for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) seen.add(rowKey[i]);
    return (row, columns) =>
      columns !== null && keyTable[row] === table[scan] && !seen.has(row) && matches(where, columns);
  }

  /**
   * Yields rows that scans would overlook if they moved a little. A transaction that overlooks a row is at the wrong
   * place, and once it moves, its neighbours have to move as well. All of their scans did pass over these rows, so one
   * search that knows this resolves conflicts that would otherwise need many searches, each caused by the one before.
   */
  *near(distance: number): Generator<Overlooked> {
    const { commits, readers } = this.#events;
    const { opKind, opValue } = this.#history;
    const reach = this.#reach;
    let next = 0;
    for (const place of this.#places) {
      for (next = Math.max(next, place - distance); next <= place + distance && next < commits.length; next++) {
        const reader = readers[next];
        if (!reader) continue;
        const from = this.#start[Math.max(0, next - reach)];
        const to = this.#start[Math.min(commits.length, next + reach)];
        for (let op = reader.from; op < reader.to; op++)
          if (opKind[op] === OpKind.Scan) yield* this.#among(from, to, opValue[op]);
      }
    }
  }

  *#among(from: number, to: number, scan: number): Generator<Overlooked> {
    const isExcluded = this.#exclusionBy(scan);
    const seen = new Set<number>();
    for (let i = from; i < to; i += 3) {
      const row = this.#replaced[i]!;
      if (seen.has(row)) continue;
      const isOverlooked = (version: number): boolean => isExcluded(row, this.#store.columnsOf(version));
      if (!isOverlooked(this.#replaced[i + 1]!) && !isOverlooked(this.#replaced[i + 2]!)) continue;
      seen.add(row);
      yield { scan, row };
    }
  }
}
