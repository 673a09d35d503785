import { readFromBetween } from './certain.ts';
import type { Chains } from './chains.ts';
import type { Result } from './result.ts';
import { Why } from './schedule.ts';

/** Links that the contradiction rests on, each by its second transaction: of a stretch of a chain, the first and the last. */
export function linksUsed({ search: { proof, schedule }, versions, known }: Result, { next }: Chains): number[] {
  const links = new Set<number>();
  const { shift } = schedule;
  const addPath = (from: number, to: number, rounds: number): void => {
    for (const step of known!.path(from, to, rounds)) {
      if (step.kind === 'chain') links.add(step.to);
      if (step.kind === 'fact') addFact(step.number, step.to);
    }
  };
  const addFact = (fact: number, to: number): void => {
    const { factFrom, factReader, factRound, factVersion } = known!;
    const { writer } = known!.versions;
    if (!known!.isAntidependency(fact)) addPath(factFrom[fact], factReader[fact], factRound[fact] - 1);
    else if (factVersion[fact] < writer.length) addPath(writer[factVersion[fact]], to, factRound[fact] - 1);
  };
  for (const step of proof.core()) {
    for (const { from, to, why, data, basis, literal } of proof.steps[step]!.cycle ?? []) {
      const [a, b] = [from >> shift, to >> shift];
      if (why === Why.Chain && a !== b) links.add(b).add(next[a]);
      if (why === Why.Fact) addFact(data, b);
      if (literal >= 0 || (why !== Why.Overwrite && why !== Why.Unseen && why !== Why.Lock)) continue;
      const first = why === Why.Lock ? basis : basis < versions.writer.length ? versions.writer[basis] : -1;
      if (first < 0 || readFromBetween(versions, first, b) >= 0) continue;
      if (versions.lists === null) addPath(first, b, known!.rounds);
    }
  }
  return [...links];
}

/** The transactions of the last cycle that a contradiction rests on. */
export function lastCycle({ search: { proof, schedule } }: Result): number[] {
  const steps = proof.core().map((step) => proof.steps[step]!);
  const cycle = steps.findLast((step) => step.cycle !== null)?.cycle ?? [];
  return cycle.map(({ to }) => to >> schedule.shift);
}

/** Cuts links, and all that the guess has near them: what is wrong with sessions in one place is seldom a single link. */
export function cutAround(links: readonly number[], width: number, cut: Uint8Array, guess: Int32Array): void {
  const isLink = new Uint8Array(guess.length);
  for (const t of links) isLink[t] = 1;
  for (let rank = 0; rank < guess.length; rank++)
    if (isLink[guess[rank]] === 1)
      for (const t of guess.subarray(Math.max(rank - width, 0), rank + width + 1)) cut[t] = 1;
}
