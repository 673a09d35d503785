/**
 * Runs parts of suites in its own process. Receives `Part`s from its parent, one after another; reports each failure
 * immediately, and the counts when a part is done.
 */
import process from 'node:process';
import { SUITES } from './suites.ts';
import { Tally, type TallyCounts } from './suite/tally.ts';

/** Attempts of one suite that are made together. */
export interface WorkPart {
  readonly suite: string;
  readonly count: number;
  readonly seed: number;
}

export type FromPart =
  | { readonly kind: 'failed'; readonly failure: string }
  | { readonly kind: 'done'; readonly counts: TallyCounts };

const say = (message: FromPart): void => void process.send?.(message);

process.on('message', (part: WorkPart) => {
  void run(part);
});

async function run({ suite: name, count, seed }: WorkPart): Promise<void> {
  const suite = SUITES.find((each) => each.name === name)!;
  const tally = new Tally((failure) => say({ kind: 'failed', failure }));
  await suite.run(count, seed, tally);
  say({ kind: 'done', counts: tally.counts() });
}
