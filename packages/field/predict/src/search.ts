/**
 * Search for executions that the weaker level allows and the stronger level forbids. It tries one changed read after
 * the other, then sets of two, three and more changed reads. For each set, it leaves out transactions until the weaker
 * level allows the rest: if the weaker level forbids some transactions together, one of those without a change must be
 * left out.
 */
import { setImmediate } from 'node:timers/promises';
import type { LevelName } from '@isolab/contract';
import { type Blocked, ChangeSets, type Tried } from './change-sets.ts';
import { type PossibleChange, possibleChanges } from './changes.ts';
import { type Conflict, Conflicts } from './conflicts.ts';
import { Reach, shortestCycle } from './dependencies.ts';
import { type Execution, type Setting, execute } from './execution.ts';
import { type Involved, Judge, judgeWhole } from './judge.ts';
import type { Model } from './model.ts';
import { NUMBERED, type Witness, namesOf, pastOf, readersOf, recordedPart, witnessOf } from './witness.ts';

/** An execution that violates the stronger level, reduced to the transactions that the violation needs. */
export interface Found {
  readonly changes: readonly PossibleChange[];
  readonly execution: Execution;
  /** Transactions of the cycle that violates the level. */
  readonly cycle: readonly number[];
}

export interface Searched {
  /** Number of changed reads up to which all sets were tried; infinite if there are no larger sets. */
  readonly covered: number;
  /** Reasons why the search may have missed predictions with at most `mostChanges` changed reads. */
  readonly gaps: readonly Gap[];
  /** Numbers of tried sets of changes and of judged histories. */
  readonly tried: number;
  readonly judged: number;
  /** Sets of changes that give no prediction, and none with more levels and locks either. */
  readonly impossible: ReadonlyMap<string, Tried>;
}

export type Gap =
  | 'time'
  | 'interruption'
  | 'distant versions'
  | 'undecided histories'
  | 'further kinds'
  | 'aggregates'
  | 'cut-off'
  | 'nothing'
  | 'unknown results';

export interface SearchOptions {
  readonly weaker: LevelName;
  readonly stronger: LevelName;
  /** States that every violation has a cycle through a changed read in the recorded order of versions. */
  readonly needsCycle: boolean;
  /** States that the recorded history satisfies the stronger level. */
  readonly isRecordedAllowed: boolean;
  /** States that reads of different versions may have the same result. */
  readonly hasEqualVersions: boolean;
  /** Number of changed reads up to which all sets must be tried. */
  readonly mostChanges: number;
  /** Time for sets of more changed reads. */
  readonly furtherMs: number;
  /** Largest distance of a changed read from the recorded version, in versions. */
  readonly furthest: number;
  /** End of the search, on the clock of `performance.now`. */
  readonly ends: number;
  readonly signal: AbortSignal | undefined;
  /** Called with the numbers of tried sets of changes and of found kinds. */
  readonly onProgress: ((tried: number, found: number) => void) | undefined;
  /** Number of the program of each transaction: of alike predictions, only the first is found. */
  readonly programOf: (t: number) => number;
  /** Called with the first prediction of each kind; returns whether it is proved. */
  readonly onFound: (found: Found) => Promise<boolean>;
  /** Results of sets of changes that are known to give no prediction. */
  readonly impossible?: ReadonlyMap<string, Tried>;
  /** Largest number of kinds of predictions. */
  readonly mostKinds?: number;
}

export async function search(setting: Setting, options: SearchOptions): Promise<Searched> {
  const run = new Search(setting, options);
  await run.run();
  return run.result();
}

/** Returns whether a found execution is a prediction with other levels and locks, too. */
export async function isStillPredicted(setting: Setting, options: SearchOptions, found: Found): Promise<boolean> {
  return new Search(setting, options).isPrediction(found);
}

class Search {
  readonly #setting: Setting;
  readonly #options: SearchOptions;
  readonly #weak: Judge;
  readonly #strong: Judge;
  readonly #planned: Judge | null;
  readonly #impossible = new Map<string, Tried>();
  readonly #conflicts: Conflicts;
  readonly #kinds = new Set<string>();
  readonly #gaps = new Set<Gap>();
  /** Reasons why sets of the present size are missing. */
  readonly #missing = new Set<Gap>();
  #covered = 0;
  #ends: number;
  #tried = 0;
  #undecided = 0;
  #pausedAt = 0;

  constructor(setting: Setting, options: SearchOptions) {
    this.#setting = setting;
    this.#options = options;
    this.#ends = options.ends;
    this.#conflicts = new Conflicts(setting.model);
    this.#weak = new Judge(options.weaker, options.ends);
    this.#strong = new Judge(options.stronger, options.ends);
    this.#planned = setting.plan && new Judge(setting.plan.definition, options.ends);
  }

