/**
 * Aggregates with assumed rows. Where an order leaves some aggregates unexplained, the search looks for the nearest
 * point at which all reads of the reader are current. It assumes that the aggregates include the rows that are current
 * at that point. This is a guess: it counts only if an order is found with it, and a guess that contradicts the
 * history is not repeated.
 */
import { type AssumedRows, type History, OpKind, countOperations } from '@isolab/history';
import type { Tuning } from '../../problem/tuning.ts';
import { type Overlooked, ScanReplay } from '../rows/scan-replay.ts';
import type { EventsOfScans, Reader } from '../rows/replay-scans.ts';

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
      this.assumeByTimes(order, overlooked) ||
      this.#sweep(order, wanted, 'all') ||
      this.#sweep(order, wanted, 'nearly') ||
      this.#sweep(order, wanted, 'first')
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

  /** Walks along an order, and assumes the rows of all unexplained aggregates, or only of the first. */
  #sweep({ commits, readers }: EventsOfScans, wanted: ReadonlySet<number>, how: Sweep): boolean {
    const replay = new ScanReplay(this.#history);
    const done: number[][] = [];
    let found = false;
    for (let place = 0; place < commits.length; place++) {
      const reader = readers[place];
      const first = reader ? this.#first(reader, wanted, null) : -1;
      if (first >= 0) {
        const seen = how === 'first' ? { ...reader!, from: first, to: first + 1 } : reader!;
        const at = { replay, commits, place, done };
        const candidate =
          how === 'times'
            ? this.#sinceBegun(seen, at)
            : how === 'nearly'
              ? this.#butForOneRow(seen, wanted, at)
              : this.#nearest(seen, at);
        if (candidate !== null) {
          this.#assume(seen, candidate);
          if (how !== 'times') this.moves.set(place, candidate.place);
          if (how === 'first') return true;
          found = true;
        }
      }
      done.push(committed(replay, commits[place]));
    }
    return found;
  }

  #assume(reader: Reader, { rows }: Candidate): void {
    for (const [scan, seen] of rows) this.#rows.set(scan, seen);
    this.#assumed.set(reader.from, { reader, scans: [...rows.keys()], name: nameOf(rows) });
  }

  /**
   * Finds the nearest place that matches all reads except for one row that was written nearby: of two commits before
   * that place (or after it), only the later commit was seen.
   */
  #butForOneRow(
    reader: Reader,
    wanted: ReadonlySet<number>,
    { replay, commits, place, done }: Place,
  ): Candidate | null {
    const { assumedPlaces } = this.#tuning;
    const first = Math.max(0, place - assumedPlaces);
    for (let event = place - 1; event >= first; event--) replay.takeBack(done[event]!);
    const end = Math.min(commits.length, place + assumedPlaces);
    const written = done.slice(0, first);
    let found: Candidate | null = null;
    for (let at = first; at <= end; at++) {
      if (found === null || Math.abs(at - place) < Math.abs(found.place - place))
        found = this.#withOtherRow(reader, wanted, { replay, commits, place: at, done: written }) ?? found;
      if (at < end) written.push(committed(replay, commits[at]));
    }
    for (let event = end - 1; event >= place; event--) replay.takeBack(written[event]!);
    return found;
  }

  #withOtherRow(
    reader: Reader,
    wanted: ReadonlySet<number>,
    { replay, commits, place, done }: Place,
  ): Candidate | null {
    const { t, from, to } = reader;
    if (replay.misses(t, from, to) > this.#tuning.assumedMisses) return null;
    const op = this.#first(reader, wanted, replay);
    if (op < 0) return null;
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const shortBy = replay.shortBy(t, op);
    const ifReplaced = (row: number, version: number): Candidate | null => {
      const adds = replay.wouldAdd(opValue[op], row, version);
      if (adds === 0 || (adds !== shortBy && !Number.isNaN(adds))) return null;
      const before = replay.replace(row, version);
      const candidate = this.#candidate(reader, replay, place);
      replay.replace(row, before);
      return candidate;
    };
    for (let distance = 1; distance <= this.#tuning.assumedRowDistance; distance++) {
      const replaced = done[place - distance] ?? [];
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

  /** Returns the first of a reader's operations that is a wanted scan, and whose result would differ in a replay; or −1. */
  #first({ t, from, to }: Reader, wanted: ReadonlySet<number>, replay: ScanReplay | null): number {
    const { opKind, opValue } = this.#history;
    for (let op = from; op < to; op++)
      if (opKind[op] === OpKind.Scan && wanted.has(opValue[op]) && replay?.misses(t, op, op + 1) !== 0) return op;
    return -1;
  }

  /** Returns the nearest place that matches all of the reader's reads. */
  #nearest(reader: Reader, at: Place): Candidate | null {
    for (const crosses of [false, true]) {
      const { assumedDistance } = this.#tuning;
      const forward = this.#forward(reader, at, crosses, assumedDistance);
      const farthest = forward === null ? assumedDistance : forward.place - at.place;
      const found = this.#backward(reader, at, crosses, farthest) ?? forward;
      if (found !== null) return found;
    }
    return null;
  }

  /** Returns the first place since the reader began, or shortly before, where all reads match. */
  #sinceBegun(reader: Reader, at: Place): Candidate | null {
    const here = this.#candidate(reader, at.replay, at.place);
    if (here !== null) return here;
    const { assumedDistanceByTimes: farthest } = this.#tuning;
    return this.#forward(reader, at, true, farthest) ?? this.#backward(reader, at, true, farthest);
  }

  #isOwn({ t }: Reader, other: number): boolean {
    return other >= 0 && this.#history.txnSession[other] === this.#history.txnSession[t];
  }

  #forward(reader: Reader, { replay, commits, place }: Place, crosses: boolean, farthest: number): Candidate | null {
    const end = Math.min(commits.length, place + farthest);
    const applied: number[][] = [];
    let found: Candidate | null = null;
    for (let next = place; found === null && next < end; next++) {
      // At levels with single events, a transaction reads at its own commit.
      if (commits[next] < 0 || (commits[next] === reader.t && next === place + 1)) continue;
      if (this.#isOwn(reader, commits[next])) {
        if (crosses) continue;
        break;
      }
      applied.push(committed(replay, commits[next]));
      found = this.#candidate(reader, replay, next + 1);
    }
    for (const replaced of applied.toReversed()) replay.takeBack(replaced);
    return found;
  }

  #backward(
    reader: Reader,
    { replay, commits, place, done }: Place,
    crosses: boolean,
    farthest: number,
  ): Candidate | null {
    const own: number[] = []; // passed transactions of its session, the latest first
    let found: Candidate | null = null;
    let previous = place - 1;
    for (; found === null && previous >= 0 && previous > place - farthest; previous--) {
      if (commits[previous] < 0) continue;
      const isOwn = this.#isOwn(reader, commits[previous]);
      if (isOwn && !crosses) break;
      replay.takeBack(done[previous]!);
      if (isOwn) own.push(commits[previous]);
      const again = own.toReversed().map((t) => committed(replay, t));
      found = this.#candidate(reader, replay, previous);
      for (const replaced of again.toReversed()) replay.takeBack(replaced);
    }
    for (let event = previous + 1; event < place; event++) if (commits[event] >= 0) replay.commit(commits[event], []);
    return found;
  }

  #candidate({ t, from, to }: Reader, replay: ScanReplay, place: number): Candidate | null {
    const rows = replay.rowsOfAggregates(t, from, to);
    return rows === null || this.#excluded.get(from)?.has(nameOf(rows)) ? null : { place, rows };
  }
}

type Sweep = 'times' | 'all' | 'nearly' | 'first';

interface Place {
  readonly replay: ScanReplay;
  readonly commits: Int32Array;
  readonly place: number;
  /** Versions that each event before the place replaced. */
  readonly done: readonly (readonly number[])[];
}

/** Commits a transaction, if there is one, and returns the versions that it replaced. */
function committed(replay: ScanReplay, t: number): number[] {
  const replaced: number[] = [];
  if (t >= 0) replay.commit(t, replaced);
  return replaced;
}

const nameOf = (rows: AssumedRows): string => JSON.stringify([...rows]);
