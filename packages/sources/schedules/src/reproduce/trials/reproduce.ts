import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { History } from '@isolab/history';
import { PLAIN, arrange } from '../story/arrange.ts';
import type { Schedule } from '../../schedule/schedule.ts';
import { type Story, storyOf } from '../story/story.ts';
import { type Trial, runTrial, type TrialOptions } from './trial.ts';
import { variations } from '../story/variations.ts';

export interface ReproductionOptions extends Omit<TrialOptions, 'schedule' | 'load' | 'path'> {
  /** Number of times that a schedule is tried. */
  readonly trials: number;
  /** Number of other interleavings that are tried where the plain schedule shows nothing. */
  readonly tries: number;
  /** Number of other clients beside the schedule where no interleaving shows anything alone; 6 unless given, 0: none. */
  readonly load?: number;
  /** Existing folder for the histories of the trials. Useful ones stay. */
  readonly folder: string;
  /** Checks between trials whether the results are enough. At least one trial always runs. */
  readonly isEnough?: (hasViolated: boolean) => boolean;
  readonly onProgress?: (progress: ReproductionProgress) => void;
}

export interface ReproductionProgress {
  readonly stage: 'plain' | 'interleavings' | 'load' | 'counting';
  readonly done: number;
  readonly of: number;
  readonly violated: number;
}

/** How the trials of one schedule ended; each counts once. */
export interface Tally {
  readonly trials: number;
  readonly violated: number;
  /** Number of trials without a violation in which a transaction of the violation failed. */
  readonly aborted: number;
  /** Number of trials without a violation in which everything committed. */
  readonly held: number;
  /** Without a verdict: given up, or not decided. */
  readonly undecided: number;
  /** In how many every reply of the violation came again. */
  readonly asTold: number;
}

export interface Reproduction {
  /**
   * Means that showed the violation: the plain schedule, another interleaving, a load beside it. Once: some
   * interleaving showed a violation when it was tried, and never when it was counted. Null if nothing showed a
   * violation.
   */
  readonly how: 'plain' | 'interleaving' | 'load' | 'once' | null;
  /** The schedule that showed it most often; the plain one if none did. */
  readonly schedule: Schedule;
  readonly load: number;
  readonly tally: Tally;
  readonly plain: Tally;
  /** Number of other interleavings that were tried, each once. */
  readonly tried: number;
  /** A trial of the schedule: one that shows the violation, if any did, and where its history is. */
  readonly shown: { readonly trial: Trial; readonly path: string };
  /** In how many trials of the schedule every statement was answered as in that one. */
  readonly alike: number;
}

/** Tries to make a database violate a level again, in the way that a history shows. */
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

/** Tries other interleavings, each once; those that show a violation are counted, until one shows it most of the time. */
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
    // The count starts from the beginning, because a lucky hit is no rate.
    const again = new Series(schedule, load, 'counting', options);
    await again.upTo(options.trials);
    counted++;
    if (again.tally.violated > (best?.tally.violated ?? 0)) best = again;
    if (again.tally.violated >= GOOD_ENOUGH * again.tally.trials) break;
  }
  return { tried, best, once };
}

/** Runs a schedule that is known, as it is. */
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

/** With a load, the plain schedule may show it, too. */
function* withPlain(story: Story, seed: string | number) {
  yield PLAIN;
  yield* variations(story, seed);
}

/** The trials of one schedule. */
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

  /** Runs the schedule until there are `trials` trials. Keeps the history that shows most. */
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

/** After how many trials of the plain schedule without a violation others are tried. */
const PROBES = 5;
const LOAD_SESSIONS = 6;
const GOOD_ENOUGH = 0.9;
/** Interleavings that showed a violation once are counted; an unreliable violation may be found without end. */
const MOST_COUNTED = 5;
