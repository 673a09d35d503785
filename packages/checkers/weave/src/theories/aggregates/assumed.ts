/**
 * Aggregates with assumed rows. Where an order leaves some aggregates unexplained, the search looks for the nearest
 * point at which all reads of the reader are current. It assumes that the aggregates include the rows that are current
 * at that point. This is a guess: it counts only if an order is found with it, and a guess that contradicts the
 * history is not repeated.
 */
import { type AssumedRows, type History, OpKind, countOperations, isOpaque, matches } from '@isolab/history';
import type { Tuning } from '../../problem/tuning.ts';
import type { IndexedStore } from '../../hints/one-by-one/indexed-store.ts';
import type { EventsOfScans, Overlooked, Reader } from '../rows/replay-scans.ts';
import { Walk } from './walk.ts';

interface Assumed {
  readonly reader: Reader;
  readonly scans: readonly number[];
  readonly name: string;
}

interface Candidate {
  readonly place: number;
  readonly rows: AssumedRows;
}

export class AssumedAggregates {
  readonly #history: History;
  readonly #tuning: Tuning;
  readonly #rows = new Map<number, readonly (readonly [row: number, value: number])[]>();
  readonly #assumed = new Map<number, Assumed>(); // by first operation of the reader
  readonly #excluded = new Map<number, Set<string>>();
  #latest: { readonly order: EventsOfScans; readonly overlooked: readonly Overlooked[] } | null = null;
  readonly #mostSteps: number;
  #steps = 0;
  /** For each event: the event where its reader would see an equal state. */
  readonly moves = new Map<number, number>();

  constructor(history: History, tuning: Tuning) {
    this.#history = history;
    this.#tuning = tuning;
    const { assumedSteps, assumedOperations } = tuning;
    this.#mostSteps = Math.min(assumedSteps, Math.ceil(assumedOperations / (countOperations(history) + 1)));
  }

  get rows(): AssumedRows {
    return this.#rows;
  }

  /** Number of aggregates that the latest order left unexplained. */
  get left(): number {
    return this.#latest?.overlooked.length ?? this.#excluded.size;
  }

  /** Makes assumptions about aggregates that an order does not explain. Returns false if none is left to make. */
  assume(order: EventsOfScans, overlooked: readonly Overlooked[]): boolean {
    this.#latest = { order, overlooked: overlooked.filter(({ row }) => row < 0) };
    return this.#assumeRest();
  }

