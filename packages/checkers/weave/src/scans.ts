import { type CheckInput, INITIAL_TXN, type RunContext, type Verdict } from '@isolab/contract';
import {
  type History,
  OpKind,
  type Overlooked,
  ReadFrom,
  RepeatedLowering,
  buildReadFrom,
  countOperations,
  findInternalAnomalies,
  passesOverFew,
  toRegisters,
} from '@isolab/history';
import { AssumedAggregates } from './assumed-aggregates.ts';
import type { Audience } from './certificate/explain.ts';
import { transactionsIn } from './certificate/transactions-in.ts';
import type { Model } from './model.ts';
import { type Violated, renumbered } from './passed-over.ts';
import { type EventsOfScans, type Reader, ReplayOfScans } from './replay-scans.ts';
import type { Tuning } from './tuning.ts';

/** Decides a strong level of reads and writes; the guess is an order that may be close to one that exists. */
export type Check = (input: CheckInput, context: RunContext, guess: Int32Array | null, audience: Audience) => Verdict;

/**
 * Decides a strong level of a history with scans. That a row was passed over is a read, too, but there are far more of
 * those than matter: a scan passes over nearly every row. So first only the rows that were returned are read. The order
 * that is found is replayed; where a row matches although the scan did not return it, that read is added, and another
 * order is looked for, close to the last one. If there is none, the reads so far contradict one another, and so does the
 * whole history.
 */
export function checkWithScans(
  first: CheckInput,
  withScans: History,
  { model, tuning }: { readonly model: Model; readonly tuning: Tuning },
  context: RunContext,
  check: Check,
): Verdict {
  let passedOver: Map<number, number[]> | null = new Map();
  const aggregates = new AssumedAggregates(withScans);
  const inner = certifying(context);
  const hasScans = transactionsWithScans(withScans);
  let guess: Int32Array | null = null;
  let input = first;
  let round = 0;
  let lowering = model.exclusive || !model.split ? new RepeatedLowering(withScans) : null;
  // Without times the first guess is poor, and would overlook many rows.
  if (withScans.txnBegin === null && passesOverFew(withScans, tuning.fewPassedOver)) {
    passedOver = null;
    lowering = null;
    input = inputOf(toRegisters(withScans).history);
  }
  const lowered = (): CheckInput =>
    inputOf(
      (lowering?.lower(passedOver!, aggregates.rows) ?? toRegisters(withScans, passedOver, aggregates.rows)).history,
    );
  for (;;) {
    const verdict = check(input, inner, guess, aggregates.rows.size > 0 ? 'search' : 'people');
    if (verdict.status === 'unknown') return verdict;
    if (verdict.status === 'violated') {
      if (aggregates.rows.size === 0 && lowering !== null && input !== first) {
        // Certificates rest on reads and writes of the whole history, in which every version writes the items of its row.
        lowering = null;
        input = lowered();
        continue;
      }
      if (aggregates.rows.size === 0)
        return context.certify
          ? renumbered(verdict, withScans, passedOver, tuning.mostPassedOver)
          : withoutCertificates(verdict);
      if (aggregates.retract(transactionsIn(verdict, input.history)) === null) return undecided(aggregates.left);
      input = lowered();
      continue;
    }
    context.stage('traverse');
    const order = orderOf(verdict);
    const events = eventsOfScans(withScans, order, hasScans);
    const replay = new ReplayOfScans(withScans, events, aggregates.rows);
    const { overlooked } = replay;
    context.tick(countOperations(withScans));
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return context.certify ? verdict : { status: 'satisfied' };
    const added: boolean = passedOver !== null && addAll(passedOver, overlooked);
    if (added) {
      addAll(passedOver!, replay.near(round++ === 0 ? 0 : NEIGHBOURS));
      aggregates.assumeByTimes(events, overlooked);
    }
    if (!added && !aggregates.assume(events, overlooked)) return undecided(aggregates.left);
    input = lowered();
    guess = allInOrder(withScans, order, added ? NOTHING_MOVED : aggregates.moves);
  }
}

const withoutCertificates = ({ anomalies }: Violated): Violated => ({
  status: 'violated',
  anomalies: anomalies.map(({ name, transactions }) => ({ name, transactions })),
});

/** How far from a reader that overlooks a row others are looked at, in events; not in the first order, which is poor. */
const NEIGHBOURS = 16;

export function inputOf(history: History): CheckInput {
  const index = buildReadFrom(history);
  return { history, index, internal: findInternalAnomalies(history, index) };
}

/** Begins (2t) and commits (2t + 1). */
export function orderOf({ certificate }: Extract<Verdict, { status: 'satisfied' }>): ArrayLike<number> {
  if (certificate?.kind === 'event-order') return certificate.events;
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A strong level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const { order } = certificate;
  const events = new Int32Array(2 * order.length);
  for (let i = 0; i < order.length; i++) events[2 * i + 1] = (events[2 * i] = 2 * order[i]!) + 1;
  return events;
}

