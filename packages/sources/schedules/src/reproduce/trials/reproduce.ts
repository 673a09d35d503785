import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { History } from '@isolab/history';
import { PLAIN, arrange } from '../story/arrange.ts';
import type { Schedule } from '../../schedule/schedule.ts';
import { type Story, storyOf } from '../story/story.ts';
import { type Trial, runTrial, type TrialOptions } from './trial.ts';
import { variations } from '../story/variations.ts';

export interface ReproductionOptions extends Omit<TrialOptions, 'schedule' | 'load' | 'path'> {
  /** Number of trials of a schedule. */
  readonly trials: number;
  /** Number of other interleavings to try if the plain schedule shows no violation. */
  readonly tries: number;
  /**
   * Number of other clients to run beside the schedule if no interleaving alone shows a violation; 6 if absent, 0 for
   * none.
   */
  readonly load?: number;
  /** Existing folder for the histories of the trials. Useful histories are kept. */
  readonly folder: string;
  /** Checks between trials whether the results suffice. At least one trial always runs. */
  readonly isEnough?: (hasViolated: boolean) => boolean;
  readonly onProgress?: (progress: ReproductionProgress) => void;
}

export interface ReproductionProgress {
  readonly stage: 'plain' | 'interleavings' | 'load' | 'counting';
  readonly done: number;
  readonly of: number;
  readonly violated: number;
}

/** Results of the trials of one schedule. Each trial counts once. */
export interface Tally {
  readonly trials: number;
  readonly violated: number;
  /** Number of trials without a violation in which a transaction of the violation failed. */
  readonly aborted: number;
  /** Number of trials without a violation in which all transactions committed. */
  readonly held: number;
  /** Number of trials without a verdict: given up or undecided. */
  readonly undecided: number;
  /** Number of trials in which every reply of the violation occurred again. */
  readonly asTold: number;
}

export interface Reproduction {
  /**
   * Method that showed the violation: the plain schedule, another interleaving, or a load beside it. `once`: an
   * interleaving showed a violation in its first trial, but not in the trials that count. Null if no trial showed a
   * violation.
   */
  readonly how: 'plain' | 'interleaving' | 'load' | 'once' | null;
  /** Schedule that showed the violation most often; the plain schedule if none did. */
  readonly schedule: Schedule;
  readonly load: number;
  readonly tally: Tally;
  readonly plain: Tally;
  /** Number of other interleavings that were tried once. */
  readonly tried: number;
  /** A trial of the schedule, if possible one with the violation, and the path of its history. */
  readonly shown: { readonly trial: Trial; readonly path: string };
  /** Number of trials with the same answers to all statements as in that trial. */
  readonly alike: number;
}

/** Tries to make a database repeat a violation that a history shows. */
export async function reproduce(history: History, options: ReproductionOptions): Promise<Reproduction> {
  const story = storyOf(history);
  const plain = new Series(arrange(story, PLAIN), 0, 'plain', options);
  await plain.upTo(Math.min(PROBES, options.trials));
  if (plain.tally.violated > 0) {
    await plain.upTo(options.trials);
    return { ...plain.counted(), plain: plain.tally, tried: 0, how: 'plain' };
  }
  let tried = 0;
  let once: Series | null = null;
  for (const load of options.load === 0 ? [0] : [0, options.load ?? LOAD_SESSIONS]) {
    const found = await search(story, load, options);
    tried += found.tried;
    const how = load === 0 ? 'interleaving' : 'load';
    if (found.best) return { ...found.best.counted(), plain: plain.tally, tried, how };
    once ??= found.once;
  }
  if (once) return { ...once.counted(), plain: plain.tally, tried, how: 'once' };
  await plain.upTo(options.trials);
  return { ...plain.counted(), plain: plain.tally, tried, how: null };
}

/**
 * Tries each interleaving once. Counts the violations of promising interleavings, until one shows a violation in most
 * trials.
 */
async function search(story: Story, load: number, options: ReproductionOptions) {
  const stage = load === 0 ? 'interleavings' : 'load';
  const { isEnough } = options;
  const most = load === 0 ? options.tries : Math.ceil(options.tries / 4);
  let [tried, counted] = [0, 0];
  let best: Series | null = null;
  let once: Series | null = null;
  for (const variation of load === 0 ? variations(story, options.seed) : withPlain(story, options.seed)) {
    if (tried === most || counted === MOST_COUNTED || isEnough?.(false)) break;
    tried++;
    options.onProgress?.({ stage, done: tried, of: most, violated: once === null ? 0 : 1 });
    const schedule = arrange(story, variation);
    const first = new Series(schedule, load, stage, options);
    await first.upTo(1);
    if (first.tally.violated === 0) continue;
    once ??= first;
    if (isEnough?.(true)) return { tried, best: first, once };
    // The count starts again, because the lucky first trial would bias the rate.
    const again = new Series(schedule, load, 'counting', options);
    await again.upTo(options.trials);
    counted++;
    if (again.tally.violated > (best?.tally.violated ?? 0)) best = again;
    if (again.tally.violated >= GOOD_ENOUGH * again.tally.trials) break;
  }
  return { tried, best, once };
}

