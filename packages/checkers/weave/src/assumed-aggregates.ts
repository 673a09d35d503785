import { type AssumedRows, type History, OpKind, type Overlooked, ScanReplay } from '@isolab/history';

/**
 * Aggregates of which it is assumed what rows they were of: of those that match at a point of an order where they come to
 * what was returned. Each is a guess, made one after the other: only an order that is found with them counts.
 */
export class AssumedAggregates {
  readonly #history: History;
  readonly #readerOf: ReadonlyMap<number, number>;
  readonly #rows = new Map<number, Rows>();
  /** In the order in which they were assumed: what else each may be of, the nearest last. */
  readonly #others: { readonly scan: number; readonly rows: Rows[] }[] = [];
  #steps = 0;
  /** Aggregates that the latest order left unexplained. */
  left = 0;

  constructor(history: History) {
    this.#history = history;
    this.#readerOf = readersOfScans(history);
  }

  get rows(): AssumedRows {
    return this.#rows;
  }

  /** Assumes something of one aggregate that an order does not explain; false if nothing is left to assume. */
  assumeOne(order: CommitsAndScans, overlooked: readonly Overlooked[]): boolean {
    this.left = overlooked.length;
    const next = overlooked.find(({ row, scan }) => row < 0 && !this.#rows.has(scan));
    if (next === undefined) return false;
    this.#others.push({ scan: next.scan, rows: this.#candidates(order, next.scan) });
    return this.assumeOther();
  }

  /** Assumes something else of the latest one, or of one before it, for what was assumed contradicts the history. */
  assumeOther(): boolean {
    if (++this.#steps > MOST_STEPS) return false;
    for (let latest = this.#others.at(-1); latest !== undefined; latest = this.#others.at(-1)) {
      const other = latest.rows.pop();
      if (other !== undefined) {
        this.#rows.set(latest.scan, other);
        return true;
      }
      this.#rows.delete(latest.scan);
      this.#others.pop();
    }
    return false;
  }

  /** The rows at every point of an order at which the aggregate comes to its result, those at the nearest point last. */
  #candidates({ commits, placeOf }: CommitsAndScans, scan: number): Rows[] {
    const t = this.#readerOf.get(scan)!;
    const place = placeOf(scan);
    const replay = new ScanReplay(this.#history);
    const found = new Map<string, { readonly rows: Rows; distance: number }>();
    for (let at = 0; at <= Math.min(commits.length, place + FARTHEST); at++) {
      const rows = at > place - FARTHEST ? replay.rowsOfAggregate(t, scan) : null;
      const distance = Math.abs(at - place);
      const name = rows?.flat().join() ?? '';
      const known = found.get(name);
      if (rows !== null && (known === undefined || known.distance > distance)) found.set(name, { rows, distance });
      const committing = commits[at] ?? -1;
      if (committing >= 0 && committing !== t) replay.commit(committing);
    }
    return Array.from(found.values())
      .toSorted((a, b) => b.distance - a.distance)
      .map(({ rows }) => rows);
  }
}

/** An order of events. */
export interface CommitsAndScans {
  /** By event: the transaction that commits, or −1. */
  readonly commits: readonly number[];
  /** The event at which a scan sees what it sees. */
  placeOf(scan: number): number;
}

/** By scan: its transaction. */
export function readersOfScans({ txnStart, opKind, opValue }: History): Map<number, number> {
  const readerOf = new Map<number, number>();
  for (let t = 0; t + 1 < txnStart.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Scan) readerOf.set(opValue[op], t);
  return readerOf;
}

type Rows = readonly (readonly [row: number, value: number])[];

/** How often something is assumed, each time for another search; and how far away in the order, in events. */
const MOST_STEPS = 200;
const FARTHEST = 500;
