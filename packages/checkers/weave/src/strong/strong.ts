import { type CheckInput, type LevelName, type RunContext, type Verdict, internalViolations } from '@isolab/checker';
import type { History } from '@isolab/history';
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
  const versions = gatherVersions(history, index, order);
  context.stage('solve');
  const { search, known } = findOrder(history, versions, model, order, options, context);
  context.stage('certify');
  if (!search.found) {
    return {
      status: 'violated',
      anomalies: [explainViolation(history, versions, model, search, known, context.certify)],
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
  history: History,
  versions: Versions,
  model: Model,
  order: Int32Array,
  options: StrongOptions,
  context: RunContext,
): { readonly search: Search; readonly known: Known | null } {
  const cut = new Uint8Array(versions.numTxns).fill(!model.sessions && options.sessions === 'never' ? 1 : 0);
  const tick = (steps: number): void => context.tick(steps);
  // Begin times, where there are any, say more than any depth does.
  const deep = options.guess === 'depth' && history.txnBegin === null;
  const sessions = chainsOf(history, versions.happened, new Uint8Array(versions.numTxns));
  const guess = (deep ? byDepth(versions, sessions, order) : null) ?? order;
  for (let attempt = 1; ; attempt++) {
    const chains = chainsOf(history, versions.happened, cut);
    const know = (): Known | null => {
      const known = Known.of(versions, chains, model.split && !model.exclusive ? 1 : ROUNDS, tick);
      context.count('facts', known?.factFrom.length ?? 0);
      return known;
    };
    let known = options.saturation === 'always' ? know() : null;
    let search = new Search(history, versions, model, chains, known, guess);
    const patience = options.saturation === 'auto' ? PATIENCE + versions.numHappened / 8 : Infinity;
    const done = search.run(tick, patience);
    count(search, context);
    if (!done) {
      known = know();
      search = new Search(history, versions, model, chains, known, guess);
      search.run(tick);
      count(search, context);
    }
    if (search.found || model.sessions) return { search, known };
    const links = linksUsed(search, chains, versions, known);
    if (links.length === 0) return { search, known };
    context.count('sessions-cut', links.length);
    if (attempt === ATTEMPTS) cut.fill(1);
    for (const t of links) cut[t] = 1;
  }
}

function count({ counters }: Search, context: RunContext): void {
  context.count('conflicts', counters.conflicts);
  context.count('taken-back', counters.takenBack);
}

/** Links that the contradiction rests on, each by its second transaction: of a stretch of a chain, the first and the last. */
function linksUsed({ proof, schedule }: Search, { next }: Chains, versions: Versions, known: Known | null): number[] {
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
      if (literal >= 0 || (why !== Why.Overwrite && why !== Why.Lock)) continue;
      const first = why === Why.Lock ? basis : basis < versions.writer.length ? versions.writer[basis] : -1;
      if (first >= 0 && readFromBetween(versions, first, b) < 0) addPath(first, b, known!.rounds);
    }
  }
  return [...links];
}

/** Conflicts after which it is worth while to find out what is known, and how often facts are looked for. */
const PATIENCE = 64;
const ROUNDS = 3;

/** How often chains are cut where they do not hold before all of them are. */
const ATTEMPTS = 16;
