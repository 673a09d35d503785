import {
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type RunContext,
  indexed,
} from '@isolab/contract';
import {
  type History,
  OpKind,
  type PassedOver,
  type RegisterHistory,
  RepeatedLowering,
  UNKNOWN_VALUE,
  countKeys,
  countOperations,
  passesOverFew,
  toRegisters,
  transactionOf,
} from '@isolab/history';
import { type Overlooked, ScanReplay } from '../theories/rows/scan-replay.ts';
import { AssumedAggregates } from '../theories/rows/assumed-aggregates.ts';
import type { Audience } from '../proof/explain.ts';
import { readsOf } from '../proof/find-all.ts';
import { transactionsIn } from '../proof/transactions-in.ts';
import type { Model } from '../problem/model.ts';
import { ReplayOfScans } from '../theories/rows/replay-scans.ts';
import {
  NOTHING_MOVED,
  addAll,
  allInOrder,
  eventsOfScans,
  orderOf,
  transactionsWithScans,
  undecided,
} from '../theories/rows/scans.ts';
import { withinSteps } from '../problem/contexts.ts';
import { PartAround } from '../theories/rows/part-around.ts';
import { canBePlaced, orderInRealTime } from '../hints/one-by-one/in-real-time.ts';
import { satisfied } from '../strategy/strong.ts';
import type { Tuning } from '../problem/tuning.ts';

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
}

/** A verdict. A violation refers to the history in which scans read these of the rows that they passed over. */
export interface Decided {
  readonly verdict: CheckerVerdict;
  readonly numbered: RegisterHistory;
  /** Rows passed over, by scan; null if all are read. */
  readonly passedOver: PassedOver | null;
  /** For a part of the history: the transaction of the whole history for each transaction of the part. */
  readonly txnOf?: Int32Array;
}

/**
 * Decides a strong level of a history with scans. Each row that a scan passed over is a read, too, but few of these
 * reads matter, because a scan passes over nearly every row. Therefore only the returned rows are read at first. The
 * resulting order is replayed. Where a row matches although the scan did not return it, that read is added, and another
 * order is searched for, close to the last order. If there is none, the reads so far contradict one another, and so
 * does the whole history.
 */
export class SearchWithScans {
  readonly #history: History;
  readonly #how: How;
  readonly #context: RunContext;
  readonly #check: Check;
  readonly #aggregates: AssumedAggregates;
  readonly #hasScans: Uint8Array;
  readonly #lowering: RepeatedLowering | null;
  /** Facts that a transaction is assumed never to have learned, by transaction. */
  readonly #forgotten = new Map<number, Forgotten>();
  #passedOver: Map<number, number[]> | null = new Map();
  #input: IndexedHistory;
  /** Whether every version writes the items of its row in the input. Then certificates use the numbers of the input. */
  #isNumbered: boolean;
  #numbered: RegisterHistory | null = null;
  #guess: Int32Array | null = null;
  #stuckAmong: readonly number[] = [];
  #round = 0;

  constructor(first: IndexedHistory, withScans: History, how: How, context: RunContext, check: Check) {
    const { model, tuning } = how;
    this.#history = withScans;
    this.#how = how;
    this.#context = context;
    this.#check = check;
    this.#aggregates = new AssumedAggregates(withScans);
    this.#hasScans = transactionsWithScans(withScans);
    // Without times the first guess is poor, and would overlook many rows.
    const readsAll = withScans.txnBegin === null && passesOverFew(withScans, tuning.fewPassedOver);
    this.#lowering = !readsAll && (model.exclusive || !model.split) ? new RepeatedLowering(withScans) : null;
    if (readsAll) this.#passedOver = null;
    this.#input = readsAll ? indexed(this.numbered.history) : first;
    this.#isNumbered = true;
  }

  /** Rows that a scan passed over and that are read, by scan; null if all are read. */
  get passedOver(): PassedOver | null {
    return this.#passedOver;
  }

