import {
  type AssumedRows,
  type History,
  OpKind,
  type Overlooked,
  type Replaced,
  type RowsOfAggregate,
  ScanReplay,
} from '@isolab/history';

/** An order of events. */
export interface EventsOfScans {
  /** By event: the transaction that commits, or −1. */
  readonly commits: Int32Array;
  /** By event: the operations that see what there is then, or null. */
  readonly readers: readonly (Reader | null)[];
}

/** Operations of a transaction that see the same state. */
export interface Reader {
  readonly t: number;
  readonly from: number;
  readonly to: number;
}

interface Assumed {
  readonly reader: Reader;
  readonly scans: readonly number[];
  readonly name: string;
}

interface Candidate {
  readonly place: number;
  readonly rows: ReadonlyMap<number, RowsOfAggregate>;
}

/**
 * Aggregates of which it is assumed what rows they were of. Where an order leaves some unexplained, the nearest point is
 * looked for at which all that the reader read is what there is; its aggregates are assumed to be of what there is at that
 * point. That is a guess: only an order that is found with it counts, and what contradicts the history is not assumed
 * again.
 */
export class AssumedAggregates {
  readonly #history: History;
  readonly #rows = new Map<number, RowsOfAggregate>();
  readonly #assumed = new Map<number, Assumed>(); // by the reader's first operation
  readonly #excluded = new Map<number, Set<string>>();
  #latest: { readonly order: EventsOfScans; readonly overlooked: readonly Overlooked[] } | null = null;
  #steps = 0;
  /** By event: where its reader would see what it saw. */
  readonly moves = new Map<number, number>();

  constructor(history: History) {
    this.#history = history;
  }

  get rows(): AssumedRows {
    return this.#rows;
  }

  /** How many aggregates the latest order left unexplained. */
  get left(): number {
    return this.#latest?.overlooked.length ?? 0;
  }

  /** Assumes something of the aggregates that an order does not explain; false if nothing is left to assume. */
  assume(order: EventsOfScans, overlooked: readonly Overlooked[]): boolean {
    this.#latest = { order, overlooked: overlooked.filter(({ row }) => row < 0) };
    return this.#assumeRest();
  }

