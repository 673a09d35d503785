import type { Schedule } from '../hints/anneal/schedule.ts';
import type { Contradiction } from '../proof/contradiction.ts';
import type { Chains } from '../problem/chains.ts';
import { linksUsed } from './links.ts';
import { type Replaying, Searches } from './searches.ts';
import type { KnownFacts, Result, Task } from '../learn/task.ts';

interface Attempt {
  readonly name: string;
  /** Returns the result, or the reason why the attempt gave up. */
  run(): Result | string;
}

/** Makes attempts until one of them finds an order or a contradiction. */
export function findOrder(task: Task): Result {
  const searches = new Searches(task);
  const attempts = task.model.sessions ? withSessions(task, searches) : new WithoutSessions(task, searches).attempts();
  for (const { name, run } of attempts) {
    const outcome = run();
    if (typeof outcome !== 'string') return outcome;
    task.context.count(`gave up ${name}: ${outcome}`, 1);
  }
  throw new Error('The last attempt has no limit.');
}

/** Looks for facts and for a better guess only after many conflicts. The last replay has no limit. */
function withSessions({ model, tuning, options }: Task, searches: Searches): Attempt[] {
  const chains = searches.chains();
  const isSaturated = options.saturation !== 'never';
  let known: KnownFacts | null = null;
  const facts = (): KnownFacts => (known ??= isSaturated ? searches.facts(chains) : searches.noFacts());
  let replaying: Replaying | null = null;
  const withFacts = (): Replaying => (replaying ??= searches.replaying(facts(), chains));
  const attempts: Attempt[] = [];
  const attempt = (name: string, run: () => Result | null, otherwise = MANY_CONFLICTS): void => {
    attempts.push({ name, run: () => run() ?? otherwise });
  };
  if (searches.mayBeInRealTime)
    attempt('replay in real time', () => searches.replayInRealTime(chains), 'no order found');
  if (!searches.isEager) attempt('replay', () => searches.replay(searches.noFacts(), chains, searches.patience));
  if (searches.choosesOften) {
    const refute = (): Result | null => searches.contradictionOfCertain(facts(), chains);
    attempt('replay of certain reads', refute, 'no contradiction found');
  }
  // With times, the guess cannot be improved.
  if (options.annealing === 'auto' && model.time === 'none') {
    let schedule: Schedule | null = null;
    let isPromising = true;
    attempt('replay with facts', () => withFacts().run(searches.patienceWithFacts));
    for (let times = 1; times < 2 ** tuning.anneals; times *= 2) {
      attempt(`replay of an annealed guess (${times})`, () => {
        schedule ??= searches.schedule();
        if (!isPromising) return null;
        const before = times === 1 ? Infinity : schedule.misses;
        const guessed = searches.annealed(facts(), chains, schedule, times);
        const isClose = searches.isClose(schedule);
        isPromising = isClose || (searches.choosesOften && schedule.misses < tuning.mayLeave * before);
        // Where values repeat, a replay far from an order would be in conflict everywhere.
        if (!isClose && searches.choosesOften) return null;
        withFacts().follow(guessed);
        return withFacts().run(times * tuning.patienceAnnealed);
      });
    }
  }
  attempt('replay to the end', () => withFacts().run(Infinity));
  return attempts;
}

/**
 * Search at levels that do not require session order. Real histories nearly always respect it anyway, and an order that
 * does is found much faster. Therefore sessions are assumed first and cut where a contradiction rests on them: widely
 * while there are no facts, then narrowly, wider each time. Between the cuts, facts that need no session are searched
 * for: near the contradiction, farther away, and everywhere.
 */
class WithoutSessions {
  readonly #task: Task;
  readonly #searches: Searches;
  readonly #cut: Uint8Array;
  #facts: KnownFacts | null = null;
  /** The last contradiction that rests on sessions, and the session links that it rests on. */
  #last: Contradiction | null = null;
  #links: readonly number[] = [];
  #neededFacts = false;

  constructor(task: Task, searches: Searches) {
    this.#task = task;
    this.#searches = searches;
    this.#cut = new Uint8Array(task.versions.numTxns);
  }

  *attempts(): Generator<Attempt> {
    const { options, tuning } = this.#task;
    if (options.sessions === 'first') {
      for (const { name, run } of withSessions(this.#task, this.#searches)) {
        if (this.#last !== null) break; // the attempt was completed
        yield { name: `${name} by sessions`, run: () => this.#judge(run(), this.#searches.chains()) };
      }
      if (options.saturation !== 'never') {
        yield this.#near(tuning.near);
        // If facts were needed even with sessions, a search without both would be hopeless.
        if (!this.#neededFacts && tuning.cuts > 1) yield this.#cutSessions(tuning.firstCut, false);
        yield this.#near(tuning.farther);
      } else {
        yield this.#cutSessions(tuning.firstCut, true);
      }
      for (let cut = this.#neededFacts ? 1 : 2; cut < tuning.cuts; cut++)
        yield this.#cutSessions(cut === 1 ? tuning.firstCut : tuning.narrowestCut - 2 * cut, true);
    }
    yield { name: 'replay of single transactions', run: () => this.#withoutAny() };
  }

  /** Searches for a contradiction of facts among transactions near the last contradiction. */
  #near(halvings: number): Attempt {
    const run = (): Result | string => {
      if (this.#task.options.near === 'never') return 'switched off';
      const width = this.#task.versions.numHappened >> halvings;
      return this.#searches.contradictionNear(this.#last!, this.#links, width) ?? 'facts suffice for no contradiction';
    };
    return { name: `facts near the contradiction (1/${2 ** halvings})`, run };
  }

  #cutSessions(halvings: number, withFacts: boolean): Attempt {
    const run = (): Result | string => {
      const searches = this.#searches;
      searches.cutAround(this.#links, this.#task.versions.numHappened >> halvings, this.#cut);
      const chains = searches.chains(this.#cut);
      const limit = withFacts ? Infinity : 2 * searches.patience;
      return this.#judge(
        searches.replay(withFacts ? this.#factsAnywhere() : searches.noFacts(), chains, limit),
        chains,
      );
    };
    return { name: `replay of cut sessions (1/${2 ** halvings})`, run };
  }

  #withoutAny(): Result | string {
    const chains = this.#searches.chains(this.#cut.fill(1));
    return this.#searches.replay(this.#factsAnywhere(), chains) ?? MANY_CONFLICTS;
  }

  #factsAnywhere(): KnownFacts {
    const searches = this.#searches;
    const isOff = this.#task.options.saturation === 'never' && this.#task.options.sessions === 'first';
    return (this.#facts ??= isOff ? searches.noFacts() : searches.facts(searches.chains(this.#cut.slice().fill(1))));
  }

  /** Accepts a result only if it does not rest on sessions. */
  #judge(result: Result | string | null, chains: Chains): Result | string {
    if (result === null || typeof result === 'string') return result ?? MANY_CONFLICTS;
    if (result.search.found) return result;
    const contradiction = this.#searches.contradiction(result);
    const links = linksUsed(contradiction.cycles(), chains);
    // Candidates that only sessions excluded may have been seen if the level does not require session order.
    if (links.length === 0 && (result.narrowing === null || this.#last !== null)) return result;
    if (this.#last !== null) this.#task.context.count('sessions-cut', links.length);
    this.#neededFacts ||= result.known !== null;
    [this.#last, this.#links] = [contradiction, links];
    return 'the contradiction rests on sessions';
  }
}

const MANY_CONFLICTS = 'many conflicts';