  /** The history of reads and writes that the numbers of a violation refer to. */
  get numbered(): RegisterHistory {
    return (this.#numbered ??= toRegisters(this.#history, this.#passedOver, this.#aggregates.rows));
  }

  /** Returns the verdict. The numbers of a violation refer to `numbered`. */
  decide(): CheckerVerdict {
    return this.inRealTime() ?? this.roundByRound();
  }

  /** Decides by an order in real time, where scans and aggregates are evaluated again; null if none was found soon. */
  inRealTime(): CheckerVerdict | null {
    const { model, tuning } = this.#how;
    if (!canBePlaced(this.#history) || (model.time !== 'none' && model.time !== 'returned')) return null;
    const placed = orderInRealTime(this.#input, model, new ScanReplay(this.#history), tuning, this.#context);
    if (placed === null) return null;
    if (placed.order !== null) return satisfied(placed.order, model);
    this.#stuckAmong = placed.stuckAmong;
    return null;
  }

  /** Returns a contradiction near the point where no order in real time could continue; null if none is found soon. */
  nearStuck(): Decided | null {
    const { stuckShare, stuckSteps } = this.#how.tuning;
    if (this.#stuckAmong.length === 0) return null;
    const around = new PartAround(this.#history, this.#stuckAmong);
    const slice = around.slice(stuckShare * countOperations(this.#history));
    if (slice === null) return null;
    const { history, txnOf, opOf } = slice;
    return withinSteps(this.#context, stuckSteps, (context) => {
      const first = indexed(toRegisters(history, new Map()).history);
      const part = new SearchWithScans(first, history, this.#how, context, this.#check);
      const verdict = part.roundByRound();
      if (verdict.status !== 'violated') return null;
      context.count('transactions-near-stuck', txnOf.length);
      const { numbered, passedOver } = part;
      return { verdict, numbered: { ...numbered, opOf: numbered.opOf.map((op) => opOf[op]) }, passedOver, txnOf };
    });
  }

  /** Decides by orders of reads. Each round adds rows that scans passed over. */
  roundByRound(): CheckerVerdict {
    const aggregates = this.#aggregates;
    for (;;) {
      const audience = aggregates.rows.size > 0 ? 'search' : 'people';
      const verdict = this.#check(this.#input, this.#context, this.#guess, audience);
      if (verdict.status === 'unknown') return verdict;
      if (verdict.status === 'satisfied') {
        const end = this.#addOverlooked(verdict);
        if (end !== null) return end;
        continue;
      }
      if (aggregates.rows.size > 0) {
        if (aggregates.retract(transactionsIn(verdict, this.#input.history)) === null)
          return undecided(aggregates.left);
        this.#lower();
        continue;
      }
      if (this.#isNumbered) return verdict;
      this.#input = this.#inputOf(this.numbered);
      this.#isNumbered = true;
    }
  }

  /** Treats the reads of these anomalies and of their rows as unknown. Returns whether this changed anything. */
  forget(anomalies: readonly FoundAnomaly[]): boolean {
    const { history, items, opOf } = this.numbered;
    let some = false;
    for (const { certificate } of anomalies) {
      for (const read of readsOf(certificate!)) {
        const t = transactionOf(history, read);
        const { ops, rows } = this.#forgotten.get(t) ?? { ops: new Set(), rows: new Set() };
        const row = rowOf(history.opKey[read], this.#history, items);
        if (ops.has(opOf[read]) && rows.has(row)) continue;
        this.#forgotten.set(t, { ops: ops.add(opOf[read]), rows: rows.add(row) });
        some = true;
      }
    }
    if (some) this.#lower();
    return some;
  }

  /**
   * Replays an order, and adds reads of the rows that it overlooks. Returns the verdict, or null after such an
   * addition.
   */
  #addOverlooked(verdict: Extract<CheckerVerdict, { status: 'satisfied' }>): CheckerVerdict | null {
    const aggregates = this.#aggregates;
    this.#context.stage('traverse');
    const order = orderOf(verdict);
    const events = eventsOfScans(this.#history, order, this.#hasScans);
    const replay = new ReplayOfScans(this.#history, events, aggregates.rows);
    const overlooked = this.#learned(replay.overlooked);
    this.#context.tick(countOperations(this.#history));
    this.#context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return verdict;
    const added: boolean = this.#passedOver !== null && addAll(this.#passedOver, overlooked);
    if (added) {
      const isPoor = this.#round++ === 0 && !replay.isSparse;
      addAll(this.#passedOver!, replay.near(isPoor ? 0 : NEIGHBOURS));
      aggregates.assumeByTimes(events, overlooked);
    }
    if (!added && !aggregates.assume(events, overlooked)) return undecided(aggregates.left);
    this.#guess = allInOrder(this.#history, order, added ? NOTHING_MOVED : aggregates.moves);
    this.#lower();
    return null;
  }

  #learned(overlooked: readonly Overlooked[]): readonly Overlooked[] {
    if (this.#forgotten.size === 0) return overlooked;
    const { opKind, opValue, txnStart } = this.#history;
    const isForgotten = new Map<number, (row: number) => boolean>(); // by scan
    for (const [t, { ops, rows }] of this.#forgotten)
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Scan) isForgotten.set(opValue[op], (row) => ops.has(op) || rows.has(row));
    return overlooked.filter(({ scan, row }) => isForgotten.get(scan)?.(row) !== true);
  }

  #lower(): void {
    this.#numbered = null;
    this.#isNumbered = this.#lowering === null;
    this.#input = this.#inputOf(this.#lowering?.lower(this.#passedOver!, this.#aggregates.rows) ?? this.numbered);
  }

  #inputOf({ history, items, opOf }: RegisterHistory): IndexedHistory {
    if (this.#forgotten.size === 0) return indexed(history);
    const { txnStart, opKind, opKey } = history;
    const opValue = history.opValue.slice();
    for (const [t, { ops, rows }] of this.#forgotten)
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Read && (ops.has(opOf[op]) || rows.has(rowOf(opKey[op], this.#history, items))))
          opValue[op] = UNKNOWN_VALUE;
    return indexed({ ...history, opValue });
  }
}

interface Forgotten {
  readonly ops: Set<number>;
  readonly rows: Set<number>;
}

/** Returns the row that a key of a lowered history represents or belongs to as an item. */
const rowOf = (key: number, withScans: History, items: RegisterHistory['items']): number =>
  key < countKeys(withScans) ? key : items[key - countKeys(withScans)]!.row;

/**
 * Number of events around a reader that are searched for others that overlook a row; the first order is not searched if
 * that would add many rows.
 */
const NEIGHBOURS = 16;
