/**
 * The strong levels of a history with scans. Where the history has times, an order in real time is tried first, then
 * orders of the reads, with more reads in each round.
 */
import type { CheckerVerdict, InputOf, RunContext } from '@isolab/contract';
import { type History, OpKind, passesOverFew } from '@isolab/history';
import { IndexedStore } from '../hints/one-by-one/indexed-store.ts';
import { orderNear } from '../hints/one-by-one/near-order.ts';
import { canBePlaced, orderInRealTime } from '../hints/one-by-one/in-real-time.ts';
import { certifying } from '../problem/contexts.ts';
import { type Model, modelOf } from '../problem/model.ts';
import type { Question } from '../problem/options.ts';
import { findAll } from '../proof/find-all.ts';
import { type Found, type Outcome, concluded } from '../proof/numbers.ts';
import { checkStrongLevel, orderOf, satisfied } from '../strategy/strong.ts';
import type { EventsOfScans, Reader } from '../theories/rows/replay-scans.ts';
import { type Proposer, type Theory, decide, undecided } from './decide.ts';
import { Reads } from './reads.ts';
import { type OrderOfEvents, rowsAlong } from './rows.ts';

export function checkWithScans(input: InputOf<'scans'>, question: Question, context: RunContext): CheckerVerdict {
  const { withScans } = input;
  const search = new SearchWithScans(input, question);
  const find = (inner: RunContext): Outcome => search.inRealTime(inner) ?? search.roundByRound(inner);
  const outcomes = context.findAll
    ? findAll(context, question.tuning, find, (found) => search.reads.forget(found))
    : [find(certifying(context))];
  const { passedOver } = search.reads;
  return concluded(outcomes, context.certify, { withScans, passedOver, most: question.tuning.mostPassedOver });
}

export class SearchWithScans {
  readonly reads: Reads;
  readonly #question: Question;
  readonly #model: Model;

  constructor(input: Omit<InputOf<'scans'>, 'kind'>, question: Question) {
    const { withScans } = input;
    const { tuning } = question;
    const model = modelOf(question.level)!;
    // Without times the first guess is poor, and would overlook many rows.
    const readsAll = withScans.txnBegin === null && passesOverFew(withScans, tuning.fewPassedOver);
    this.reads = readsAll
      ? new Reads(withScans, tuning, null)
      : new Reads(withScans, tuning, new Map(), model.exclusive || !model.split);
    if (!readsAll) this.reads.beginWith(input);
    this.#question = question;
    this.#model = model;
  }

  /** Decides by an order in real time, where scans and aggregates are evaluated again; null if none was found soon. */
  inRealTime(context: RunContext): Outcome | null {
    const { history } = this.reads;
    const model = this.#model;
    if (!canBePlaced(history)) return null;
    const placed = orderInRealTime(
      this.reads.lowered().input,
      model,
      new IndexedStore(history),
      this.#question.tuning,
      context,
    );
    if (placed === null) return null;
    const verdict = satisfied(placed, model);
    const order: OrderOfEvents = { verdict, history, events: orderOf(verdict), scans: null };
    const answer = this.#theory(context)(order);
    return answer === 'added' ? null : answer;
  }

  /** Decides by orders of reads. Each round adds rows that scans passed over. */
  roundByRound(context: RunContext): Outcome {
    const { reads } = this;
    return decide(this.#proposer(context), this.#theory(context)) ?? { verdict: undecided(reads.unexplained) };
  }

  /** Returns the theory that examines every order of this search. */
  #theory(context: RunContext): Theory<OrderOfEvents, Found> {
    return rowsAlong(this.reads, true, (order) => this.#near(order, context), context);
  }

  /** Returns an order near another one that explains its scans and aggregates; null if none is found. */
  #near({ history, events }: OrderOfEvents, context: RunContext): OrderOfEvents | null {
    if (!canBePlaced(history)) return null;
    const model = this.#model;
    const { input } = this.reads.lowered();
    const store = (): IndexedStore => new IndexedStore(history);
    const placed = orderNear(events, { input, model, store, tuning: this.#question.tuning, context });
    if (placed === null) return null;
    const verdict = satisfied(placed, model);
    return { verdict, history, events: orderOf(verdict), scans: null };
  }

  #proposer(context: RunContext): Proposer<OrderOfEvents, Found> {
    const { reads } = this;
    return () => {
      const hints = { guess: reads.guess };
      let lowered = reads.lowered();
      let verdict = checkStrongLevel(lowered.input, this.#question, context, hints);
      if (verdict.status === 'violated' && !lowered.isFull) {
        lowered = reads.inFull();
        verdict = checkStrongLevel(lowered.input, this.#question, context, hints);
      }
      if (verdict.status === 'violated') return { verdict, registers: lowered.registers };
      if (verdict.status === 'unknown') return { verdict };
      const { history } = reads;
      const events = orderOf(verdict);
      return { verdict, history, events, scans: eventsOfScans(history, events) };
    };
  }
}

/** Returns the events at a strong level, where a transaction sees the state of the database at its begin. */
function eventsOfScans({ txnStart, opKind }: History, events: ArrayLike<number>): EventsOfScans {
  const commits = new Int32Array(events.length).fill(-1);
  const readers: (Reader | null)[] = [];
  for (let place = 0; place < events.length; place++) {
    const t = events[place]! >> 1;
    const [from, to] = [txnStart[t]!, txnStart[t + 1]!];
    const begins = (events[place]! & 1) === 0;
    if (!begins) commits[place] = t;
    readers.push(begins && hasScan(opKind, from, to) ? { t, from, to } : null);
  }
  return { commits, readers };
}

function hasScan(opKind: Uint8Array, from: number, to: number): boolean {
  for (let op = from; op < to; op++) if (opKind[op] === OpKind.Scan) return true;
  return false;
}
