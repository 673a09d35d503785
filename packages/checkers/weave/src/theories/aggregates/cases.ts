/**
 * Assumes the versions that an aggregate saw, row by row, until its result is impossible, the assumptions contradict
 * the history, or an order explains everything. If no contradiction rests on a row, no other assumption about it is
 * tried. Ends with the tree of refuted cases, which is the certificate, or with a satisfied case.
 */
import {
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type LevelName,
  type ReadsCertificate,
  type RowAlternative,
  type RowCases,
  type RunContext,
  hasHappenedAt,
  indexed,
} from '@isolab/contract';
import { type History, OpKind, type RegisterHistory, TxnStatus, countValues, mayHaveHappened } from '@isolab/history';
import { numbersIn } from '../../proof/numbers.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { orderOf } from '../../strategy/strong.ts';
import { type Alternative, type AskedAggregate, type Choice, type Taken, canCome } from '../rows/asked.ts';

/** Decides whether a history without scans satisfies a level. */
export type CheckReads = (input: IndexedHistory, context: RunContext) => CheckerVerdict;

/**
 * Input of the search: a history in which aggregates read their rows, and a function that decides whether it satisfies a
 * level.
 */
export interface Question {
  readonly withScans: History;
  readonly lowered: RegisterHistory;
  readonly asked: readonly AskedAggregate[];
  readonly level: LevelName;
  readonly check: CheckReads;
  /** Whether an order of events determines the versions that each transaction sees. */
  readonly isStrong: boolean;
  readonly tuning: Tuning;
  readonly context: RunContext;
}

type Satisfied = Extract<CheckerVerdict, { status: 'satisfied' }>;

/** Outcome of the search: each case is refuted, or some case satisfies the level. */
export type CasesOutcome = { readonly refuted: Refuted } | { readonly satisfied: Satisfied };

/** Choice to make next, and its alternatives in the order in which they are tried. */
interface Turn {
  readonly choice: Choice;
  readonly inTurn: readonly Alternative[];
}

export interface Refuted {
  readonly cases: RowCases;
  /** Reads about whose rows the refutation makes assumptions. */
  readonly supposes: ReadonlySet<number>;
  /** Anomalies of its cases that are not about totals. */
  readonly anomalies: readonly FoundAnomaly[];
}

export class SearchOfCases {
  readonly #question: Question;
  readonly #taken = new Map<Choice, Alternative>();
  readonly #opValue: Int32Array;
  readonly #false: number;
  /** Where an outcome is unknown, a contradiction may rest on reads that it does not name. */
  readonly #namesAll: boolean;
  #left: number;

  constructor(question: Question) {
    this.#question = question;
    const { history } = question.lowered;
    this.#opValue = history.opValue.slice();
    this.#false = countValues(question.withScans);
    this.#namesAll = !history.txnStatus.includes(TxnStatus.Unknown);
    const { mostCases, caseOperations } = question.tuning;
    this.#left = Math.min(mostCases, Math.ceil(caseOperations / history.opKind.length));
  }

