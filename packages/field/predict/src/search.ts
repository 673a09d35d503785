/**
 * Search for executions that the weaker level allows and the stronger level forbids. It tries one changed read after
 * the other, then pairs of changed reads. For each of them, it leaves out transactions until the weaker level allows
 * the rest: if the weaker level forbids some transactions together, one of those without a change must be left out.
 */
import { setImmediate } from 'node:timers/promises';
import type { LevelName } from '@isolab/contract';
import { type PossibleChange, possibleChanges } from './changes.ts';
import { Reach, shortestCycle } from './dependencies.ts';
import { type Change, type Execution, type Setting, execute } from './execution.ts';
import { Judge } from './judge.ts';
import { INITIAL } from './model.ts';
import { NUMBERED, pastOf, recordedPart, witnessOf } from './witness.ts';

/** An execution that violates the stronger level, reduced to the transactions that the violation needs. */
export interface Found {
  readonly changes: readonly PossibleChange[];
  readonly execution: Execution;
  /** Transactions of the cycle that violates the level. */
  readonly cycle: readonly number[];
}

export interface Searched {
  readonly found: readonly Found[];
  /** Reasons why the search may have missed predictions within the boundary. */
  readonly gaps: readonly Gap[];
  /** Numbers of tried sets of changes and of judged histories. */
  readonly tried: number;
  readonly judged: number;
}

export type Gap =
  | 'time'
  | 'interruption'
  | 'distant versions'
  | 'undecided histories'
  | 'further kinds'
  | 'aggregates'
  | 'cut-off';

export interface SearchOptions {
  readonly weaker: LevelName;
  readonly stronger: LevelName;
  /** Whether every violation has a cycle through a changed read in the recorded order of versions. */
  readonly needsCycle: boolean;
  /** Whether the recorded history satisfies the stronger level. */
  readonly isRecordedAllowed: boolean;
  /** Largest number of changed reads. */
  readonly mostChanges: number;
  /** Largest distance of a changed read from the recorded version, in versions. */
  readonly furthest: number;
  /** End of the search, on the clock of `performance.now`. */
  readonly ends: number;
  readonly signal: AbortSignal | undefined;
  /** Called with the numbers of tried sets of changes and of found kinds. */
  readonly onProgress: ((tried: number, found: number) => void) | undefined;
  /** Program of each transaction: of alike predictions only the first is returned. */
  readonly programOf: (t: number) => string;
}

export async function search(setting: Setting, options: SearchOptions): Promise<Searched> {
  const run = new Search(setting, options);
  await run.run();
  return run.result();
}

class Search {
  readonly #setting: Setting;
  readonly #options: SearchOptions;
  readonly #weak: Judge;
  readonly #strong: Judge;
  readonly #found = new Map<string, Found>();
  readonly #gaps = new Set<Gap>();
  /** Changes that are a prediction by themselves. */
  readonly #sufficient = new Set<Change>();
  /** Changes with a cycle in the recorded order of versions that are no prediction by themselves. */
  readonly #closing = new Set<Change>();
  #tried = 0;
  #pausedAt = 0;

  constructor(setting: Setting, options: SearchOptions) {
    this.#setting = setting;
    this.#options = options;
    this.#weak = new Judge(options.weaker, options.ends);
    this.#strong = new Judge(options.stronger, options.ends);
  }