  #assumeRest(): boolean {
    if (++this.#steps > MOST_STEPS) return false;
    const { order, overlooked } = this.#latest!;
    const wanted = new Set(overlooked.flatMap(({ scan }) => (this.#rows.has(scan) ? [] : [scan])));
    this.moves.clear();
    if (wanted.size === 0) return false;
    return this.#sweep(order, wanted, false) || this.#sweep(order, wanted, true);
  }

  /**
   * Assumes less, for what was assumed contradicts the history; false if it does so whatever is assumed of those
   * transactions. Null if too much was tried.
   */
  retract(inContradiction: ReadonlySet<number>): boolean | null {
    const core = [...this.#assumed].filter(([, { reader }]) => inContradiction.has(reader.t));
    if (core.length === 0) {
      this.#rows.clear();
      this.#assumed.clear();
      return false;
    }
    const [last, { name }] = core.at(-1)!;
    const excluded = this.#excluded.get(last) ?? new Set();
    this.#excluded.set(last, excluded.add(name));
    for (const [first, { scans }] of core) {
      for (const scan of scans) this.#rows.delete(scan);
      this.#assumed.delete(first);
    }
    return this.#assumeRest() || this.#steps <= MOST_STEPS ? true : null;
  }

  /** Goes through an order, and stops at readers of aggregates that are not explained; if `single`, at the first of them. */
  #sweep({ commits, readers }: EventsOfScans, wanted: ReadonlySet<number>, single: boolean): boolean {
    const replay = new ScanReplay(this.#history);
    const done: Replaced[] = [];
    let found = false;
    for (let place = 0; place < commits.length; place++) {
      const reader = readers[place];
      const first = reader ? this.#firstOf(reader, wanted) : -1;
      if (first >= 0) {
        const seen = single ? { ...reader!, from: first, to: first + 1 } : reader!;
        const at = { replay, commits, place, done };
        const candidate = this.#nearest(seen, at, false) ?? this.#nearest(seen, at, true);
        if (candidate !== null) {
          this.#assume(seen, candidate);
          this.moves.set(place, candidate.place);
          if (single) return true;
          found = true;
        }
      }
      done.push(commits[place] < 0 ? [] : replay.commit(commits[place]));
    }
    return found;
  }

  /** Its first operation that is one of some scans, or −1. */
  #firstOf({ from, to }: Reader, wanted: ReadonlySet<number>): number {
    const { opKind, opValue } = this.#history;
    for (let op = from; op < to; op++) if (opKind[op] === OpKind.Scan && wanted.has(opValue[op])) return op;
    return -1;
  }

  #assume(reader: Reader, { rows }: Candidate): void {
    for (const [scan, seen] of rows) this.#rows.set(scan, seen);
    this.#assumed.set(reader.from, { reader, scans: [...rows.keys()], name: nameOf(rows) });
  }

  /**
   * The nearest place where all is what the reader read: between the commits of its own session or, if `crosses`, beyond
   * them, as if they came along.
   */
  #nearest(reader: Reader, at: Place, crosses: boolean): Candidate | null {
    const { commits, place } = at;
    const { t } = reader;
    const { txnSession } = this.#history;
    const isOwn = (event: number): boolean => commits[event] >= 0 && txnSession[commits[event]] === txnSession[t];
    // To a level of single events, its own commit is where it reads.
    const isItself = (event: number): boolean => commits[event] === t && event === place + 1;
    const within = { ...at, isOwn, isItself, crosses };
    const forward = this.#forward(reader, within);
    const farthest = forward === null ? FARTHEST : forward.place - place;
    return this.#backward(reader, within, farthest) ?? forward;
  }

  #forward(reader: Reader, { replay, commits, place, isOwn, isItself, crosses }: Within): Candidate | null {
    const end = Math.min(commits.length, place + FARTHEST);
    const applied: Replaced[] = [];
    let found: Candidate | null = null;
    for (let next = place; found === null && next < end; next++) {
      if (commits[next] < 0 || isItself(next)) continue;
      if (isOwn(next) && !crosses) break;
      if (isOwn(next)) continue;
      applied.push(replay.commit(commits[next]));
      found = this.#candidate(reader, replay, next + 1);
    }
    for (const replaced of applied.toReversed()) replay.takeBack(replaced);
    return found;
  }

  #backward(
    reader: Reader,
    { replay, commits, place, done, isOwn, crosses }: Within,
    farthest: number,
  ): Candidate | null {
    const own: number[] = []; // its session's transactions that were passed, the latest first
    let found: Candidate | null = null;
    let previous = place - 1;
    for (; found === null && previous >= 0 && previous > place - farthest; previous--) {
      if (commits[previous] < 0) continue;
      if (isOwn(previous) && !crosses) break;
      replay.takeBack(done[previous]!);
      if (isOwn(previous)) own.push(commits[previous]);
      const again = own.toReversed().map((t) => replay.commit(t));
      found = this.#candidate(reader, replay, previous);
      for (const replaced of again.toReversed()) replay.takeBack(replaced);
    }
    for (let event = previous + 1; event < place; event++) if (commits[event] >= 0) replay.commit(commits[event]);
    return found;
  }

  #candidate({ t, from, to }: Reader, replay: ScanReplay, place: number): Candidate | null {
    const rows = replay.rowsOfAggregates(t, from, to);
    return rows === null || this.#excluded.get(from)?.has(nameOf(rows)) ? null : { place, rows };
  }
}

interface Within extends Place {
  readonly isOwn: (event: number) => boolean;
  readonly isItself: (event: number) => boolean;
  readonly crosses: boolean;
}

interface Place {
  readonly replay: ScanReplay;
  readonly commits: Int32Array;
  readonly place: number;
  /** By event before the place: what it replaced. */
  readonly done: readonly Replaced[];
}

const nameOf = (rows: ReadonlyMap<number, RowsOfAggregate>): string => JSON.stringify([...rows]);

/** How often something is assumed, each time for another search; and how far away in the order, in events. */
const MOST_STEPS = 200;
const FARTHEST = 2000;
