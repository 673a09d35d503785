import { anneal } from '../hints/anneal/anneal.ts';
import { Schedule } from '../hints/anneal/schedule.ts';
import { Contradiction } from '../proof/contradiction.ts';
import type { Model } from '../problem/model.ts';
import { guessOrder } from '../hints/guess.ts';
import { Search } from '../learn/search.ts';
import type { Setting } from '../order/setting.ts';
import { Known } from '../facts/known.ts';
import { narrow } from '../facts/narrowing.ts';
import { type Chains, chainsOf } from '../problem/chains.ts';
import { type Versions, gatherVersions } from '../problem/versions.ts';
import type { KnownFacts, Result, Task } from '../learn/task.ts';

/** A replay that can be continued, possibly with another guess. Learned facts are kept. */
export interface Replaying {
  /** Continues for at most this many further conflicts. Returns null if that is not enough. */
  run(maxConflicts: number): Result | null;
  follow(guessed: KnownFacts): void;
}

/** Searches of one history that differ in the assumed part of its sessions and in the known facts. */
export class Searches {
  readonly #task: Task;
  readonly #guess: Int32Array;

  constructor(task: Task) {
    const { input, versions, model, base, options } = task;
    const { history } = input;
    const sessions = chainsOf(history, versions.happened, new Uint8Array(versions.numTxns));
    this.#guess = guessOrder(history, versions, sessions, model, base, options);
    this.#task = task;
  }