  result(): Searched {
    return {
      found: [...this.#found.values()],
      gaps: [...this.#gaps],
      tried: this.#tried,
      judged: this.#weak.count + this.#strong.count,
    };
  }

  async run(): Promise<void> {
    const { changes, areAll } = possibleChanges(this.#setting, this.#options.furthest);
    if (!areAll) this.#gaps.add('distant versions');
    for (const change of changes) {
      if (await this.#isLate()) return;
      await this.#try([change]);
    }
    if (this.#options.mostChanges > 1) await this.#tryPairs(changes);
  }

  /**
   * Tries pairs of changes that may close a cycle together, and then all pairs with a change that closes a cycle alone:
   * the other change may rule out the orders of versions that avoid the cycle.
   */
  async #tryPairs(changes: readonly PossibleChange[]): Promise<void> {
    const rest = changes.filter((change) => !this.#sufficient.has(change));
    const { model } = this.#setting;
    const reach = this.#options.needsCycle ? new Reach(model, execute(this.#setting, [])!) : null;
    const edges = rest.map((change) => this.#edgesOf(change));
    const mayCloseTogether = (i: number, j: number): boolean => reach === null || mayClose(reach, edges[i]!, edges[j]!);
    await this.#tryEach(rest, mayCloseTogether);
    const closes = (i: number): boolean => this.#closing.has(rest[i]!);
    await this.#tryEach(rest, (i, j) => (closes(i) || closes(j)) && !mayCloseTogether(i, j));
  }

  async #tryEach(changes: readonly PossibleChange[], isWanted: (i: number, j: number) => boolean): Promise<void> {
    for (let i = 0; i < changes.length; i++) {
      if (await this.#isLate()) return;
      for (let j = i + 1; j < changes.length; j++) {
        if (changes[i]!.read === changes[j]!.read || !isWanted(i, j)) continue;
        if (await this.#isLate()) return;
        await this.#try([changes[i]!, changes[j]!]);
      }
    }
  }

  /** Returns the dependencies that a change adds: on the writer, and of the writer of the next version. */
  #edgesOf({ read, writer }: Change): Edge[] {
    const { txn, key, writers, places } = this.#setting.model;
    const t = txn[read];
    const of = writers[key[read]]!;
    const place = writer === INITIAL ? 0 : places[key[read]]!.get(writer)! + 1;
    const next = of[place] === t ? of[place + 1] : of[place];
    const edges: Edge[] = next === undefined ? [] : [[t, next]];
    return writer === INITIAL ? edges : [...edges, [writer, t]];
  }

  /** Returns whether the search ends now. Pauses from time to time, so that a signal arrives. */
  async #isLate(): Promise<boolean> {
    const { ends, signal, onProgress } = this.#options;
    if (performance.now() > this.#pausedAt + PAUSE_MS) {
      onProgress?.(this.#tried, this.#found.size);
      await setImmediate();
      this.#pausedAt = performance.now();
    }
    const gap =
      this.#found.size >= MOST_KINDS
        ? 'further kinds'
        : signal?.aborted === true
          ? 'interruption'
          : performance.now() < ends
            ? null
            : 'time';
    if (gap !== null) this.#gaps.add(gap);
    return gap !== null;
  }

  async #try(changes: readonly PossibleChange[]): Promise<void> {
    this.#tried++;
    const { model } = this.#setting;
    const changed = new Set(changes.map(({ read }) => model.txn[read]));
    const tried = new Set<string>();
    const waiting: (readonly number[])[] = [[]];
    for (let leftOut = waiting.pop(); leftOut !== undefined; leftOut = waiting.pop()) {
      const execution = execute(this.#setting, changes, leftOut);
      if (execution === null) continue;
      const cycle = shortestCycle(model, execution, changed);
      if (cycle === null && this.#options.needsCycle) continue;
      if (changes.length === 1) this.#closing.add(changes[0]!);
      const kind = this.#kindOf(cycle ?? [...changed]);
      if (this.#found.has(kind)) return;
      const past = pastOf(model, execution, [...(cycle ?? []), ...changed]);
      const ofPast = await this.#judge(past, changed);
      const judgement = ofPast === 'allowed' ? await this.#judge(execution, changed) : ofPast;
      if (judgement === 'prediction') {
        const found = ofPast === 'prediction' ? past : execution;
        this.#found.set(kind, { changes, execution: found, cycle: cycle ?? [...changed] });
        if (changes.length === 1) this.#sufficient.add(changes[0]!);
        return;
      }
      if (judgement === 'allowed') continue;
      for (const t of judgement) {
        const without = [...leftOut, t].toSorted((a, b) => a - b);
        if (tried.has(without.join())) continue;
        tried.add(without.join());
        if (tried.size > MOST_PARTS) return void this.#gaps.add('undecided histories');
        waiting.push(without);
      }
    }
  }

  /** Names the kind of a prediction by the programs of its transactions. */
  #kindOf(cycle: readonly number[]): string {
    return JSON.stringify([...new Set(cycle.map(this.#options.programOf))].toSorted());
  }

  /** Judges an execution. Of the returned transactions, each prediction with these changes lacks one. */
  async #judge(
    execution: Execution,
    changed: ReadonlySet<number>,
  ): Promise<'prediction' | 'allowed' | readonly number[]> {
    const { model } = this.#setting;
    const { history, txnOf } = witnessOf(model, execution, NUMBERED);
    const without = (transactions: Iterable<number>): number[] =>
      Array.from(transactions, (t) => txnOf[t]!).filter((t) => !changed.has(t));
    const weak = await this.#weak.of(history);
    if (weak.status === 'violated') return without(weak.transactions);
    const strong = weak.status === 'satisfied' ? await this.#strong.of(history) : weak;
    if (strong.status === 'unknown') this.#gaps.add('undecided histories');
    if (strong.status !== 'violated') return 'allowed';
    if (this.#options.isRecordedAllowed) return 'prediction';
    const recorded = await this.#strong.of(witnessOf(model, recordedPart(execution), NUMBERED).history);
    return recorded.status === 'violated' ? without(recorded.transactions) : 'prediction';
  }
}

/** Time between two pauses. */
const PAUSE_MS = 50;

/** Largest number of parts of an execution that are tried for the same changes. */
const MOST_PARTS = 200;
/** Largest number of kinds of predictions. */
const MOST_KINDS = 100;

type Edge = readonly [from: number, to: number];

/** Returns whether a cycle may lead through an edge of each of two changes. */
const mayClose = (reach: Reach, some: readonly Edge[], others: readonly Edge[]): boolean =>
  some.some(([a, b]) => others.some(([c, d]) => reach.leads(b, c) && reach.leads(d, a)));
