import type { CheckInput, RunContext } from '@isolab/contract';
import { type Chains, chainsOf } from './chains.ts';
import { type Base, guessOrder } from './guess.ts';
import { Known } from './known.ts';
import { cutAround, lastCycle, linksUsed } from './links.ts';
import type { Model } from './model.ts';
import { narrow } from './narrowing.ts';
import type { StrongOptions } from './options.ts';
import { partByPart } from './parts.ts';
import type { Facts, Result } from './result.ts';
import { Search } from './search.ts';
import type { Versions } from './versions.ts';

/**
 * Where the level has no sessions, real histories nearly always respect them all the same, and an order that does is
 * found much faster. So sessions are tried first, and where a contradiction rests on them, they are cut. In between,
 * facts are looked for that hold without any session: near the contradiction, farther away, and everywhere.
 */
export function findOrder(
  input: CheckInput,
  given: Versions,
  model: Model,
  base: Base,
  options: StrongOptions,
  context: RunContext,
): Result {
  const attempts = new Attempts(input, given, model, base, options, context);
  const uncut = new Uint8Array(given.numTxns);
  if (model.sessions) return attempts.patiently(attempts.chains(uncut));
  if (options.sessions === 'never') return attempts.with(attempts.factsWithout(), attempts.chains(uncut.fill(1)))!;
  const result = attempts.patiently(attempts.chains(uncut));
  if (result.search.found) return result;
  return withoutSessions(attempts, result, given.numHappened, options, context);
}

function withoutSessions(
  attempts: Attempts,
  first: Result,
  numHappened: number,
  options: StrongOptions,
  context: RunContext,
): Result {
  const cut = new Uint8Array(attempts.guess.length);
  let last = first;
  let links = linksUsed(first, attempts.chains(cut));
  // What sessions narrowed down may have been seen where the level has none.
  if (links.length === 0 && first.narrowing === null) return first;
  let facts: Facts | null = options.saturation === 'never' ? attempts.none() : null;
  let near = facts === null ? attempts.contradictionNear(links, last, numHappened >> NEAR) : null;
  // If facts were needed even with sessions, nothing is found without them.
  let isHard = first.known !== null;
  for (let attempt = 1; near === null; attempt++) {
    if (facts === null && isHard) {
      near = attempts.contradictionNear(links, last, numHappened >> FARTHER);
      if (near !== null) break;
      facts = attempts.factsWithout();
    }
    if (attempt === ATTEMPTS) cut.fill(1);
    else cutAround(links, numHappened >> (attempt === 1 ? FIRST_CUT : NARROWEST - 2 * attempt), cut, attempts.guess);
    const chains = attempts.chains(cut);
    const result = attempts.with(facts ?? attempts.none(), chains, facts === null ? 2 * attempts.patience : Infinity);
    isHard = true;
    if (result === null) continue;
    if (result.search.found) return result;
    last = result;
    links = linksUsed(result, chains);
    if (links.length === 0) return result;
    context.count('sessions-cut', links.length);
  }
  return near;
}

/** Searches of one history, which differ in how much of its sessions they take for granted. */
class Attempts {
  readonly guess: Int32Array;
  readonly #input: CheckInput;
  readonly #given: Versions;
  readonly #model: Model;
  readonly #base: Base;
  readonly #options: StrongOptions;
  readonly #context: RunContext;

  constructor(
    input: CheckInput,
    given: Versions,
    model: Model,
    base: Base,
    options: StrongOptions,
    context: RunContext,
  ) {
    const { history } = input;
    const sessions = chainsOf(history, given.happened, new Uint8Array(given.numTxns));
    const guess = guessOrder(history, given, sessions, model, base, options);
    // Real time connects everything.
    const inParts = model.time === 'none' && options.guess !== 'none' && options.parts === 'apart';
    this.guess = inParts ? partByPart(given, sessions, guess) : guess;
    this.#input = input;
    this.#given = given;
    this.#model = model;
    this.#base = base;
    this.#options = options;
    this.#context = context;
  }