  /** Returns the sessions, cut before the marked transactions. */
  chains(cut: Uint8Array = new Uint8Array(this.#task.versions.numTxns)): Chains {
    const { input, versions, model } = this.#task;
    return chainsOf(input.history, versions.happened, cut, model.sessions ? versions.optional : null);
  }

  /** Whether facts are searched for before any replay. */
  get isEager(): boolean {
    return this.#task.options.saturation === 'always';
  }

  /** Number of conflicts after which it pays to look for facts: lower where there is much to choose. */
  get patience(): number {
    const { versions, tuning } = this.#task;
    if (this.choosesOften) return tuning.patienceWithChoices;
    return tuning.patience + tuning.patienceShare * versions.numHappened;
  }

  /** Number of conflicts after which a replay with facts gives up to anneal the guess; larger for long histories. */
  get patienceWithFacts(): number {
    const { tuning, versions } = this.#task;
    if (this.choosesOften) return tuning.patienceChoosing;
    return tuning.patienceWithFacts + tuning.patienceShare * versions.numHappened;
  }

  /** Whether an order in real time is worth a try, because it leaves little to choose where there is much. */
  get mayBeInRealTime(): boolean {
    const { input, model } = this.#task;
    const { txnBegin, txnEnd } = input.history;
    return model.time === 'none' && txnBegin !== null && txnEnd !== null && this.choosesOften;
  }

  /** Whether many reads have several candidates, and the database does not claim which they saw. */
  get choosesOften(): boolean {
    const { versions, base, tuning } = this.#task;
    const { several, numHappened } = versions;
    return several !== null && several.choice.length > tuning.manyChoices * numHappened && !base.isClaimed;
  }

  noFacts(): KnownFacts {
    return { versions: this.#task.versions, known: null, narrowing: null, guess: this.#guess };
  }

  /** Returns facts that hold along chains, optionally of some transactions only. */
  facts(chains: Chains, among: Uint8Array | null = null): KnownFacts {
    const { input, versions: given, model, base, options, tuning, context } = this.#task;
    const withAntidependencies = !model.split && among !== null;
    const know = (versions: Versions, rounds: number): Known => {
      const those = among === null ? versions : only(versions, among);
      return Known.of(those, chains, this.#guess, withAntidependencies, rounds, tuning, this.#tick);
    };
    const rounds = this.#isPrefix ? 0 : tuning.saturationRounds;
    const narrowing =
      given.several === null || options.narrowing === 'never'
        ? null
        : narrow(input, base.order, given, tuning.narrowingRounds, (versions) => know(versions, rounds), this.#tick);
    const versions = narrowing?.versions ?? given;
    const known = narrowing !== null && !this.#isPrefix ? narrowing.known : know(versions, this.#isPrefix ? 1 : rounds);
    context.count('facts', known.factFrom.length);
    return { versions, known, narrowing, guess: this.#guess };
  }

  /** Facts of prefix consistency order only commits, and cannot be chained. */
  get #isPrefix(): boolean {
    return this.#task.model.split && !this.#task.model.exclusive;
  }

  schedule(): Schedule {
    return new Schedule(this.#task.versions, this.#guess);
  }

  /** Returns whether reads rarely miss, so that another annealing, or a replay, is promising. */
  isClose({ misses, numReads }: Schedule): boolean {
    return misses <= this.#task.tuning.mayMiss * numReads;
  }

  /** Returns the facts with a better guess, from a schedule that is annealed this many times as long as the first. */
  annealed(facts: KnownFacts, chains: Chains, schedule: Schedule, times: number): KnownFacts {
    const { input, tuning, context } = this.#task;
    const steps = times * Math.max(tuning.movesPerAccess * schedule.numAccesses, tuning.fewestMoves);
    const annealFrom = this.isClose(schedule) ? tuning.annealAgainFrom : tuning.annealFrom;
    anneal(schedule, chains, { steps, ...tuning, annealFrom }, this.#tick);
    context.count('annealed', steps);
    const guess = schedule.order();
    const versions = gatherVersions(input.history, input.index, guess, facts.narrowing?.left ?? null);
    return { ...facts, versions, guess };
  }

  /** Returns an order that also respects sessions and real time; null if none was found soon. */
  replayInRealTime(chains: Chains): Result | null {
    const { model } = this.#task;
    const stronger: Model = { ...model, sessions: true, time: model.split ? 'snapshots' : 'returned' };
    const result = this.replay(this.noFacts(), chains, this.patience, stronger);
    return result !== null && result.search.found ? result : null;
  }

  /** Returns a contradiction of the reads with one candidate, which holds for all reads; null if none is found soon. */
  contradictionOfCertain(facts: KnownFacts, chains: Chains): Result | null {
    const certain = { ...facts, versions: { ...facts.versions, several: null } };
    const result = this.replay(certain, chains, this.patienceWithFacts);
    return result?.search.found === false ? result : null;
  }

  /** Replays the history along chains. Returns null if it gave up after this number of conflicts. */
  replay(facts: KnownFacts, chains: Chains, maxConflicts = Infinity, model = this.#task.model): Result | null {
    return this.replaying(facts, chains, model).run(maxConflicts);
  }

  replaying(first: KnownFacts, chains: Chains, model = this.#task.model): Replaying {
    const { context } = this.#task;
    const cycle = first.known?.cycle ?? null;
    if (cycle !== null && (!this.#isPrefix || cycle.every(({ kind }) => kind !== 'fact')))
      return { run: () => this.#refuted(first, chains), follow: () => {} };
    let facts = first;
    const search = this.#search(facts, chains, model);
    const run = (maxConflicts: number): Result | null => {
      const { conflicts } = search;
      const { takenBack } = search.replay;
      const done = search.run(this.#tick, conflicts + maxConflicts);
      context.count('conflicts', search.conflicts - conflicts);
      context.count('taken-back', search.replay.takenBack - takenBack);
      return done ? { search, ...facts } : null;
    };
    const follow = (guessed: KnownFacts): void => {
      facts = guessed;
      search.restart(this.#setting(guessed, chains, model));
    };
    return { run, follow };
  }

  /**
   * Returns a contradiction of facts near the given links in the guess or, if that were most of the history, near the
   * last of its cycles; null if facts do not suffice.
   */
  contradictionNear(last: Contradiction, links: readonly number[], width: number): Result | null {
    const nearLinks = this.#near(links, width);
    const isMost = sum(nearLinks) > this.#task.tuning.mostLinks * this.#task.versions.numHappened;
    const among = isMost
      ? this.#near(
          (last.cycles().at(-1) ?? []).map(({ to }) => to),
          width,
        )
      : nearLinks;
    const facts = this.facts(this.chains(new Uint8Array(this.#guess.length).fill(1)), among);
    return facts.known!.cycle === null ? null : this.#refuted(facts, this.chains(among));
  }

  /** Marks the transactions that happened and are near the given ones in the guess. */
  #near(transactions: readonly number[], width: number): Uint8Array {
    const { happened } = this.#task.versions;
    const guess = this.#guess;
    const near = new Uint8Array(guess.length);
    const given = new Set(transactions);
    for (let rank = 0; rank < guess.length; rank++)
      if (given.has(guess[rank]))
        for (const t of guess.subarray(Math.max(rank - width, 0), rank + width + 1)) near[t] = happened[t];
    return near;
  }

  #refuted(facts: KnownFacts, chains: Chains): Result {
    const search = this.#search(facts, chains);
    search.refute(facts.known!.cycle!);
    return { search, ...facts };
  }

  contradiction(result: Result): Contradiction {
    const { input, model, tuning } = this.#task;
    return new Contradiction(input.history, result, model, tuning);
  }

  #search(facts: KnownFacts, chains: Chains, model = this.#task.model): Search {
    const { options, tuning } = this.#task;
    const learnMoreAfter = { auto: tuning.learnMoreAfter, always: 0, never: Infinity }[options.learning];
    return new Search(this.#setting(facts, chains, model), { ...tuning, learnMoreAfter });
  }

  #setting({ versions, known, guess }: KnownFacts, chains: Chains, model: Model): Setting {
    return { history: this.#task.input.history, versions, model, chains, known, order: guess };
  }

  readonly #tick = (steps: number): void => this.#task.context.tick(steps);
}

const only = (versions: Versions, among: Uint8Array): Versions => ({
  ...versions,
  happened: among,
  numHappened: sum(among),
});

const sum = (ones: Uint8Array): number => ones.reduce((total, one) => total + one, 0);
