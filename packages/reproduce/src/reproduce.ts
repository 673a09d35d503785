import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Isolation } from '@isolab/collector';
import type { History } from '@isolab/history';
import { PLAIN, arrange } from './arrange.ts';
import type { Schedule } from './schedule.ts';
import { type Story, storyOf } from './story.ts';
import { type Judged, type Trial, runTrial } from './trial.ts';
import { variations } from './variations.ts';

export interface ReproduceOptions {
  readonly database: Database;
  readonly nodes?: readonly Database[];
  readonly isolation: Isolation;
  /** Says of the history of a trial whether it violates the level. */
  readonly judge: (history: History) => Promise<Judged>;
  /** How often a schedule is tried. */
  readonly trials: number;
  /** How many other interleavings are tried where the plain schedule shows nothing. */
  readonly tries: number;
  /** How many other clients run beside the schedule where no interleaving shows anything alone; 6 unless given, 0: none. */
  readonly load?: number;
  readonly seed: string | number;
  /** A folder for the histories of the trials, which is there; what is of use stays. */
  readonly folder: string;
  readonly blockedMs?: number;
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly stage: 'plain' | 'interleavings' | 'load' | 'counting';
  readonly done: number;
  readonly of: number;
  readonly violated: number;
}

/** How the trials of one schedule ended; each counts once. */
export interface Tally {
  readonly trials: number;
  readonly violated: number;
  /** Nothing violated, and a transaction of the violation failed. */
  readonly aborted: number;
  /** Nothing violated, everything committed. */
  readonly held: number;
  /** Without a verdict: given up, or not decided. */
  readonly undecided: number;
  /** In how many every reply of the violation came again. */
  readonly asTold: number;
}

export interface Reproduction {
  /** What it took: the plain schedule, another interleaving, a load beside it; null if nothing showed a violation. */
  readonly how: 'plain' | 'interleaving' | 'load' | null;
  /** The schedule that showed it most often; the plain one if none did. */
  readonly schedule: Schedule;
  readonly load: number;
  readonly tally: Tally;
  readonly plain: Tally;
  /** How many other interleavings were tried, each once. */
  readonly tried: number;
  /** A trial of the schedule: one that shows the violation, if any did, and where its history is. */
  readonly shown: { readonly trial: Trial; readonly path: string };
  /** In how many trials of the schedule every statement was answered as in that one. */
  readonly alike: number;
}

/** Tries to make a database violate a level again, in a way that a history tells. */
export async function reproduce(history: History, options: ReproduceOptions): Promise<Reproduction> {
  const story = storyOf(history);
  const plain = await series(arrange(story, PLAIN), 0, 'plain', options);
  const found = { plain: plain.tally, tried: 0 };
  if (plain.tally.violated > 0) return { ...found, how: 'plain', load: 0, ...plain };
  let tried = 0;
  for (const load of options.load === 0 ? [0] : [0, options.load ?? LOAD_SESSIONS]) {
    const stage = load === 0 ? 'interleavings' : 'load';
    const most = load === 0 ? options.tries : Math.ceil(options.tries / 4);
    let done = 0;
    let best: Series | null = null;
    let counted = 0;
    for (const variation of load === 0 ? variations(story, options.seed) : withPlain(story, options.seed)) {
      if (done++ === most) break;
      options.onProgress?.({ stage, done, of: most, violated: best?.tally.violated ?? 0 });
      tried++;
      const schedule = arrange(story, variation);
      const once = await series(schedule, load, stage, { ...options, trials: 1 });
      if (once.tally.violated === 0) continue;
      const again = await series(schedule, load, 'counting', options);
      if (again.tally.violated > (best?.tally.violated ?? 0)) best = again;
      if (best !== null && best.tally.violated >= GOOD_ENOUGH * best.tally.trials) break;
      if (++counted === MOST_COUNTED) break;
    }
    if (best !== null) return { ...found, tried, how: load === 0 ? 'interleaving' : 'load', load, ...best };
  }
  return { ...found, tried, how: null, load: 0, ...plain };
}

/** Runs a schedule that is known, as it is. */
export async function replay(
  schedule: Schedule,
  { load = 0, ...options }: Omit<ReproduceOptions, 'tries'>,
): Promise<Reproduction> {
  const found = await series(schedule, load, 'counting', { ...options, tries: 0 });
  const how =
    found.tally.violated === 0 ? null : load > 0 ? 'load' : schedule.differs.length > 0 ? 'interleaving' : 'plain';
  return { plain: found.tally, tried: 0, how, load, ...found };
}

/** With a load, the plain schedule may show it, too. */
function* withPlain(story: Story, seed: string | number) {
  yield PLAIN;
  yield* variations(story, seed);
}

interface Series {
  readonly schedule: Schedule;
  readonly tally: Tally;
  readonly shown: Reproduction['shown'];
  readonly alike: number;
}

/** Runs one schedule several times. */
async function series(
  schedule: Schedule,
  load: number,
  stage: Progress['stage'],
  options: ReproduceOptions,
): Promise<Series> {
  const tally = { trials: 0, violated: 0, aborted: 0, held: 0, undecided: 0, asTold: 0 };
  const answers: string[] = [];
  let shown: (Reproduction['shown'] & { readonly worth: number }) | null = null;
  for (let i = 0; i < options.trials; i++) {
    const path = join(options.folder, `trial-${trialsRun++}.jsonl`);
    const trial = await runTrial({ ...options, schedule, load, path, seed: `${options.seed}/${stage}/${i}` });
    const outcome = outcomeOf(trial);
    tally.trials++;
    tally[outcome]++;
    if (trial.isAsTold) tally.asTold++;
    answers.push(answersOf(trial));
    const worth = (outcome === 'violated' ? 2 : 0) + (trial.isAsTold ? 1 : 0);
    if (shown === null || worth > shown.worth) {
      if (shown) rmSync(shown.path);
      shown = { trial, path, worth };
    } else rmSync(path);
    if (stage === 'plain' || stage === 'counting')
      options.onProgress?.({ stage, done: i + 1, of: options.trials, violated: tally.violated });
  }
  const alike = answers.filter((one) => one === answersOf(shown!.trial)).length;
  return { schedule, tally, shown: shown!, alike };
}

const answersOf = ({ observed }: Trial): string =>
  JSON.stringify(observed.map(({ reply, error, answered }) => [reply ?? null, error === undefined, answered !== null]));

let trialsRun = 0;

function outcomeOf({ judged, failed, isHung }: Trial): 'violated' | 'aborted' | 'held' | 'undecided' {
  if (judged.verdict === 'violated') return 'violated';
  if (isHung || judged.verdict === 'unknown') return 'undecided';
  return failed.length > 0 ? 'aborted' : 'held';
}

const LOAD_SESSIONS = 6;
const GOOD_ENOUGH = 0.9;
/** How many interleavings that showed it once are counted; what shows it now and then may be found without end. */
const MOST_COUNTED = 5;
