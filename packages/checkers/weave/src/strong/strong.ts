import {
  type CheckInput,
  type LevelName,
  type RunContext,
  type Verdict,
  internalViolations,
  listViolations,
} from '@isolab/checker';
import { byPace } from '../pace.ts';
import { type Chains, chainsOf } from './chains.ts';
import { explainViolation } from './explain.ts';
import { Known } from './known.ts';
import { type Model, modelOf } from './model.ts';
import { byDepth } from './guess.ts';
import type { StrongOptions } from './options.ts';
import { Why } from './schedule.ts';
import { readFromBetween } from './certain.ts';
import { Search } from './search.ts';
import { narrow } from './narrowing.ts';
import type { Facts, Result } from './result.ts';
import { type Versions, gatherVersions } from './versions.ts';

export function checkStrongLevel(
  input: CheckInput,
  level: LevelName,
  options: StrongOptions,
  context: RunContext,
): Verdict {
  const model = modelOf(level)!;
  const { history, index } = input;
  context.stage('construct');
  context.tick(history.opKind.length);
  const anomalies = internalViolations(input, level, context);
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  const order = options.guess === 'none' ? Int32Array.from(history.txnStatus.keys()) : byPace(history);
  const versions = gatherVersions(history, index, order, model);
  if (versions.lists !== null && versions.lists.versions.conflicts.length > 0)
    return { status: 'violated', anomalies: listViolations(history, versions.lists.versions, context.findAll) };
  context.stage('solve');
  const result = findOrder(input, versions, model, order, options, context);
  const { search } = result;
  context.stage('certify');
  if (!search.found) {
    return {
      status: 'violated',
      anomalies: [explainViolation(history, result, model, context.certify)],
    };
  }
  if (!context.certify) return { status: 'satisfied' };
  const events = Array.from(search.events());
  return {
    status: 'satisfied',
    certificate: model.split ? { kind: 'event-order', events } : { kind: 'commit-order', order: events },
  };
}

/**
 * Where the level has no sessions, real histories nearly always respect them all the same, and an order that does is
 * found much faster. So sessions are tried first, and only where a contradiction rests on them are they cut.
 */
function findOrder(
  { history, index }: CheckInput,
  given: Versions,
  model: Model,
  order: Int32Array,
  options: StrongOptions,
  context: RunContext,
): Result {
  const cut = new Uint8Array(given.numTxns).fill(!model.sessions && options.sessions === 'never' ? 1 : 0);
  const tick = (steps: number): void => context.tick(steps);
  // Begin times, where there are any, say more than any depth does.
  const deep = options.guess === 'depth' && history.txnBegin === null;
  const sessions = chainsOf(history, given.happened, new Uint8Array(given.numTxns));
  const guess = (deep ? byDepth(given, sessions, order) : null) ?? order;
  for (let attempt = 1; ; attempt++) {
    const chains = chainsOf(history, given.happened, cut, model.sessions ? given.optional : null);
    const isPrefix = model.split && !model.exclusive;
    const saturate = (versions: Versions, rounds: number): Known | null => Known.of(versions, chains, rounds, tick);
    const attemptWith = (facts: Facts, maxConflicts?: number): Result | null => {
      const search = new Search(history, facts.versions, model, chains, facts.known, guess);
      const done = search.run(tick, maxConflicts);
      context.count('conflicts', search.conflicts);
      context.count('taken-back', search.takenBack);
      return done ? { search, ...facts } : null;
    };
    const know = (): Facts => {
      // Where the level has no sessions, reads may have seen what these rule out: only an order that is found counts.
      // Facts of prefix order commits alone, and cannot be chained.
      const narrowing =
        given.several !== null && (model.sessions || attempt === 1)
          ? narrow(history, index, order, model, given, (versions) => saturate(versions, isPrefix ? 0 : ROUNDS))
          : null;
      const versions = narrowing?.versions ?? given;
      const known = narrowing !== null && !isPrefix ? narrowing.known : saturate(versions, isPrefix ? 1 : ROUNDS);
      const facts = { versions, known, narrowing };
      context.count('facts', facts.known?.factFrom.length ?? 0);
      return facts;
    };
    const isEager = options.saturation === 'always' || (options.saturation === 'auto' && choosesOften(given));
    const patience = options.saturation === 'auto' && !isEager ? PATIENCE + given.numHappened / 8 : Infinity;
    const first = isEager ? know() : { versions: given, known: null, narrowing: null };
    const result = attemptWith(first, patience) ?? attemptWith(know())!;
    if (result.search.found || model.sessions) return result;
    if (result.narrowing !== null && options.sessions === 'first') continue;
    const links = linksUsed(result, chains);
    if (links.length === 0) return result;
    context.count('sessions-cut', links.length);
    if (attempt === ATTEMPTS) cut.fill(1);
    for (const t of links) cut[t] = 1;
  }
}

/** Whether there are so many versions to choose from that it pays to look at once which of them cannot be. */
const choosesOften = ({ several, numHappened }: Versions): boolean =>
  several !== null && several.choice.length > numHappened / 2;

/** Links that the contradiction rests on, each by its second transaction: of a stretch of a chain, the first and the last. */
function linksUsed({ search: { proof, schedule }, versions, known }: Result, { next }: Chains): number[] {
  const links = new Set<number>();
  const { shift } = schedule;
  const addPath = (from: number, to: number, rounds: number): void => {
    for (const step of known!.path(from, to, rounds)) {
      if (step.kind === 'chain') links.add(step.to);
      if (step.kind === 'fact') addFact(step.number);
    }
  };
  const addFact = (fact: number): void => {
    const { factFrom, factReader, factRound } = known!;
    addPath(factFrom[fact], factReader[fact], factRound[fact] - 1);
  };
  for (const step of proof.core()) {
    for (const { from, to, why, data, basis, literal } of proof.steps[step]!.cycle ?? []) {
      const [a, b] = [from >> shift, to >> shift];
      if (why === Why.Chain && a !== b) links.add(b).add(next[a]);
      if (why === Why.Fact) addFact(data);
      if (literal >= 0 || (why !== Why.Overwrite && why !== Why.Unseen && why !== Why.Lock)) continue;
      const first = why === Why.Lock ? basis : basis < versions.writer.length ? versions.writer[basis] : -1;
      if (first < 0 || readFromBetween(versions, first, b) >= 0) continue;
      if (versions.lists === null) addPath(first, b, known!.rounds);
    }
  }
  return [...links];
}

/** Conflicts after which it is worth while to find out what is known, and how often facts are looked for. */
const PATIENCE = 64;
const ROUNDS = 3;

/** How often chains are cut where they do not hold before all of them are. */
const ATTEMPTS = 16;
