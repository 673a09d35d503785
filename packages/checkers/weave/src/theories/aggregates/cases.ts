/**
 * Cases of the versions that aggregates saw. Row by row, a version is supposed, until a total is impossible or the
 * supposed rows contradict the reads. A contradiction refutes the latest supposition that it rests on, and another one
 * is tried in its place; suppositions that it does not rest on are dropped. The tree of refuted cases is the
 * certificate.
 */
import {
  type FoundAnomaly,
  type IndexedHistory,
  type RowAlternative,
  type RowCases,
  hasHappenedAt,
  indexed,
} from '@isolab/contract';
import { type History, type RegisterHistory, TxnStatus, countValues, mayHaveHappened } from '@isolab/history';
import { isStrong } from '../../problem/model.ts';
import type { Question } from '../../problem/options.ts';
import { type Alternative, type AskedAggregate, type Choice, type Taken, canCome } from '../rows/asked.ts';

/** A refuted case. */
export interface RefutedCase {
  readonly verdict: { readonly status: 'violated'; readonly anomalies: readonly FoundAnomaly[] };
  readonly cases: RowCases;
  /** Reads about whose rows the refutation makes assumptions. */
  readonly supposes: ReadonlySet<number>;
}

/** A choice, the alternatives that are still to be supposed, the present one first, and the refuted alternatives. */
interface Split {
  readonly choice: Choice;
  readonly inTurn: Alternative[];
  readonly refuted: Map<Alternative, RefutedCase>;
}

/** An order that explains the present case: its events at a strong level, otherwise null, and who happened in it. */
export interface ExplainedCase {
  readonly input: IndexedHistory;
  /** Results of reads along the events, by operation. */
  readonly seen: ArrayLike<number> | null;
  readonly happened: ReadonlySet<number> | null;
}

export class Cases {
  readonly #withScans: History;
  readonly #lowered: RegisterHistory;
  readonly #asked: readonly AskedAggregate[];
  readonly #question: Question;
  readonly #opValue: Int32Array;
  readonly #false: number;
  readonly #splits: Split[] = [];
  readonly #taken = new Map<Choice, Alternative>();

  constructor(withScans: History, lowered: RegisterHistory, asked: readonly AskedAggregate[], question: Question) {
    this.#withScans = withScans;
    this.#lowered = lowered;
    this.#asked = asked;
    this.#question = question;
    this.#opValue = lowered.history.opValue.slice();
    this.#false = countValues(withScans);
  }

  /** Number of rows with a supposed version. */
  get depth(): number {
    return this.#taken.size;
  }

