import { type Edge, eachEdge } from '@isolab/contract';
import type { Schedule } from '../hints/anneal/schedule.ts';
import type { Contradiction } from '../proof/contradiction.ts';
import type { Chains } from '../problem/chains.ts';
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
  const attempts = task.model.sessions ? withSessions(task, searches) : withoutSessions(task, searches);
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

/** A contradiction that rests on sessions, and the session links that it rests on. */
interface Broken {
  readonly contradiction: Contradiction;
  readonly links: readonly number[];
}

/**
 * Makes attempts at levels that do not require session order. Real histories nearly always respect it anyway, and an
 * order that does is found much faster. Therefore sessions are assumed first. If a contradiction rests on them, facts
 * that need no session are searched for: near the contradiction, farther away, and everywhere.
 */
function* withoutSessions(task: Task, searches: Searches): Generator<Attempt> {
  const { options, tuning, versions } = task;
  const isSaturated = options.saturation !== 'never';
  if (options.sessions === 'first') {
    const sessions = searches.chains();
    let broken = null as Broken | null;
    for (const { name, run } of withSessions(task, searches)) {
      yield {
        name: `${name} by sessions`,
        run: () => {
          const result = run();
          if (typeof result === 'string' || result.search.found) return result;
          const contradiction = searches.contradiction(result);
          const links = linksUsed(contradiction.cycles(), sessions);
          // Candidates that only sessions excluded may have been seen if the level does not require session order.
          if (links.length === 0 && result.narrowing === null) return result;
          broken = { contradiction, links };
          return 'the contradiction rests on sessions';
        },
      };
      if (broken !== null) break;
    }
    for (const halvings of isSaturated ? [tuning.near, tuning.farther] : []) {
      const near = (): Result | string => {
        if (options.near === 'never') return 'switched off';
        const { contradiction, links } = broken!;
        const found = searches.contradictionNear(contradiction, links, versions.numHappened >> halvings);
        return found ?? 'facts suffice for no contradiction';
      };
      yield { name: `facts near the contradiction (1/${2 ** halvings})`, run: near };
    }
  }
  const single = searches.chains(new Uint8Array(versions.numTxns).fill(1));
  const replay = (): Result =>
    searches.replay(isSaturated ? searches.facts(single) : searches.noFacts(), single, Infinity)!;
  yield { name: 'replay of single transactions', run: replay };
}

/**
 * Returns the links between session neighbours that cycles rest on, as their second transactions. Each stretch of links
 * is represented by its first and its last link.
 */
function linksUsed(cycles: readonly (readonly Edge[])[], { next }: Chains): number[] {
  const links = new Set<number>();
  eachEdge(cycles, ({ from, to, reason }) => {
    if (reason.kind === 'session') links.add(to).add(next[from]);
  });
  return [...links];
}

const MANY_CONFLICTS = 'many conflicts';
