/**
 * The strong levels of a history with scans. Where the history has times, an order in real time is tried first; then a
 * contradiction near the point where that got stuck; then orders of the reads, with more reads in each round.
 */
import type { CheckerVerdict, IndexedHistory, RunContext } from '@isolab/contract';
import { type History, OpKind, countOperations, passesOverFew, toRegisters } from '@isolab/history';
import { indexed } from '@isolab/contract';
import { canBePlaced, orderInRealTime } from '../hints/one-by-one/in-real-time.ts';
import { certifying, withinSteps } from '../problem/contexts.ts';
import type { Model } from '../problem/model.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Audience } from '../proof/explain.ts';
import { findAll } from '../proof/find-all.ts';
import { type Found, type Outcome, concluded, isFound } from '../proof/numbers.ts';
import { orderOf, satisfied } from '../strategy/strong.ts';
import { PartAround } from '../theories/rows/part-around.ts';
import { ScanReplay } from '../theories/rows/scan-replay.ts';
import type { EventsOfScans, Reader } from '../theories/rows/replay-scans.ts';
import { type Proposer, decide, undecided } from './decide.ts';
import { Reads } from './reads.ts';
import { type OrderOfEvents, rowsAlong } from './rows.ts';

/** Decides a strong level of reads and writes. The guess is an order that may be close to a valid order. */
export type Check = (
  input: IndexedHistory,
  context: RunContext,
  guess: Int32Array | null,
  audience: Audience,
) => CheckerVerdict;

export interface How {
  readonly model: Model;
  readonly tuning: Tuning;
  readonly check: Check;
}

/** Decides a strong level by a check of reads and writes. `first` reads only the returned rows. */
export function checkWithScans(
  first: IndexedHistory,
  withScans: History,
  how: How,
  context: RunContext,
): CheckerVerdict {
  const search = new SearchWithScans(first, withScans, how);
  const end = (outcomes: readonly Outcome[], { passedOver }: Reads): CheckerVerdict =>
    concluded(outcomes, context.certify, { withScans, passedOver, most: how.tuning.mostPassedOver });
  if (context.findAll) {
    const all = findAll(
      context,
      how.tuning,
      (inner) => search.inRealTime(inner) ?? search.roundByRound(inner),
      (found) => search.reads.forget(found),
    );
    return end(all, search.reads);
  }
  const inner = certifying(context);
  const inRealTime = search.inRealTime(inner);
  if (inRealTime !== null) return end([inRealTime], search.reads);
  const near = search.nearStuck(inner);
  return near === null ? end([search.roundByRound(inner)], search.reads) : end([near.found], near.reads);
}

export class SearchWithScans {
  readonly reads: Reads;
  readonly #how: How;
  readonly #hasScans: Uint8Array;
  #stuckAmong: readonly number[] = [];

  constructor(first: IndexedHistory, withScans: History, how: How) {
    const { model, tuning } = how;
    // Without times the first guess is poor, and would overlook many rows.
    const readsAll = withScans.txnBegin === null && passesOverFew(withScans, tuning.fewPassedOver);
    this.reads = readsAll
      ? new Reads(withScans, tuning, null)
      : new Reads(withScans, tuning, new Map(), model.exclusive || !model.split);
    if (!readsAll) this.reads.beginWith(first);
    this.#how = how;
    this.#hasScans = transactionsWithScans(withScans);
  }

  /** Decides by an order in real time, where scans and aggregates are evaluated again; null if none was found soon. */
  inRealTime(context: RunContext): Outcome | null {
    const { model, tuning } = this.#how;
    const { history } = this.reads;
    if (!canBePlaced(history) || (model.time !== 'none' && model.time !== 'returned')) return null;
    const placed = orderInRealTime(this.reads.lowered().input, model, new ScanReplay(history), tuning, context);
    if (placed === null) return null;
    if (placed.order !== null) return { verdict: satisfied(placed.order, model) };
    this.#stuckAmong = placed.stuckAmong;
    return null;
  }

  /** Returns a contradiction near the point where no order in real time could continue; null if none is found soon. */
  nearStuck(context: RunContext): { readonly found: Found; readonly reads: Reads } | null {
    const { stuckShare, stuckSteps } = this.#how.tuning;
    if (this.#stuckAmong.length === 0) return null;
    const around = new PartAround(this.reads.history, this.#stuckAmong);
    const slice = around.slice(stuckShare * countOperations(this.reads.history));
    if (slice === null) return null;
    const { history, txnOf, opOf } = slice;
    return withinSteps(context, stuckSteps, (inner) => {
      const part = new SearchWithScans(indexed(toRegisters(history, new Map()).history), history, this.#how);
      const outcome = part.roundByRound(inner);
      if (!isFound(outcome)) return null;
      context.count('transactions-near-stuck', txnOf.length);
      const { verdict, registers } = outcome;
      const found = { verdict, registers: { ...registers, opOf: registers.opOf.map((op) => opOf[op]) }, txnOf };
      return { found, reads: part.reads };
    });
  }

  /** Decides by orders of reads. Each round adds rows that scans passed over. */
  roundByRound(context: RunContext): Outcome {
    const { reads } = this;
    return (
      decide(reads, this.#proposer(context), rowsAlong(reads, true, context)) ?? {
        verdict: undecided(reads.aggregates.left),
      }
    );
  }

  #proposer(context: RunContext): Proposer<OrderOfEvents> {
    const { reads } = this;
    return () => {
      const audience = reads.assumes ? 'search' : 'people';
      let lowered = reads.lowered();
      let verdict = this.#how.check(lowered.input, context, reads.guess, audience);
      if (verdict.status === 'violated' && !lowered.isFull && !reads.assumes) {
        lowered = reads.inFull();
        verdict = this.#how.check(lowered.input, context, reads.guess, audience);
      }
      if (verdict.status === 'violated') return { verdict, registers: lowered.registers };
      if (verdict.status === 'unknown') return { verdict };
      const { history } = reads;
      const events = orderOf(verdict);
      return { verdict, history, events, scans: eventsOfScans(history, events, this.#hasScans) };
    };
  }
}

/** Returns the events at a strong level, where a transaction sees the state of the database at its begin. */
function eventsOfScans({ txnStart }: History, events: ArrayLike<number>, hasScans: Uint8Array): EventsOfScans {
  const commits = new Int32Array(events.length).fill(-1);
  const readers: (Reader | null)[] = [];
  for (let place = 0; place < events.length; place++) {
    const t = events[place]! >> 1;
    const begins = (events[place]! & 1) === 0;
    if (!begins) commits[place] = t;
    readers.push(begins && hasScans[t] === 1 ? { t, from: txnStart[t], to: txnStart[t + 1] } : null);
  }
  return { commits, readers };
}

function transactionsWithScans({ txnStart, opKind }: History): Uint8Array {
  const hasScans = new Uint8Array(txnStart.length - 1);
  for (let t = 0; t < hasScans.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Scan) hasScans[t] = 1;
  return hasScans;
}