  get supposed(): number[] {
    return Array.from(this.#taken.values(), ({ read }) => read);
  }

  /** Returns the history in which the supposed rows are read. */
  input(): IndexedHistory {
    return indexed({ ...this.#lowered.history, opValue: this.#opValue });
  }

  /** Returns the rows that each aggregate is supposed to cover. */
  rows(): (readonly [op: number, rows: readonly (readonly [read: number, matched: boolean])[]])[] {
    return this.#asked.map(({ op, choices }) => {
      const taken = choices.flatMap((choice) => this.#taken.get(choice) ?? []);
      return [op, taken.map(({ read, matched }) => [read, matched] as const)] as const;
    });
  }

  retract(refutation: RefutedCase): 'retracted' | RefutedCase {
    let latest = refutation;
    for (let split = this.#splits.at(-1); split !== undefined; split = this.#splits.at(-1)) {
      const { choice, inTurn, refuted } = split;
      const [present] = inTurn as [Alternative];
      const isRefuted = latest.supposes.has(present.read);
      this.#taken.delete(choice);
      this.#opValue[present.read] = this.#lowered.history.opValue[present.read];
      if (isRefuted) {
        refuted.set(present, latest);
        inTurn.shift();
        if (inTurn.length > 0) {
          this.#suppose(choice, inTurn[0]!);
          return 'retracted';
        }
        latest = allRefuted(split);
      }
      this.#splits.pop();
    }
    return latest;
  }

  #suppose(choice: Choice, alternative: Alternative): void {
    this.#taken.set(choice, alternative);
    this.#opValue[alternative.read] = this.#false + (alternative.matched ? 1 : 0);
  }

  /**
   * Returns an aggregate with an impossible result, with as few suppositions as possible. Where the outcome is unknown,
   * any supposition may be needed to show that its transaction happened.
   */
  impossibleTotal(input: () => IndexedHistory): RefutedCase | null {
    const { level, tuning } = this.#question;
    const isSure = ({ transaction }: AskedAggregate): boolean =>
      this.#withScans.txnStatus[transaction] === TxnStatus.Committed;
    const impossible = this.#asked.find(
      (one) => !canCome(one, this.#taken, tuning) && (isSure(one) || hasHappenedAt(level, input())(one.transaction)),
    );
    if (impossible === undefined) return null;
    const needed = new Map(this.#taken);
    const supposes = new Set(isSure(impossible) ? [] : this.supposed);
    for (const choice of impossible.choices) {
      const alternative = needed.get(choice);
      if (alternative === undefined) continue;
      needed.delete(choice);
      if (!canCome(impossible, needed, tuning)) continue;
      needed.set(choice, alternative);
      supposes.add(alternative.read);
    }
    const cases: RowCases = { kind: 'total', aggregate: impossible.op };
    return { verdict: { status: 'violated', anomalies: [] }, cases, supposes };
  }

  /** Supposes a further row where the case needs one. Returns null if no further row would help. */
  refine<Explained extends ExplainedCase>(explained: Explained): Explained | 'added' | null {
    const { input, seen, happened } = explained;
    const { tuning } = this.#question;
    const inView = this.#seenIn(seen);
    const isPossible = happened === null ? mayHaveHappened(input.index) : (t: number): boolean => happened.has(t);
    for (const aggregate of this.#asked) {
      const { choices, transaction } = aggregate;
      if (!isPossible(transaction)) continue;
      const isExplained = canCome(aggregate, inView, tuning) && choices.every((choice) => inView.has(choice));
      // An order of events determines the versions that each transaction sees.
      if (isExplained && isStrong(this.#question.level)) continue;
      // The transaction happened in this order, but cannot have happened under the present suppositions.
      if (!canCome(aggregate, this.#taken, tuning)) return null;
      const open = choices.filter((choice) => !this.#taken.has(choice));
      if (open.length === 0) continue;
      const choice = isExplained ? open[0]! : choiceToChange(aggregate, open, inView);
      const present = inView.get(choice);
      const others = choice.filter((alternative) => alternative !== present);
      const inTurn = present === undefined ? others : isExplained ? [present, ...others] : [...others, present];
      this.#splits.push({ choice, inTurn, refuted: new Map() });
      this.#suppose(choice, inTurn[0]!);
      return 'added';
    }
    return explained;
  }

  #seenIn(value: ArrayLike<number> | null): Taken {
    const seen = new Map<Choice, Alternative>();
    for (const choice of value === null ? [] : this.#asked.flatMap(({ choices }) => choices)) {
      const isSeen = ({ read, matched }: Alternative): boolean => (value![read] === this.#false + 1) === matched;
      const alternative = choice.find(isSeen);
      if (alternative !== undefined) seen.set(choice, alternative);
    }
    return seen;
  }
}

/** Returns the refutation of all alternatives of a choice. */
function allRefuted({ choice, refuted }: Split): RefutedCase {
  const supposes = new Set<number>();
  const anomalies: FoundAnomaly[] = [];
  for (const one of refuted.values()) {
    for (const read of one.supposes) supposes.add(read);
    anomalies.push(...one.verdict.anomalies);
  }
  for (const { read } of choice) supposes.delete(read);
  const alternatives = choice.map((one): RowAlternative => {
    const { read, matched } = one;
    return { read, matched, cases: refuted.get(one)!.cases };
  });
  return { verdict: { status: 'violated', anomalies }, cases: { kind: 'rows', alternatives }, supposes };
}

/** Returns a choice with another alternative that may give the aggregate its result. */
function choiceToChange({ stated, choices }: AskedAggregate, open: readonly Choice[], seen: Taken): Choice {
  const adds = (choice: Choice): boolean => (seen.get(choice)?.adds ?? null) !== null;
  const isTooMuch = stated.kind === 'sum' || (stated.kind === 'count' && choices.filter(adds).length > stated.result);
  return open.find((one) => adds(one) === isTooMuch) ?? open[0]!;
}