/** Of a strong level: a transaction sees what there is when it begins. */
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

/** By transaction: 1 if a scan is among its operations. */
function transactionsWithScans({ txnStart, opKind }: History): Uint8Array {
  const hasScans = new Uint8Array(txnStart.length - 1);
  for (let t = 0; t < hasScans.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Scan) hasScans[t] = 1;
  return hasScans;
}

/**
 * All transactions as they begin, and behind them those that did not happen. With moves, by event to where it would be in
 * front of another.
 */
export function allInOrder(
  { txnStatus }: History,
  events: ArrayLike<number>,
  moves: ReadonlyMap<number, number>,
): Int32Array {
  const all = new Int32Array(txnStatus.length);
  const isBegun = new Uint8Array(txnStatus.length);
  let count = 0;
  for (const place of placesOfBegins(events, moves)) {
    const t = events[place]! >> 1;
    all[count++] = t;
    isBegun[t] = 1;
  }
  for (let t = 0; t < isBegun.length; t++) if (isBegun[t] === 0) all[count++] = t;
  return all;
}

function placesOfBegins(events: ArrayLike<number>, moves: ReadonlyMap<number, number>): Int32Array {
  const places = new Int32Array(events.length);
  let count = 0;
  for (let place = 0; place < events.length; place++) if ((events[place]! & 1) === 0) places[count++] = place;
  const begins = places.subarray(0, count);
  const placeOf = (place: number): number => (moves.has(place) ? moves.get(place)! - 0.5 : place);
  return moves.size > 0 ? begins.toSorted((a, b) => placeOf(a) - placeOf(b)) : begins;
}

/** Whether any was not there yet. */
export function addAll(passedOver: Map<number, number[]>, overlooked: Iterable<Overlooked>): boolean {
  let added = false;
  for (const { scan, row } of overlooked) {
    const rows = passedOver.get(scan);
    if (row < 0 || rows?.includes(row)) continue;
    if (rows === undefined) passedOver.set(scan, [row]);
    else rows.push(row);
    added = true;
  }
  return added;
}

/** A weak level: every row that was passed over is read. An aggregate of which reads do not say all leaves it open. */
export function checkWithAllReads(withScans: History, check: (input: CheckInput) => Verdict): Verdict {
  const { history, undecidedAggregates } = toRegisters(withScans);
  const verdict = check(inputOf(history));
  return verdict.status === 'satisfied' && undecidedAggregates > 0 ? undecided(undecidedAggregates) : verdict;
}

/**
 * What satisfies prefix consistency satisfies the weaker levels, too; that is decided faster, and with all aggregates.
 * Null if it does not.
 */
export function asWeak(withScans: History, prefix: Verdict, { certify }: RunContext): Verdict | null {
  if (prefix.status !== 'satisfied') return null;
  if (!certify) return { status: 'satisfied' };
  const input = inputOf(toRegisters(withScans).history);
  const { txnStart } = input.history;
  const steps = Array.from(orderOf(prefix), (event): Step => {
    const t = event >> 1;
    return event & 1
      ? { t, from: 0, to: 0, commits: true }
      : { t, from: txnStart[t], to: txnStart[t + 1], commits: false };
  });
  return asCommitOrder(input, steps);
}

/** Operations of a transaction see what has been committed before, or it commits. */
export interface Step {
  readonly t: number;
  readonly from: number;
  readonly to: number;
  readonly commits: boolean;
}

/** The order of commits, with whom the reads saw that may have seen several. */
export function asCommitOrder({ history, index }: CheckInput, steps: readonly Step[]): Verdict {
  const { txnStart, opKind, opKey } = history;
  const latest = new Map<number, number>(); // by key: who committed a write of it last
  const order: number[] = [];
  const sources: [number, number][] = [];
  for (const { t, from, to, commits } of steps) {
    const own = new Set<number>();
    const end = commits ? txnStart[t + 1] : to;
    for (let op = txnStart[t]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) own.add(key);
      else if (op >= from && op < to && !own.has(key) && index.readFrom[op] === ReadFrom.Ambiguous)
        sources.push([op, latest.get(key) ?? INITIAL_TXN]);
    }
    if (!commits) continue;
    order.push(t);
    for (const key of own) latest.set(key, t);
  }
  return { status: 'satisfied', certificate: { kind: 'commit-order', order, sources } };
}

/** The same context, where the order that satisfies a level is wanted, and no more than one anomaly. */
export const certifying = (context: RunContext): RunContext => ({
  certify: true,
  findAll: false,
  stage: (name) => context.stage(name),
  count: (name, amount) => context.count(name, amount),
  progress: (done, total) => context.progress(done, total),
  tick: (steps) => context.tick(steps),
});

export const NOTHING_MOVED: ReadonlyMap<number, number> = new Map();

const undecided = (aggregates: number): Verdict => ({
  status: 'unknown',
  reason: 'incomplete',
  detail: `${aggregates} aggregates say something of several rows together that the order found does not explain; another order may, but isolab cannot look for it`,
});
