import { type History, OpKind, type ReadFromIndex, countSessions } from '@isolab/history';
import type { Model } from '../../problem/model.ts';
import type { Tuning } from '../../problem/tuning.ts';
import type { Versions } from '../../problem/versions.ts';
import { Horizon } from './horizon.ts';
import type { EventBounds } from './real-time.ts';
import type { Store } from './stores.ts';
import { Unread } from './unread.ts';
import { WriteLocks } from './write-locks.ts';

export interface Placing {
  readonly history: History;
  readonly index: ReadFromIndex;
  /** Bounds that an order must respect. Any order nearly respects the first, so sessions are sorted by them. */
  readonly bounds: readonly EventBounds[];
  readonly versions: Pick<Versions, 'happened' | 'optional'>;
  readonly model: Pick<Model, 'split' | 'exclusive'>;
  readonly store: Store;
  /** Number of backward steps without further progress before the search gives up. */
  readonly patience: number;
  readonly tuning: Pick<Tuning, 'sessionsLookedAt' | 'sessionsLookedAtEach'>;
  readonly tick: (steps: number) => void;
}

/**
 * Searches for an order of transactions, or of begins and commits, that respects sessions and bounds. Each step
 * places a transaction that saw the current state and that has to wait for no remaining transaction. If no such
 * transaction remains, the search steps back (Wing and Gong). It never visits a state with equal remaining transactions
 * and equal values twice (Lowe). Reads are compared by value, so repeated values leave nothing to choose, and scans are
 * evaluated again. The search is fast where few transactions overlap, and gives up early elsewhere: null.
 */
export const orderOneByOne = (placing: Placing): number[] | null => new OneByOne(placing).run();

/** A choice made by the search: its alternatives, and the state that it replaced. */
interface PlacingStep {
  /** Sessions whose next event may come here, or ~session to leave its transaction out. The last one is tried first. */
  readonly rest: number[];
  /** The choice that was tried, and the values that it replaced, in the format of the store. */
  tried: number;
  readonly replaced: number[];
  /** The replaced values, as versions. */
  readonly overwritten: number[];
}

class OneByOne {
  readonly #placing: Placing;
  readonly #store: Store;
  readonly #shift: 0 | 1;
  readonly #end: Float64Array;
  readonly #writes: Uint8Array; // by transaction: whether it writes
  // Transactions of each session that happened or may have happened, in the order of their begins, and the next event
  // of each session.
  readonly #members: readonly number[][];
  readonly #next: Int32Array;
  readonly #horizons: readonly Horizon[];
  #from = 0; // sessions before this one are finished
  readonly #locks: WriteLocks | null; // null unless writers exclude each other
  readonly #unread: Unread;
  readonly #order: number[] = [];
  readonly #seen = new Set<number>();
  #left = 0; // number of transactions that happened and are not placed
  #looked = 0; // number of sessions examined
  #hashA = 0;
  #hashB = 0;