/** Runs a known schedule unchanged. */
export async function replay(
  schedule: Schedule,
  { load = 0, ...options }: Omit<ReproductionOptions, 'tries'>,
): Promise<Reproduction> {
  const found = new Series(schedule, load, 'counting', { ...options, tries: 0 });
  await found.upTo(options.trials);
  const { tally } = found;
  const how = load > 0 ? 'load' : schedule.differs.length > 0 ? 'interleaving' : 'plain';
  return { ...found.counted(), plain: tally, tried: 0, how: tally.violated === 0 ? null : how };
}

/** With a load, the plain schedule may show the violation, too. */
function* withPlain(story: Story, seed: string | number) {
  yield PLAIN;
  yield* variations(story, seed);
}

class Series {
  readonly tally = { trials: 0, violated: 0, aborted: 0, held: 0, undecided: 0, asTold: 0 };
  readonly #schedule: Schedule;
  readonly #load: number;
  readonly #stage: ReproductionProgress['stage'];
  readonly #options: ReproductionOptions;
  readonly #answers: string[] = [];
  #shown: (Reproduction['shown'] & { readonly worth: number }) | null = null;

  constructor(schedule: Schedule, load: number, stage: ReproductionProgress['stage'], options: ReproductionOptions) {
    this.#schedule = schedule;
    this.#load = load;
    this.#stage = stage;
    this.#options = options;
  }

  /** Runs the schedule until there are `trials` trials. Keeps the most informative history. */
  async upTo(trials: number): Promise<void> {
    const { folder, seed, onProgress } = this.#options;
    const { tally } = this;
    while (tally.trials < trials && !this.#isEnough()) {
      const path = join(folder, `trial-${trialsRun++}.jsonl`);
      const own = { schedule: this.#schedule, load: this.#load, path, seed: `${seed}/${this.#stage}/${tally.trials}` };
      const trial = await runTrial({ ...this.#options, ...own });
      const outcome = outcomeOf(trial);
      tally.trials++;
      tally[outcome]++;
      if (trial.isAsTold) tally.asTold++;
      this.#answers.push(answersOf(trial));
      const worth = (outcome === 'violated' ? 2 : 0) + (trial.isAsTold ? 1 : 0);
      if (this.#shown === null || worth > this.#shown.worth) {
        if (this.#shown) rmSync(this.#shown.path);
        this.#shown = { trial, path, worth };
      } else rmSync(path);
      if (this.#stage === 'plain' || this.#stage === 'counting')
        onProgress?.({ stage: this.#stage, done: tally.trials, of: trials, violated: tally.violated });
    }
  }

  #isEnough(): boolean {
    const { trials, violated } = this.tally;
    return trials > 0 && this.#options.isEnough?.(violated > 0) === true;
  }

  counted(): Pick<Reproduction, 'schedule' | 'load' | 'tally' | 'shown' | 'alike'> {
    const { trial, path } = this.#shown!;
    const alike = this.#answers.filter((one) => one === answersOf(trial)).length;
    return { schedule: this.#schedule, load: this.#load, tally: this.tally, shown: { trial, path }, alike };
  }
}

const answersOf = ({ observed }: Trial): string =>
  JSON.stringify(observed.map(({ reply, error, answered }) => [reply ?? null, error === undefined, answered !== null]));

let trialsRun = 0;

function outcomeOf({ judged, failed, isHung }: Trial): 'violated' | 'aborted' | 'held' | 'undecided' {
  if (judged.verdict === 'violated') return 'violated';
  if (isHung || judged.verdict === 'unknown') return 'undecided';
  return failed.length > 0 ? 'aborted' : 'held';
}

/** Number of trials of the plain schedule without a violation before other interleavings are tried. */
const PROBES = 5;
const LOAD_SESSIONS = 6;
const GOOD_ENOUGH = 0.9;
/**
 * Largest number of interleavings whose violations are counted: an unreliable violation may appear in any number of
 * them.
 */
const MOST_COUNTED = 5;
