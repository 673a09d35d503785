import { type History, NO_TIME, OpKind, UNKNOWN_VALUE, countKeys, countSessions } from '@isolab/history';
import { returned } from '../view/times.ts';
import type { Versions } from '../view/versions.ts';

/**
 * An order of transactions of registers, one after the other, that respects sessions and real time; null if none was found
 * soon. It places at each step one that nothing left has returned before, and whose reads saw what there is then, and goes
 * back where there is none (Wing and Gong); never twice to the same transactions left and the same values (Lowe). What was
 * read is compared by value, so that repeated values leave nothing to choose. It is fast where few transactions overlap.
 */
export function orderOneByOne(history: History, versions: Versions, tick: (steps: number) => void): number[] | null {
  if (history.opKind.some((kind) => kind !== OpKind.Read && kind !== OpKind.Write)) return null;
  const times = timesOf(history);
  return times === null ? null : new OneByOne(history, versions, times).run(tick);
}

interface Times {
  readonly begin: Float64Array;
  /** When each returned; infinite where that is not known. */
  readonly end: Float64Array;
}

/** Null if they do not fit numbers. */
function timesOf(history: History): Times | null {
  const { txnBegin, txnEnd, txnStatus } = history;
  let least: bigint | null = null;
  let most = 0n;
  for (const column of [txnBegin, txnEnd])
    for (const time of column ?? []) {
      if (time === NO_TIME) continue;
      if (least === null || time < least) least = time;
      if (time > most) most = time;
    }
  const from = least ?? 0n;
  if (most - from > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const begin = new Float64Array(txnStatus.length).fill(-Infinity);
  const end = new Float64Array(txnStatus.length).fill(Infinity);
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnBegin !== null && txnBegin[t] !== NO_TIME) begin[t] = Number(txnBegin[t]! - from);
    if (returned(history, t)) end[t] = Number(txnEnd![t]! - from);
  }
  return { begin, end };
}

/** A choice that was made: what may be tried instead, and what it replaced. */
interface Step {
  /** Sessions whose next transaction may come here, or ~session to leave it out; the last is tried first. */
  readonly rest: number[];
  /** The one that was tried, and the values that it replaced, by key. */
  tried: number;
  readonly replaced: number[];
}

class OneByOne {
  readonly #history: History;
  readonly #optional: Uint8Array | null;
  readonly #begin: Float64Array;
  readonly #end: Float64Array;
  // By session, those first that begin first: its transactions that happened or may have, which of them is next, when the
  // first of those left returned, and before when nothing of it can matter.
  readonly #members: readonly number[][];
  readonly #next: Int32Array;
  readonly #firstEnd: readonly Float64Array[];
  readonly #start: readonly number[];
  #from = 0; // sessions before this one are over
  readonly #value: Int32Array; // by key
  readonly #order: number[] = [];
  readonly #seen = new Set<number>();
  #left = 0; // how many that happened are not placed
  #looked = 0; // at how many sessions
  #hashA = 0;
  #hashB = 0;

  constructor(history: History, { happened, optional }: Versions, { begin, end }: Times) {
    this.#history = history;
    this.#optional = optional;
    this.#begin = begin;
    this.#end = end;
    const sessions = Array.from({ length: countSessions(history) }, (): number[] => []);
    for (let t = 0; t < happened.length; t++) {
      if (happened[t] === 1 || optional?.[t] === 1) sessions[history.txnSession[t]]!.push(t);
      if (happened[t] === 1) this.#left++;
    }
    const firstEnds = sessions.map((members) => {
      const first = new Float64Array(members.length + 1).fill(Infinity);
      for (let i = members.length - 1; i >= 0; i--) first[i] = Math.min(first[i + 1]!, end[members[i]!]!);
      return first;
    });
    const starts = sessions.map(([t], s) => (t === undefined ? Infinity : Math.min(begin[t]!, firstEnds[s]![0]!)));
    const inOrder = Array.from(sessions.keys()).toSorted((a, b) => starts[a]! - starts[b]! || a - b);
    this.#members = inOrder.map((s) => sessions[s]!);
    this.#firstEnd = inOrder.map((s) => firstEnds[s]!);
    this.#start = inOrder.map((s) => starts[s]!);
    this.#next = new Int32Array(sessions.length);
    this.#value = history.keyInitial.slice(0, countKeys(history));
  }