  constructor(placing: Placing) {
    const { history, versions, model, store, bounds } = placing;
    const { happened, optional } = versions;
    this.#placing = placing;
    this.#store = store;
    this.#unread = new Unread(history, placing.index, happened);
    this.#shift = model.split ? 1 : 0;
    this.#end = bounds[0]!.end;
    this.#writes = writersAmong(history);
    const sessions = Array.from({ length: countSessions(history) }, (): number[] => []);
    for (let t = 0; t < happened.length; t++) {
      if (happened[t] === 1 || optional?.[t] === 1) sessions[history.txnSession[t]]!.push(t);
      if (happened[t] === 1) this.#left++;
    }
    const { start } = new Horizon(bounds[0]!, sessions, this.#shift);
    const members = Array.from(sessions.keys())
      .toSorted((a, b) => (start[a]! < start[b]! ? -1 : start[a]! > start[b]! ? 1 : a - b))
      .map((s) => sessions[s]!);
    this.#members = members;
    this.#horizons = bounds.map((each) => new Horizon(each, members, this.#shift));
    this.#next = new Int32Array(sessions.length);
    this.#locks = model.exclusive ? new WriteLocks(history) : null;
  }

  run(): number[] | null {
    const { patience, tick, tuning } = this.#placing;
    const most = tuning.sessionsLookedAt + tuning.sessionsLookedAtEach * this.#left;
    const steps: PlacingStep[] = [this.#step()];
    let charged = 0;
    let back = 0; // number of backward steps since the farthest point
    let farthest = 0;
    while (this.#left > 0) {
      const step = steps.at(-1);
      if (step === undefined || this.#looked > most || back > patience) return null;
      if (this.#looked - charged > TICK) {
        tick(this.#looked - charged);
        charged = this.#looked;
      }
      const choice = step.rest.pop();
      if (choice === undefined) {
        steps.pop();
        const before = steps.at(-1);
        if (before !== undefined) this.#takeBack(before);
        back++;
        continue;
      }
      step.tried = choice;
      this.#place(step);
      const place = this.#hashA * 2 ** 21 + (this.#hashB & (2 ** 21 - 1));
      if (this.#seen.has(place)) {
        this.#takeBack(step);
        continue;
      }
      this.#seen.add(place);
      steps.push(this.#step());
      if (steps.length > farthest) {
        farthest = steps.length;
        back = 0;
      }
    }
    return this.#order;
  }

  #nextOf(s: number): number | undefined {
    return this.#members[s]![this.#next[s] >> this.#shift];
  }

  #isBegun(s: number): boolean {
    return (this.#next[s] & this.#shift) === 1;
  }

  /** Returns the next events, sorted by their end. */
  #step(): PlacingStep {
    const leftOut: number[] = [];
    const next: number[] = [];
    for (const s of this.#allowed()) {
      const t = this.#nextOf(s)!;
      if (!this.#isBegun(s)) {
        if (this.#isOptional(t)) leftOut.push(~s);
        if (this.#locks?.excludes(t) === true || this.#store.misses(t) > 0) continue;
      }
      if (this.#commits(s) && this.#unread.blocks(t, this.#isBegun(s))) continue;
      // An event that changes nothing for other transactions needs no alternative.
      if (this.#isFree(s, t)) return { rest: [s], tried: 0, replaced: [], overwritten: [] };
      next.push(s);
    }
    return { rest: [...leftOut, ...this.#sorted(next)], tried: 0, replaced: [], overwritten: [] };
  }

  /** Returns the sessions whose next event no remaining event must precede. */
  #allowed(): number[] {
    while (this.#from < this.#next.length && this.#nextOf(this.#from) === undefined) this.#from++;
    const horizons = this.#horizons;
    const [guide] = horizons as [Horizon];
    for (const horizon of horizons) horizon.clear();
    let to = this.#from;
    // Beyond the last session, nothing precedes the events of the others by the first bounds.
    for (; to < this.#next.length && (horizons.length > 1 || guide.start[to]! <= guide.second); to++)
      for (let i = 0; i < horizons.length; i++) horizons[i]!.include(to, this.#next[to]!);
    this.#looked += to - this.#from;
    const allowed: number[] = [];
    for (let s = this.#from; s < to; s++) if (this.#isAllowed(s)) allowed.push(s);
    return allowed;
  }

  #isAllowed(s: number): boolean {
    const t = this.#nextOf(s);
    if (t === undefined) return false;
    for (let i = 0; i < this.#horizons.length; i++) if (!this.#horizons[i]!.allows(s, this.#next[s]!, t)) return false;
    return true;
  }

  #isFree(s: number, t: number): boolean {
    if (this.#writes[t] === 0) return true;
    return this.#locks === null && !this.#commits(s) && !this.#isOptional(t);
  }

  #isOptional(t: number): boolean {
    return this.#placing.versions.optional?.[t] === 1;
  }

  /** Sorts sessions so that the best comes last: begins, then the commit with the earliest end. */
  #sorted(sessions: readonly number[]): number[] {
    const endOf = (s: number): number => (this.#commits(s) ? this.#end[this.#nextOf(s)!]! : -Infinity);
    return sessions.toSorted((a, b) => endOf(b) - endOf(a));
  }

  #commits(s: number): boolean {
    return this.#shift === 0 || this.#isBegun(s);
  }

  #place(step: PlacingStep): void {
    const { tried, replaced } = step;
    if (tried < 0) {
      this.#advance(~tried, 1 << this.#shift);
      return;
    }
    const t = this.#nextOf(tried)!;
    const commits = this.#commits(tried);
    if (!this.#isBegun(tried)) {
      this.#unread.begin(t);
      if (this.#isOptional(t)) this.#left++;
    }
    this.#order.push(this.#shift === 0 ? t : 2 * t + (commits ? 1 : 0));
    this.#advance(tried, 1);
    if (!commits) {
      this.#locks?.hold(t);
      return;
    }
    this.#locks?.release(t);
    this.#left--;
    this.#store.commit(t, replaced);
    this.#unread.commit(t, step.overwritten);
    for (let i = 0; i < replaced.length; i += 3) this.#mixChange(~replaced[i]!, replaced[i + 1]!, replaced[i + 2]!);
  }

  #takeBack({ tried, replaced, overwritten }: PlacingStep): void {
    if (tried < 0) {
      this.#advance(~tried, -(1 << this.#shift));
      return;
    }
    this.#advance(tried, -1);
    this.#order.pop();
    const t = this.#nextOf(tried)!;
    if (!this.#isBegun(tried)) {
      this.#unread.takeBackBegin(t);
      if (this.#isOptional(t)) this.#left--;
    }
    if (!this.#commits(tried)) {
      this.#locks?.release(t);
      return;
    }
    this.#locks?.hold(t);
    this.#left++;
    this.#store.takeBack(replaced);
    this.#unread.takeBackCommit(overwritten);
    for (let i = 0; i < replaced.length; i += 3) this.#mixChange(~replaced[i]!, replaced[i + 2]!, replaced[i + 1]!);
    replaced.length = 0;
  }

  #advance(s: number, by: number): void {
    const before = this.#next[s];
    this.#next[s] += by;
    if (s < this.#from) this.#from = s;
    this.#mixChange(s, before, this.#next[s]);
  }

  /** Updates the hash of the search state: the position of each session, and the current values. */
  #mixChange(what: number, before: number, after: number): void {
    this.#mix(what, before);
    this.#mix(what, after);
  }

  #mix(a: number, b: number): void {
    this.#hashA = (this.#hashA ^ scrambled(a, b)) >>> 0;
    this.#hashB = (this.#hashB ^ scrambled(b + 0x51ed270b, a)) >>> 0;
  }
}

function writersAmong({ txnStart, opKind }: History): Uint8Array {
  const writes = new Uint8Array(txnStart.length - 1);
  for (let t = 0; t < writes.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Write) writes[t] = 1;
  return writes;
}

function scrambled(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** Number of examined sessions between two checks of the budget. */
const TICK = 10_000;