  /**
   * For unexplained aggregates, assumes the versions implied by times, if there are any. A snapshot database reads from
   * the commits before the begin, and that state may occur nowhere in an explaining order.
   */
  assumeByTimes(order: EventsOfScans, overlooked: readonly Overlooked[]): boolean {
    if (this.#history.txnBegin === null) return false;
    const wanted = this.#notAssumed(overlooked);
    return wanted.size > 0 && this.#sweep(this.#byTimes(order), wanted, 'times');
  }

  #assumeRest(): boolean {
    if (++this.#steps > this.#mostSteps || this.#latest === null) return false;
    const { order, overlooked } = this.#latest;
    const wanted = this.#notAssumed(overlooked);
    this.moves.clear();
    if (wanted.size === 0) return false;
    return (
      this.assumeByTimes(order, overlooked) || this.#sweep(order, wanted, 'all') || this.#sweep(order, wanted, 'nearly')
    );
  }

  #notAssumed(overlooked: readonly Overlooked[]): Set<number> {
    return new Set(overlooked.flatMap(({ scan, row }) => (row >= 0 || this.#rows.has(scan) ? [] : [scan])));
  }

  /** Returns the events sorted by time: readers by the begin of their transactions, and commits by their return. */
  #byTimes({ commits, readers }: EventsOfScans): EventsOfScans {
    const { txnBegin, txnEnd } = this.#history;
    const begin = (t: number): number => Number(txnBegin![t]); // rounding does no harm: this is only a guess
    const end = (t: number): number => (txnEnd === null || txnEnd[t] < txnBegin![t] ? begin(t) : Number(txnEnd[t]));
    const times = Float64Array.from(commits, (t, event) => (t >= 0 ? end(t) : begin(readers[event]?.t ?? 0)));
    const events = Array.from(times.keys()).toSorted((a, b) => times[a] - times[b] || commits[b] - commits[a]);
    return { commits: Int32Array.from(events, (e) => commits[e]), readers: events.map((e) => readers[e]!) };
  }

  /**
   * Drops the assumptions about the transactions of a contradiction, or all if none of them was about these. Returns
   * false after too many tries.
   */
  retract(inContradiction: ReadonlySet<number>): boolean {
    const core = [...this.#assumed].filter(([, { reader }]) => inContradiction.has(reader.t));
    if (core.length === 0) {
      this.#rows.clear();
      this.#assumed.clear();
      return true;
    }
    const [last, { name }] = core.at(-1)!;
    const excluded = this.#excluded.get(last) ?? new Set();
    this.#excluded.set(last, excluded.add(name));
    for (const [first, { scans }] of core) {
      for (const scan of scans) this.#rows.delete(scan);
      this.#assumed.delete(first);
    }
    // An order for the remaining assumptions may be closer to an order for all.
    if (this.#assumed.size > 0) return ++this.#steps <= this.#mostSteps;
    return this.#assumeRest() || this.#steps <= this.#mostSteps;
  }

  /** Walks along an order, and assumes the rows of all unexplained aggregates. */
  #sweep({ commits, readers }: EventsOfScans, wanted: ReadonlySet<number>, how: Sweep): boolean {
    const walk = new Walk(this.#history, commits);
    let found = false;
    for (let place = 0; place < commits.length; place++) {
      const reader = readers[place];
      const candidate = reader && this.#first(reader, wanted, null) >= 0 ? this.#find(reader, wanted, walk, how) : null;
      walk.moveTo(place);
      if (candidate !== null) {
        this.#assume(reader!, candidate);
        if (how !== 'times') this.moves.set(place, candidate.place);
        found = true;
      }
      walk.pass();
    }
    return found;
  }

  #assume(reader: Reader, { rows }: Candidate): void {
    for (const [scan, seen] of rows) this.#rows.set(scan, seen);
    this.#assumed.set(reader.from, { reader, scans: [...rows.keys()], name: nameOf(rows) });
  }

  #find(reader: Reader, wanted: ReadonlySet<number>, walk: Walk, how: Sweep): Candidate | null {
    const { assumedDistance, assumedDistanceByTimes } = this.#tuning;
    if (how === 'nearly') return this.#butForOneRow(reader, wanted, walk);
    if (how !== 'times') return this.#nearest(reader, walk, assumedDistance);
    return (
      this.#candidate(reader, walk) ??
      this.#forward(reader, walk, assumedDistanceByTimes) ??
      this.#backward(reader, walk, assumedDistanceByTimes)
    );
  }

  /**
   * Finds the nearest place that matches all reads except for one row that was written nearby: of two commits before
   * that place (or after it), only the later commit was seen.
   */
  #butForOneRow(reader: Reader, wanted: ReadonlySet<number>, walk: Walk): Candidate | null {
    const { assumedPlaces } = this.#tuning;
    const { place } = walk;
    const end = Math.min(walk.commits.length, place + assumedPlaces);
    let found: Candidate | null = null;
    for (let at = Math.max(0, place - assumedPlaces); at <= end; at++) {
      walk.moveTo(at);
      if (found === null || Math.abs(at - place) < Math.abs(found.place - place))
        found = this.#withOtherRow(reader, wanted, walk) ?? found;
    }
    return found;
  }

  #withOtherRow(reader: Reader, wanted: ReadonlySet<number>, walk: Walk): Candidate | null {
    const { t, from, to } = reader;
    const { store, commits, place } = walk;
    if (store.misses(t, from, to) > this.#tuning.assumedMisses) return null;
    const op = this.#first(reader, wanted, store);
    if (op < 0) return null;
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const shortBy = this.#shortBy(t, op, store);
    const ifReplaced = (row: number, version: number): Candidate | null => {
      const adds =
        this.#addsIn(opValue[op], row, version, store) - this.#addsIn(opValue[op], row, store.current(row), store);
      if (adds === 0 || (adds !== shortBy && !Number.isNaN(adds))) return null;
      const before = store.replace(row, version);
      const candidate = this.#candidate(reader, walk);
      store.replace(row, before);
      return candidate;
    };
    for (let distance = 1; distance <= this.#tuning.assumedRowDistance; distance++) {
      const replaced = walk.replacedBy(place - distance);
      for (let i = 0; i < replaced.length; i += 3) {
        const found = ifReplaced(replaced[i]!, replaced[i + 1]!);
        if (found !== null) return found;
      }
      const next = commits[place + distance - 1] ?? -1;
      if (next < 0 || next === t) continue;
      for (let i = txnStart[next]; i < txnStart[next + 1]; i++) {
        const found = opKind[i] === OpKind.Write ? ifReplaced(opKey[i], opValue[i]) : null;
        if (found !== null) return found;
      }
    }
    return null;
  }

  /** Returns the amount by which a count or sum of a transaction is too small in the present state. */
  #shortBy(t: number, op: number, store: IndexedStore): number {
    const { aggregate, aggregates } = this.#history.scans;
    let short = 0;
    store.eachScan(t, op, op + 1, (scan) => {
      short = Number(aggregates[aggregate[scan]]!.result);
      for (const row of store.matching(scan)) short -= this.#addsIn(scan, row, store.versionOf(row), store);
    });
    return short;
  }