  /** Returns null if the search takes too long, or if the check cannot decide a case. */
  run(): CasesOutcome | null {
    const { lowered, check, tuning, context } = this.#question;
    let made: IndexedHistory | null = null;
    const input = (): IndexedHistory => (made ??= indexed({ ...lowered.history, opValue: this.#opValue }));
    const total = this.#impossibleTotal(input);
    if (total !== null) return { refuted: total };
    if (this.#left-- === 0 || this.#taken.size === tuning.deepestCase) return null;
    const verdict = check(input(), context);
    context.count('cases-of-aggregates', 1);
    if (verdict.status === 'unknown') return null;
    if (verdict.status === 'violated') return this.#contradicted(verdict.anomalies[0]!);
    const next = this.#nextChoice(verdict, input());
    return next === 'none' ? { satisfied: this.#withRows(verdict) } : next && this.#split(next);
  }

  /** Adds the rows that the aggregates are assumed to cover, unless the order of a strong level shows them. */
  #withRows(verdict: Satisfied): Satisfied {
    const { certificate } = verdict;
    const { asked, isStrong } = this.#question;
    if (isStrong || asked.length === 0 || certificate === undefined || certificate.kind === 'each-key') return verdict;
    const rows = asked.map(({ op, choices }) => {
      const taken = choices.flatMap((choice) => this.#taken.get(choice) ?? []);
      return [op, taken.map(({ read, matched }) => [read, matched] as const)] as const;
    });
    return { ...verdict, certificate: { ...certificate, rows } };
  }

  #split({ choice, inTurn }: Turn): CasesOutcome | null {
    const cases = new Map<Alternative, RowAlternative>();
    const supposes = new Set<number>();
    const anomalies: FoundAnomaly[] = [];
    for (const alternative of inTurn) {
      const { read, matched } = alternative;
      this.#taken.set(choice, alternative);
      this.#opValue[read] = this.#false + (matched ? 1 : 0);
      const outcome = this.run();
      this.#taken.delete(choice);
      this.#opValue[read] = this.#question.lowered.history.opValue[read];
      if (outcome === null || 'satisfied' in outcome || !outcome.refuted.supposes.has(read)) return outcome;
      const { refuted } = outcome;
      cases.set(alternative, { read, matched, cases: refuted.cases });
      for (const other of refuted.supposes) supposes.add(other);
      anomalies.push(...refuted.anomalies);
    }
    for (const { read } of choice) supposes.delete(read);
    const alternatives = choice.map((alternative) => cases.get(alternative)!);
    return { refuted: { cases: { kind: 'rows', alternatives }, supposes, anomalies } };
  }

  /**
   * Returns an aggregate with an impossible result, with as few assumptions as possible. Where the outcome is unknown,
   * any assumption may be needed to show that its transaction happened.
   */
  #impossibleTotal(input: () => IndexedHistory): Refuted | null {
    const { asked, level, withScans, tuning } = this.#question;
    const isSure = ({ transaction }: AskedAggregate): boolean =>
      withScans.txnStatus[transaction] === TxnStatus.Committed;
    const impossible = asked.find(
      (one) => !canCome(one, this.#taken, tuning) && (isSure(one) || hasHappenedAt(level, input())(one.transaction)),
    );
    if (impossible === undefined) return null;
    const needed = new Map(this.#taken);
    const supposes = new Set(isSure(impossible) ? [] : Array.from(this.#taken.values(), ({ read }) => read));
    for (const choice of impossible.choices) {
      const alternative = needed.get(choice);
      if (alternative === undefined) continue;
      needed.delete(choice);
      if (!canCome(impossible, needed, tuning)) continue;
      needed.set(choice, alternative);
      supposes.add(alternative.read);
    }
    return { cases: { kind: 'total', aggregate: impossible.op }, supposes, anomalies: [] };
  }

  #contradicted(anomaly: FoundAnomaly): CasesOutcome | null {
    const certificate = anomaly.certificate as ReadsCertificate | undefined;
    if (certificate === undefined) return null;
    const all = Array.from(this.#taken.values(), ({ read }) => read);
    const named = this.#namesAll ? readsNamed(certificate) : new Set(all);
    const supposes = new Set(all.filter((read) => named.has(read)));
    return { refuted: { cases: certificate, supposes, anomalies: [anomaly] } };
  }

  /** Returns the next choice, starting with its first alternative; null if no remaining choice would help. */
  #nextChoice(verdict: Satisfied, { index }: IndexedHistory): Turn | 'none' | null {
    const { asked, isStrong, tuning } = this.#question;
    const order = orderIn(verdict);
    const seen = this.#seenIn(asked, order ?? []);
    const happened = happenedIn(verdict);
    const isPossible = happened === null ? mayHaveHappened(index) : (t: number): boolean => happened.has(t);
    for (const aggregate of asked) {
      const { choices, transaction } = aggregate;
      if (!isPossible(transaction)) continue;
      const isExplained = canCome(aggregate, seen, tuning) && choices.every((choice) => seen.has(choice));
      if (isStrong && isExplained) continue;
      // The transaction happened in this order, but cannot have happened under the current assumptions.
      if (!canCome(aggregate, this.#taken, tuning)) return null;
      const open = choices.filter((choice) => !this.#taken.has(choice));
      if (open.length > 0) return isExplained ? inView(open[0]!, seen) : otherwise(aggregate, open, seen);
    }
    return 'none';
  }

  #seenIn(asked: readonly AskedAggregate[], events: ArrayLike<number>): Taken {
    const { txnStart, opKind, opKey, opValue, keyInitial } = this.#question.lowered.history;
    const current = keyInitial.slice();
    const isMatched = new Uint8Array(opKind.length);
    for (let i = 0; i < events.length; i++) {
      const t = events[i]! >> 1;
      const begins = (events[i]! & 1) === 0;
      const own = new Map<number, number>();
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] === OpKind.Write) own.set(opKey[op], opValue[op]);
        else if (begins) isMatched[op] = (own.get(opKey[op]) ?? current[opKey[op]]) === this.#false ? 0 : 1;
      }
      if (!begins) for (const [key, value] of own) current[key] = value;
    }
    const seen = new Map<Choice, Alternative>();
    for (const { choices } of asked)
      for (const choice of choices) {
        const alternative = choice.find(({ read, matched }) => (isMatched[read] === 1) === matched);
        if (alternative !== undefined) seen.set(choice, alternative);
      }
    return seen;
  }
}

/** Returns the transactions that a certificate lists as happened; null if it lists none. */
function happenedIn(verdict: Satisfied): ReadonlySet<number> | null {
  const { certificate } = verdict;
  const order = orderIn(verdict);
  if (order !== null) return new Set(Array.from(order, (event) => event >> 1));
  return certificate?.kind === 'inspection' && certificate.happened ? new Set(certificate.happened) : null;
}

/** Returns the order of begins and commits in a certificate; null if the certificate is not an order. */
function orderIn(verdict: Satisfied): ArrayLike<number> | null {
  const kind = verdict.certificate?.kind;
  return kind === 'commit-order' || kind === 'event-order' ? orderOf(verdict) : null;
}

/** Puts the seen alternative first, because it may be right. */
function inView(choice: Choice, seen: Taken): Turn {
  const first = seen.get(choice)!;
  return { choice, inTurn: [first, ...choice.filter((alternative) => alternative !== first)] };
}

/** Returns other alternatives that may give the aggregate its result, followed by the seen alternative. */
function otherwise({ stated, choices }: AskedAggregate, open: readonly Choice[], seen: Taken): Turn {
  const adds = (choice: Choice): boolean => (seen.get(choice)?.adds ?? null) !== null;
  const isTooMuch = stated.kind === 'sum' || (stated.kind === 'count' && choices.filter(adds).length > stated.result);
  const choice = open.find((one) => adds(one) === isTooMuch) ?? open[0]!;
  const last = seen.get(choice);
  const others = choice.filter((alternative) => alternative !== last);
  return { choice, inTurn: last === undefined ? others : [...others, last] };
}

function readsNamed(certificate: ReadsCertificate): Set<number> {
  const named = new Set<number>();
  for (const [name, value] of numbersIn([certificate])) if (READS.has(name)) named.add(value);
  return named;
}

const READS: ReadonlySet<string> = new Set(['read', 'reads', 'other']);