  /** Sessions, cut in some places. */
  chains(cut: Uint8Array): Chains {
    const { happened, optional } = this.#given;
    return chainsOf(this.#input.history, happened, cut, this.#model.sessions ? optional : null);
  }

  /** Conflicts after which it is worth while to find out what is known: fewer where there is much to choose. */
  get patience(): number {
    if (this.#options.saturation === 'never') return Infinity;
    return choosesOften(this.#given) && !this.#base.isClaimed ? 2 * PATIENCE : PATIENCE + this.#given.numHappened / 8;
  }

  /** Looks for facts only once it has met many conflicts. */
  patiently(chains: Chains): Result {
    const isEager = this.#options.saturation === 'always';
    const first = isEager ? this.with(this.#facts(chains), chains) : this.with(this.none(), chains, this.patience);
    return first ?? this.with(this.#facts(chains), chains)!;
  }

  none(): Facts {
    return { versions: this.#given, known: null, narrowing: null };
  }

  /** Facts that hold without any session; of some transactions only, if asked. */
  factsWithout(among: Uint8Array | null = null): Facts {
    return this.#facts(this.chains(new Uint8Array(this.#given.numTxns).fill(1)), among);
  }

  /**
   * A contradiction among the transactions that the guess has near one that rests on sessions, if facts suffice for it:
   * near all its links or, if that were most of the history, near its last cycle.
   */
  contradictionNear(links: readonly number[], last: Result, width: number): Result | null {
    if (this.#options.near === 'never') return null;
    const nearLinks = this.#near(links, width);
    const among = sum(nearLinks) > this.#given.numHappened / 2 ? this.#near(lastCycle(last), width) : nearLinks;
    const facts = this.factsWithout(among);
    return facts.known!.cycle === null ? null : this.#refuted(facts, this.chains(among));
  }

  #near(transactions: readonly number[], width: number): Uint8Array {
    const { happened, numTxns } = this.#given;
    const near = new Uint8Array(numTxns);
    cutAround(transactions, width, near, this.guess);
    return near.map((is, t) => is & happened[t]);
  }

  /** Null if it gave up after so many conflicts. */
  with(facts: Facts, chains: Chains, maxConflicts?: number): Result | null {
    if (facts.known !== null && facts.known.cycle !== null) {
      if (!this.#isPrefix || facts.known.cycle.every(({ kind }) => kind !== 'fact'))
        return this.#refuted(facts, chains);
    }
    const search = this.#search(facts, chains);
    const done = search.run(this.#tick, maxConflicts);
    this.#context.count('conflicts', search.conflicts);
    this.#context.count('taken-back', search.takenBack);
    return done ? { search, ...facts } : null;
  }

  /** The cycle of facts. */
  #refuted(facts: Facts, chains: Chains): Result {
    const search = this.#search(facts, chains);
    search.refute(facts.known!.cycle!);
    return { search, ...facts };
  }

  #search({ versions, known }: Facts, chains: Chains): Search {
    return new Search(
      this.#input.history,
      versions,
      this.#model,
      chains,
      known,
      this.guess,
      LEARN_MORE_AFTER[this.#options.learning],
    );
  }

  #facts(chains: Chains, among: Uint8Array | null = null): Facts {
    const given = this.#given;
    const know = (versions: Versions, rounds: number): Known =>
      Known.of(
        among === null ? versions : only(versions, among),
        chains,
        this.guess,
        !this.#model.split && among !== null,
        rounds,
        this.#tick,
      );
    const rounds = this.#isPrefix ? 0 : ROUNDS;
    const narrowing =
      given.several === null || this.#options.narrowing === 'never'
        ? null
        : narrow(this.#input.history, this.#input.index, this.#base.order, this.#model, given, (versions) =>
            know(versions, rounds),
          );
    const versions = narrowing?.versions ?? given;
    const known = narrowing !== null && !this.#isPrefix ? narrowing.known : know(versions, this.#isPrefix ? 1 : ROUNDS);
    this.#context.count('facts', known.factFrom.length);
    return { versions, known, narrowing };
  }

  /** Facts of prefix order commits alone, and cannot be chained. */
  get #isPrefix(): boolean {
    return this.#model.split && !this.#model.exclusive;
  }

  readonly #tick = (steps: number): void => this.#context.tick(steps);
}

/** With all other transactions left aside. */
const only = (versions: Versions, among: Uint8Array): Versions => ({
  ...versions,
  happened: among,
  numHappened: sum(among),
});

const sum = (ones: Uint8Array): number => ones.reduce((total, one) => total + one, 0);

/** Whether there are so many versions to choose from that it pays to look at once which of them cannot be. */
const choosesOften = ({ several, numHappened }: Versions): boolean =>
  several !== null && several.choice.length > numHappened / 2;

/** Conflicts; few histories have more than these. */
const LEARN_MORE_AFTER = { auto: 2048, always: 0, never: Infinity } as const;
const PATIENCE = 64;
/** How often facts are looked for. */
const ROUNDS = 3;

/**
 * How often sessions are cut where they do not hold before all of them are, and how much around each place, as a share of
 * the history: wide as long as there are no facts, then in the smallest of places, wider each time.
 */
const ATTEMPTS = 6;
const FIRST_CUT = 8; // 1 / 2^8
const NARROWEST = 16;
/** What is near a contradiction: this many times halved. */
const NEAR = 5;
const FARTHER = 3;