  /** Returns the amount that a version of a row adds to a count or sum; NaN for a minimum or maximum. */
  #addsIn(scan: number, row: number, version: number, store: IndexedStore): number {
    const { keyTable, table, predicate, predicates, aggregate, aggregates } = this.#history.scans;
    const columns = store.columnsOf(version);
    if (keyTable[row] !== table[scan] || columns === null || !matches(predicates[predicate[scan]]!, columns)) return 0;
    const result = aggregates[aggregate[scan]]!;
    if (result.kind === 'count') return 1;
    return result.kind === 'sum' ? Number(columns[result.column] ?? 0) : Number.NaN;
  }

  /** Returns the first of a reader's operations that is a wanted scan, and whose result differs in a store; or −1. */
  #first({ t, from, to }: Reader, wanted: ReadonlySet<number>, store: IndexedStore | null): number {
    const { opKind, opValue } = this.#history;
    for (let op = from; op < to; op++)
      if (opKind[op] === OpKind.Scan && wanted.has(opValue[op]) && store?.misses(t, op, op + 1) !== 0) return op;
    return -1;
  }

  /** Returns the nearest place that matches all of the reader's reads. */
  #nearest(reader: Reader, walk: Walk, distance: number): Candidate | null {
    const { place } = walk;
    const forward = this.#forward(reader, walk, distance);
    return this.#backward(reader, walk, forward === null ? distance : forward.place - place) ?? forward;
  }

  #isOwn({ t }: Reader, other: number): boolean {
    const { txnSession } = this.#history;
    return txnSession[other] === txnSession[t];
  }

  /** Leaves out later transactions of the reader's session. */
  #forward(reader: Reader, walk: Walk, farthest: number): Candidate | null {
    const { commits, place } = walk;
    const end = Math.min(commits.length, place + farthest);
    let found: Candidate | null = null;
    while (found === null && walk.place < end) {
      const t = commits[walk.place]!;
      if (t < 0 || this.#isOwn(reader, t)) {
        walk.skip();
      } else {
        walk.pass();
        found = this.#candidate(reader, walk);
      }
    }
    walk.moveTo(place);
    return found;
  }

  /** Keeps earlier transactions of the reader's session. */
  #backward(reader: Reader, walk: Walk, farthest: number): Candidate | null {
    const { commits, place } = walk;
    const own: number[] = []; // the latest first
    let found: Candidate | null = null;
    while (found === null && walk.place > 0 && walk.place > place - farthest + 1) {
      const t = commits[walk.place - 1]!;
      walk.back();
      if (t < 0) continue;
      if (this.#isOwn(reader, t)) own.push(t);
      const again = own.toReversed().map((one) => walk.commit(one));
      found = this.#candidate(reader, walk);
      for (const replaced of again.toReversed()) walk.store.takeBack(replaced);
    }
    walk.moveTo(place);
    return found;
  }

  /** Returns the rows that a reader's aggregates cover at this place if it matches all reads. */
  #candidate({ t, from, to }: Reader, { store, place }: Walk): Candidate | null {
    if (store.misses(t, from, to) > 0) return null;
    const { predicate, predicates, aggregate } = this.#history.scans;
    const rows = new Map<number, readonly (readonly [row: number, version: number])[]>();
    store.eachScan(t, from, to, (scan) => {
      if (aggregate[scan] >= 0 && !isOpaque(predicates[predicate[scan]]!))
        rows.set(scan, store.covered(scan, store.matching(scan)));
    });
    return this.#excluded.get(from)?.has(nameOf(rows)) ? null : { place, rows };
  }
}

type Sweep = 'times' | 'all' | 'nearly';

const nameOf = (rows: AssumedRows): string => JSON.stringify([...rows]);