  result(): Searched {
    return {
      covered: this.#covered,
      gaps: [...this.#gaps],
      tried: this.#tried,
      judged: this.#weak.count + this.#strong.count,
      impossible: this.#impossible,
    };
  }

  async run(): Promise<void> {
    const { furthest, mostChanges, furtherMs, needsCycle } = this.#options;
    const { changes, areAll } = possibleChanges(this.#setting, furthest);
    if (!areAll) this.#gaps.add('distant versions');
    const { model } = this.#setting;
    const reach = needsCycle ? new Reach(model, execute(this.#setting, [])!) : null;
    const sets = new ChangeSets(this.#setting, changes, reach);
    const most = new Set(changes.map(({ read }) => read)).size;
    for (let size = 1; size <= most; size++) {
      if (size === mostChanges + 1) this.#ends = Math.min(this.#ends, performance.now() + furtherMs);
      this.#missing.clear();
      const isEnded = await this.#trySize(sets, size);
      if (size <= mostChanges) for (const gap of this.#missing) this.#gaps.add(gap);
      if (this.#missing.size === 0 && this.#covered === size - 1) this.#covered = size;
      if (isEnded) return;
    }
    if (this.#covered === most) this.#covered = Infinity;
  }

  /** Tries all sets of a size; returns whether the search ended earlier. */
  async #trySize(sets: ChangeSets, size: number): Promise<boolean> {
    for (const set of sets.ofSize(size)) {
      const gap = await this.#reasonToEnd();
      if (gap !== null) this.#missing.add(gap);
      if (gap !== null) return true;
      if (set !== null) sets.add(set, await this.#try(set.map((i) => sets.changes[i]!)));
    }
    return false;
  }

  /** Returns the reason if the search ends now. Pauses from time to time, so that a signal arrives. */
  async #reasonToEnd(): Promise<Gap | null> {
    const { signal, onProgress } = this.#options;
    if (performance.now() > this.#pausedAt + PAUSE_MS) {
      onProgress?.(this.#tried, this.#kinds.size);
      await setImmediate();
      this.#pausedAt = performance.now();
    }
    if (this.#kinds.size >= (this.#options.mostKinds ?? MOST_KINDS)) return 'further kinds';
    if (signal?.aborted === true) return 'interruption';
    return performance.now() < this.#ends ? null : 'time';
  }

  async #try(changes: readonly PossibleChange[]): Promise<Tried> {
    this.#tried++;
    const known = this.#options.impossible?.get(nameOf(changes));
    if (known !== undefined) return known;
    const undecided = this.#undecided;
    const { model } = this.#setting;
    const changed = new Set(changes.map(({ read }) => model.txn[read]));
    const tried = new Set<string>();
    const conflict = new Set<number>();
    let blocked: Blocked | null = null;
    let isAllowed = false;
    const waiting: (readonly number[])[] = [[]];
    for (let leftOut = waiting.pop(); leftOut !== undefined; leftOut = waiting.pop()) {
      const execution = execute(this.#setting, changes, leftOut);
      if (execution === null) continue;
      const cycle = shortestCycle(model, execution, changed);
      if (cycle === null && this.#options.needsCycle) continue;
      const kind = this.#kindOf(cycle ?? [...changed]);
      if (this.#kinds.has(kind)) return 'cycle';
      const past = pastOf(model, execution, [...(cycle ?? []), ...changed], !this.#options.isRecordedAllowed);
      const ofPast = await this.#judge(past);
      const judgement = ofPast === 'allowed' || ofPast === 'explained' ? await this.#judge(execution) : ofPast;
      if (judgement === 'prediction') {
        const found = ofPast === 'prediction' ? past : execution;
        this.#kinds.add(kind);
        const isProved = await this.#options.onFound({ changes, execution: found, cycle: cycle ?? [...changed] });
        if (!isProved) this.#missing.add('undecided histories');
        return 'prediction';
      }
      let without: Iterable<number> = [];
      if (judgement === 'allowed') isAllowed = true;
      else if (judgement === 'explained') {
        isAllowed = true;
        without = this.#setting.scanned.explaining(ofPast === 'explained' ? past : execution);
      } else {
        if (leftOut.length === 0) blocked = blockedBy(model, execution, changed, judgement);
        for (const t of judgement.transactions) conflict.add(t);
        without = judgement.transactions;
      }
      for (const t of without) {
        const less = [...leftOut, t].toSorted((a, b) => a - b);
        if (changed.has(t) || tried.has(less.join())) continue;
        tried.add(less.join());
        if (tried.size > MOST_PARTS) {
          this.#missing.add('undecided histories');
          return 'cycle';
        }
        waiting.push(less);
      }
    }
    const isBlocked = !isAllowed && conflict.size > 0;
    const result: Tried = isBlocked
      ? (blocked ?? { transactions: conflict, reads: null })
      : isAllowed
        ? 'cycle'
        : 'no cycle';
    if (this.#undecided === undecided) this.#impossible.set(nameOf(changes), result);
    return result;
  }

  async isPrediction({ execution }: Found): Promise<boolean> {
    return (await this.#judge(execution)) === 'prediction';
  }

  /** Names the kind of a prediction by the programs of its transactions. */
  #kindOf(cycle: readonly number[]): string {
    return [...new Set(cycle.map(this.#options.programOf))].toSorted().join();
  }

  /**
   * Judges an execution. Each prediction with these changes lacks one of the transactions of a returned conflict.
   * `explained`: the stronger level allows the results, because reads may have seen other versions that look the same.
   */
  async #judge(execution: Execution): Promise<'prediction' | 'allowed' | 'explained' | Conflict> {
    const known = this.#conflicts.in(execution);
    if (known !== null) return known;
    const witness = witnessOf(this.#setting, execution, NUMBERED);
    const { history } = witness;
    let weak = await this.#weak.of(history);
    const planned = weak.status === 'satisfied' ? plannedWitness(this.#setting, execution) : null;
    if (planned !== null) weak = await this.#planned!.of(planned.history);
    if (weak.status === 'violated') {
      const conflict = inModel(weak, planned ?? witness);
      this.#conflicts.add(execution, conflict);
      return conflict;
    }
    const strong = weak.status === 'satisfied' ? await this.#strong.of(history) : weak;
    if (strong.status === 'unknown') {
      this.#missing.add('undecided histories');
      this.#undecided++;
    }
    if (strong.status !== 'violated') return 'allowed';
    if (!(await this.#isForbidden(execution))) return 'explained';
    if (this.#options.isRecordedAllowed) return 'prediction';
    const recorded = witnessOf(this.#setting, recordedPart(execution), NUMBERED);
    const judgement = await this.#strong.of(recorded.history);
    const isForbidden = judgement.status === 'violated' && (await this.#isForbidden(recordedPart(execution)));
    return isForbidden ? inModel(judgement, recorded) : 'prediction';
  }

  /** Returns whether the stronger level forbids the results of an execution for all versions that look the same. */
  async #isForbidden(execution: Execution): Promise<boolean> {
    const { hasEqualVersions, stronger, ends } = this.#options;
    if (!hasEqualVersions) return true;
    const { history } = witnessOf(this.#setting, execution, namesOf(this.#setting, execution));
    const { verdict } = await judgeWhole(history, stronger, ends);
    if (verdict === 'unknown') {
      this.#missing.add('undecided histories');
      this.#undecided++;
    }
    return verdict === 'violated';
  }
}

const nameOf = (changes: readonly PossibleChange[]): string =>
  changes.map(({ read, writer }) => `${read} ${writer}`).join();

/** Returns a conflict with the numbers of the model. */
const inModel = ({ transactions, reads }: Involved, { txnOf, opOf }: Witness): Conflict => ({
  transactions: [...new Set(Array.from(transactions, (t) => txnOf[t]!))],
  reads: reads && new Set(Array.from(reads, (read) => opOf[read]!)),
});

/**
 * Returns how the changed transactions depend on all transactions of a conflict; null if one of these may be left out.
 */
function blockedBy(
  model: Model,
  execution: Execution,
  changed: ReadonlySet<number>,
  { transactions: conflict, reads: inConflict }: Conflict,
): Blocked | null {
  const readers = readersOf(model, execution, changed, false);
  const transactions = new Set<number>();
  const reads = new Set(inConflict);
  for (const of of conflict) {
    if (inConflict === null) for (let op = model.start[of]; op < execution.end[of]; op++) reads.add(op);
    for (let t = of; !transactions.has(t);) {
      const step = readers.get(t);
      if (step === undefined) return null;
      transactions.add(t);
      if (step.read >= 0) reads.add(step.read);
      t = step.from;
    }
  }
  return { transactions, reads };
}

/** Returns an execution with the levels and locks of the plan; null if it has neither. */
function plannedWitness(setting: Setting, execution: Execution): Witness | null {
  const { model, plan } = setting;
  if (plan === null) return null;
  const isIn = (t: number): boolean => execution.takesPart[t] === 1;
  const isPlain =
    !plan.levels.some((level, t) => level !== null && isIn(t)) &&
    !plan.locks.some((lock, op) => lock === 1 && isIn(model.txn[op]));
  return isPlain ? null : witnessOf(setting, execution, NUMBERED, undefined, plan);
}

/** Time between two pauses. */
const PAUSE_MS = 50;

/** Largest number of parts of an execution that are tried for the same changes. */
const MOST_PARTS = 200;
/** Largest number of kinds of predictions. */
const MOST_KINDS = 100;