  run(tick: (steps: number) => void): number[] | null {
    const most = LOOKED_AT_LEAST + LOOKED_AT_EACH * this.#left;
    const steps: Step[] = [this.#step()];
    let charged = 0;
    while (this.#left > 0) {
      const step = steps.at(-1);
      if (step === undefined || this.#looked > most) return null;
      if (this.#looked - charged > TICK) {
        tick(this.#looked - charged);
        charged = this.#looked;
      }
      const choice = step.rest.pop();
      if (choice === undefined) {
        steps.pop();
        const before = steps.at(-1);
        if (before !== undefined) this.#takeBack(before);
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
    }
    return this.#order;
  }

  /** What may come next: whoever must be done first is tried first. */
  #step(): Step {
    const next: number[] = [];
    const leftOut: number[] = [];
    while (this.#from < this.#next.length && this.#next[this.#from] === this.#members[this.#from]!.length) this.#from++;
    let first = Infinity; // when the first of those left returned, in which session, and the first of all others
    let session = -1;
    let second = Infinity;
    let to = this.#from;
    for (; to < this.#next.length && this.#start[to]! <= second; to++) {
      const end = this.#firstEnd[to]![this.#next[to]];
      if (end < first) [first, session, second] = [end, to, first];
      else if (end < second) second = end;
    }
    this.#looked += to - this.#from;
    for (let s = this.#from; s < to; s++) {
      const t = this.#members[s]![this.#next[s]];
      if (t === undefined) continue;
      if (this.#optional?.[t] === 1) leftOut.push(~s);
      // Also of its own session nothing may have returned before: clocks may contradict sessions.
      const others = s === session ? Math.min(second, this.#firstEnd[s]![this.#next[s] + 1]) : first;
      if (this.#begin[t] <= others && this.#isExplained(t)) next.push(s);
    }
    const endOf = (s: number): number => this.#end[this.#members[s]![this.#next[s]]!];
    return { rest: [...leftOut, ...next.toSorted((a, b) => endOf(b) - endOf(a))], tried: 0, replaced: [] };
  }

  /** Whether all that a transaction read from others is what there is now. */
  #isExplained(t: number): boolean {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Read || opValue[op] === UNKNOWN_VALUE || opValue[op] === this.#value[opKey[op]])
        continue;
      let before = op - 1;
      while (before >= txnStart[t] && (opKind[before] !== OpKind.Write || opKey[before] !== opKey[op])) before--;
      if (before < txnStart[t]) return false;
    }
    return true;
  }

  #place(step: Step): void {
    const isLeftOut = step.tried < 0;
    const s = isLeftOut ? ~step.tried : step.tried;
    const t = this.#members[s]![this.#next[s]]!;
    this.#advance(s, 1);
    if (isLeftOut) return;
    this.#order.push(t);
    if (this.#optional?.[t] !== 1) this.#left--;
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      step.replaced.push(opKey[op], this.#value[opKey[op]]);
      this.#set(opKey[op], opValue[op]);
    }
  }

  #takeBack({ tried, replaced }: Step): void {
    this.#advance(tried < 0 ? ~tried : tried, -1);
    if (tried < 0) return;
    const t = this.#order.pop()!;
    if (this.#optional?.[t] !== 1) this.#left++;
    while (replaced.length > 0) {
      const value = replaced.pop()!;
      this.#set(replaced.pop()!, value);
    }
  }

  #advance(s: number, by: number): void {
    this.#mix(s, this.#next[s]);
    this.#next[s] += by;
    if (s < this.#from) this.#from = s;
    this.#mix(s, this.#next[s]);
  }

  #set(key: number, value: number): void {
    this.#mix(~key, this.#value[key]);
    this.#value[key] = value;
    this.#mix(~key, value);
  }

  /** Adds a pair to what tells a place from others, or takes it away. */
  #mix(a: number, b: number): void {
    this.#hashA = (this.#hashA ^ scrambled(a, b)) >>> 0;
    this.#hashB = (this.#hashB ^ scrambled(b + 0x51ed270b, a)) >>> 0;
  }
}

function scrambled(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** How many sessions are looked at before it gives up: so many, and so many more for each transaction. */
const LOOKED_AT_LEAST = 100_000;
const LOOKED_AT_EACH = 200;
const TICK = 10_000;
