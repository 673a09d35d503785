import { anneal } from '../hints/anneal/anneal.ts';
import { Schedule } from '../hints/anneal/schedule.ts';
import { Contradiction } from '../proof/contradiction.ts';
import type { Model } from '../problem/model.ts';
import { guessOrder } from '../hints/guess.ts';
import { partByPart } from '../hints/parts.ts';
import { Search } from '../learn/search.ts';
import type { Setting } from '../order/setting.ts';
import { Known } from '../facts/known.ts';
import { narrow } from '../facts/narrowing.ts';
import { type Chains, chainsOf } from '../problem/chains.ts';
import { type Versions, gatherVersions } from '../problem/versions.ts';
import { cutAround } from './links.ts';
import type { KnownFacts, Result, Task } from '../learn/task.ts';

/** A replay that can be continued, along another guess if need be; learned facts are kept. */
export interface Replaying {
  /** Continues until it has met this many more conflicts; then null. */
  run(maxConflicts: number): Result | null;
  /** Starts over with another guess. */
  follow(guessed: KnownFacts): void;
}

/** Searches of one history, which differ in the assumed part of its sessions and in the known facts. */
export class Searches {
  readonly #task: Task;
  readonly #guess: Int32Array;

  constructor(task: Task) {
    const { input, versions, model, base, options } = task;
    const { history } = input;
    const sessions = chainsOf(history, versions.happened, new Uint8Array(versions.numTxns));
    const guess = guessOrder(history, versions, sessions, model, base, options);
    // Real time connects everything.
    const inParts = model.time === 'none' && options.guess !== 'none' && options.parts === 'apart';
    this.#guess = inParts ? partByPart(versions, sessions, guess) : guess;
    this.#task = task;
  }

  /** Sessions, cut in some places. */
  chains(cut: Uint8Array = new Uint8Array(this.#task.versions.numTxns)): Chains {
    const { input, versions, model } = this.#task;
    return chainsOf(input.history, versions.happened, cut, model.sessions ? versions.optional : null);
  }

  cutAround(links: readonly number[], width: number, cut: Uint8Array): void {
    cutAround(links, width, cut, this.#guess);
  }

  /** Whether facts are looked for before anything is replayed. */
  get isEager(): boolean {
    return this.#task.options.saturation === 'always';
  }

  /** Conflicts after which it pays to look for facts: fewer where there is much to choose. */
  get patience(): number {
    const { versions, base, tuning } = this.#task;
    if (choosesOften(versions) && !base.isClaimed) return tuning.patienceWithChoices;
    return tuning.patience + versions.numHappened / 8;
  }

  /** Conflicts after which a replay with facts gives up to anneal the guess: long histories have more of them. */
  get patienceWithFacts(): number {
    const { tuning, versions } = this.#task;
    return tuning.patienceWithFacts + versions.numHappened / 8;
  }

  /** Whether an order in real time is worth a try: where there is much to choose, it leaves little of it. */
  get mayBeInRealTime(): boolean {
    const { input, versions, model, base } = this.#task;
    const { txnBegin, txnEnd } = input.history;
    return model.time === 'none' && txnBegin !== null && txnEnd !== null && choosesOften(versions) && !base.isClaimed;
  }

  noFacts(): KnownFacts {
    return { versions: this.#task.versions, known: null, narrowing: null, guess: this.#guess };
  }

  /** Facts that hold along chains; of some transactions only, if asked. */
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
        : narrow(input, base.order, model, given, tuning.narrowingRounds, (versions) => know(versions, rounds));
    const versions = narrowing?.versions ?? given;
    const known = narrowing !== null && !this.#isPrefix ? narrowing.known : know(versions, this.#isPrefix ? 1 : rounds);
    context.count('facts', known.factFrom.length);
    return { versions, known, narrowing, guess: this.#guess };
  }

  /** Facts of prefix order commits alone, and cannot be chained. */
  get #isPrefix(): boolean {
    return this.#task.model.split && !this.#task.model.exclusive;
  }

  /** The guess as a schedule, to be annealed. */
  schedule(): Schedule {
    return new Schedule(this.#task.versions, this.#guess);
  }

  /** The facts with a better guess: a schedule that is annealed this many times as long as the first one. */
  annealed(facts: KnownFacts, chains: Chains, schedule: Schedule, times: number): KnownFacts {
    const { input, model, tuning, context } = this.#task;
    const steps = times * Math.max(tuning.movesPerAccess * schedule.numAccesses, tuning.fewestMoves);
    anneal(schedule, chains, { steps, ...tuning }, this.#tick);
    context.count('annealed', steps);
    const guess = schedule.order();
    const versions = gatherVersions(input.history, input.index, guess, model, facts.narrowing?.left ?? null);
    return { ...facts, versions, guess };
  }

  /** An order that respects sessions and real time, too; null if none was found soon. */
  replayInRealTime(chains: Chains): Result | null {
    const { model } = this.#task;
    const stronger: Model = { ...model, sessions: true, time: model.split ? 'snapshots' : 'returned' };
    const result = this.replay(this.noFacts(), chains, this.patience, stronger);
    return result !== null && result.search.found ? result : null;
  }

  /** Replays the history along chains; null if it gave up after this number of conflicts. */
  replay(facts: KnownFacts, chains: Chains, maxConflicts = Infinity, model = this.#task.model): Result | null {
    return this.replaying(facts, chains, model).run(maxConflicts);
  }

  /** A replay of the history along chains that is to be run. */
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
   * A contradiction of facts near those links in the guess or, if that were most of the history, near the last of its
   * cycles; null if facts do not suffice.
   */
  contradictionNear(last: Contradiction, links: readonly number[], width: number): Result | null {
    const nearLinks = this.#near(links, width);
    const isMost = sum(nearLinks) > this.#task.versions.numHappened / 2;
    const among = isMost
      ? this.#near(
          (last.cycles().at(-1) ?? []).map(({ to }) => to),
          width,
        )
      : nearLinks;
    const facts = this.facts(this.chains(new Uint8Array(this.#guess.length).fill(1)), among);
    return facts.known!.cycle === null ? null : this.#refuted(facts, this.chains(among));
  }

  #near(transactions: readonly number[], width: number): Uint8Array {
    const { happened, numTxns } = this.#task.versions;
    const near = new Uint8Array(numTxns);
    cutAround(transactions, width, near, this.#guess);
    return near.map((is, t) => is & happened[t]);
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

/** With all other transactions left aside. */
const only = (versions: Versions, among: Uint8Array): Versions => ({
  ...versions,
  happened: among,
  numHappened: sum(among),
});

const sum = (ones: Uint8Array): number => ones.reduce((total, one) => total + one, 0);

/** Returns whether the versions to choose from are so numerous that it pays to examine once for the impossible ones. */
const choosesOften = ({ several, numHappened }: Versions): boolean =>
  several !== null && several.choice.length > numHappened / 2;
