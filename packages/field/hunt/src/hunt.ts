/**
 * Hunts: collects one short history after another, each according to a draw, and checks each while the next one is
 * collected, until a history violates the level or the time is over.
 */
import {
  CollectorError,
  Interrupted,
  type Isolation,
  LastingFault,
  SilentDatabase,
  SpoiltTables,
} from '@isolab/collector';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LeftOut, Turns, leftOutText } from './trials/turns.ts';
import { FINDING, type Finding, keepFinding } from './trials/finding.ts';
import { isSimulated } from './subjects/simulated.ts';
import { HuntFolder, type Pending } from './trials/folder.ts';
import { type Collected, leftBehind } from './trials/collected.ts';
import { type Judged, judge, judgeResults } from './trials/judge.ts';
import type { HuntOptions } from './trials/events.ts';
import { type HuntSettings, type TrialRecord, levelOf } from './trials/options.ts';
import { tryAgain } from './trials/again.ts';
import { keepWrong } from './trials/results.ts';
import { SQL } from './draws/space.ts';
import { openSubject } from './subjects/open.ts';
import type { Subject } from './subjects/subject.ts';
import { type Membership, SharedHunt } from './trials/shared.ts';
import { type Others, type Summary, summaryOf } from './trials/summary.ts';

export async function hunt(settings: HuntSettings, options: HuntOptions): Promise<Summary> {
  const shared = options.queue === undefined ? null : await SharedHunt.join(options.queue, settings, null);
  try {
    return await beginIn(options, shared?.settings ?? settings, shared);
  } finally {
    await shared?.leave();
  }
}

async function beginIn(options: HuntOptions, settings: HuntSettings, shared: SharedHunt | null): Promise<Summary> {
  const folder = await HuntFolder.begin(options.folder, settings);
  try {
    if (shared !== null) await folder.join(shared.membership);
    return await new Hunt(folder, settings, options, shared).run();
  } catch (error) {
    folder.discardIfEmpty();
    throw error;
  } finally {
    folder.close();
  }
}

export async function resume(options: HuntOptions): Promise<Summary> {
  const folder = HuntFolder.resume(options.folder);
  let shared: SharedHunt | null = null;
  try {
    if (options.queue !== undefined) shared = await SharedHunt.join(options.queue, folder.settings, memberOf(folder));
    return await new Hunt(folder, folder.settings, options, shared).run();
  } finally {
    await shared?.leave();
    folder.close();
  }
}

function memberOf({ path, membership }: HuntFolder): Membership {
  if (membership === null)
    throw new CollectorError(`${path} holds a hunt of this machine only; resume it without --queue.`);
  return membership;
}

class Hunt {
  readonly #folder: HuntFolder;
  readonly #settings: HuntSettings;
  readonly #options: HuntOptions;
  readonly #shared: SharedHunt | null;
  readonly #records: TrialRecord[];
  /** When the database was ready: downloading and building an engine may take minutes. */
  #begun = performance.now();
  readonly #beforeSeconds: number;
  #failures = 0;
  /** Whether the database has answered at least once. */
  #hasCollected = false;
  #leftOut: readonly LeftOut[] = [];
  #found: { readonly folder: string; readonly finding: Finding } | null = null;

  constructor(folder: HuntFolder, settings: HuntSettings, options: HuntOptions, shared: SharedHunt | null) {
    this.#folder = folder;
    this.#shared = shared;
    this.#settings = settings;
    this.#options = options;
    this.#records = folder.records();
    this.#beforeSeconds = Math.max(0, ...this.#records.map(({ atSeconds }) => atSeconds));
  }

  async run(): Promise<Summary> {
    const { signal } = this.#options;
    let subject: Subject | null = null;
    try {
      subject = await openSubject(this.#settings, this.#options);
      this.#begun = performance.now();
      await this.#search(subject);
    } catch (error) {
      if (!(error instanceof Interrupted) || !signal.aborted) throw error;
    } finally {
      await subject?.close();
    }
    await this.#reproduce();
    const { description = '', isolations = [] } = subject ?? {};
    const described = { description, levels: this.#levelsOf(isolations), leftOut: this.#leftOut };
    const summary = summaryOf(this.#settings, described, this.#records, signal.aborted, await this.#others());
    await this.#folder.summarise(summary);
    return summary;
  }

  /** Copies the findings of other machines into this folder. */
  async #others(): Promise<Others | null> {
    if (this.#shared === null) return null;
    // Counted first: if no trial is open any more, these counts are final.
    const together = await this.#shared.together();
    const onForeign = (text: string): void => void this.#options.onEvent?.({ kind: 'warning', text });
    const found = await this.#shared.fetchFindings(this.#options.folder, onForeign);
    for (const { worker, folder } of found) {
      const finding = JSON.parse(readFileSync(join(folder, FINDING), 'utf8')) as Finding;
      await this.#options.onEvent?.({ kind: 'found elsewhere', worker, folder, finding });
    }
    return { found, together };
  }

  /** Runs only after the hunt itself has ended, because the schedule needs the tables. */
  async #reproduce(): Promise<void> {
    const { reproduces, signal } = this.#options;
    if (!reproduces || this.#found === null || signal.aborted || isSimulated(this.#settings.database[0]!)) return;
    await tryAgain(this.#found.folder, this.#found.finding, this.#settings, this.#options);
  }

  async #search(subject: Subject): Promise<void> {
    const { signal, onEvent } = this.#options;
    const { description, isolations } = subject;
    void onEvent?.({ kind: 'opened', description, levels: this.#levelsOf(isolations) });
    for (const { name, warning } of isolations)
      if (warning !== undefined) void onEvent?.({ kind: 'warning', text: `${name}: ${warning}` });
    const { index, of } = this.#settings.shard ?? { index: 1, of: 1 };
    const { worker } = this.#shared?.membership ?? { worker: index };
    if (this.#shared !== null) void onEvent?.({ kind: 'joined', worker, seed: this.#settings.seed });
    const turns = new Turns(isolations, subject.space, this.#settings, worker);
    this.#leftOut = turns.leftOut;
    let last = index - of;
    for (const record of this.#records) {
      turns.skip(record);
      last = Math.max(last, record.trial);
    }
    for (const pending of this.#folder.pending()) {
      last = Math.max(last, pending.trial);
      // Schedules that were cut off are compared as far as they were played.
      if (pending.draw.workload === SQL && !existsSync(this.#folder.historyOf(pending.trial))) {
        this.#folder.forget(pending.trial);
        continue;
      }
      await this.#judge(leftBehind(pending, this.#folder), subject, turns);
    }
    let judging = Promise.resolve();
    for (;;) {
      const trial = await this.#next(last);
      if (trial === null || !this.#goesOn(trial)) break;
      last = trial;
      const enough = new AbortController();
      judging.then(
        () => this.#goesOn(trial) || enough.abort(),
        () => enough.abort(),
      );
      const ends = AbortSignal.any([signal, enough.signal, ...this.#ends]);
      const collected = await this.#collect(subject, turns, trial, ends);
      await judging;
      if (signal.aborted) break;
      if (collected === null) {
        if (this.#shared === null) last = trial - of; // the number is free for another draw
        await this.#shared?.drop(trial);
        await subject.reopen();
        continue;
      }
      const { committed, unknown, failure } = collected;
      const isEmpty = this.#leftSeconds === 0 && failure === null && committed + unknown === 0;
      // A violation was found, here or elsewhere, or the time ended before the first history.
      if (enough.signal.aborted || this.#isOverElsewhere || isEmpty) {
        this.#folder.forget(trial);
        return this.#shared?.drop(trial);
      }
      judging = this.#judge(collected, subject, turns);
      if (collected.failure !== null) await subject.reopen();
    }
    await judging;
  }

  /** The number of the next history; null if no more are to be collected. */
  async #next(last: number): Promise<number | null> {
    const next = last + (this.#settings.shard?.of ?? 1);
    if (!this.#goesOn(next)) return null;
    return this.#shared === null ? next : this.#shared.next();
  }

  get #ends(): AbortSignal[] {
    return this.#shared === null ? [] : [this.#shared.over];
  }

  get #isOverElsewhere(): boolean {
    return this.#ends.some(({ aborted }) => aborted);
  }

  get #atSeconds(): number {
    return this.#beforeSeconds + (performance.now() - this.#begun) / 1000;
  }

  get #leftSeconds(): number | null {
    const { seconds } = this.#settings;
    return seconds === null ? null : Math.max(0, seconds - this.#atSeconds);
  }

  #goesOn(trial: number): boolean {
    const { trials, counts } = this.#settings;
    if (this.#options.signal.aborted || this.#leftSeconds === 0 || this.#isOverElsewhere) return false;
    const isFound = this.#records.some(({ verdict }) => verdict === 'violated');
    const isGivenOut = this.#shared === null && trials !== null && trial > trials;
    return !isGivenOut && (counts || !isFound);
  }

  /** Collects a history; null if its draw is impossible and left out from now on. */
  async #collect(subject: Subject, turns: Turns, trial: number, signal: AbortSignal): Promise<Collected | null> {
    const { isolation, draw: drawn, seconds: most } = turns.next();
    const draw = { ...drawn, transactions: this.#settings.transactions ?? drawn.transactions };
    const pending = { trial, seed: `${this.#settings.seed}.${trial}`, draw, isolation: isolation.name };
    const path = this.#folder.historyOf(trial);
    const { onEvent } = this.#options;
    await this.#folder.expect(pending);
    const left = this.#leftSeconds;
    void onEvent?.({ kind: 'collecting', ...pending, leftSeconds: left });
    let counts = { committed: 0, aborted: 0, unknown: 0, seconds: 0 };
    let failure: string | null = null;
    try {
      const seconds = Math.min(most, left ?? Infinity);
      const level = levelOf(this.#settings, isolation);
      await subject.collect({ draw, isolation, level, seed: pending.seed, path, seconds, signal }, (now) => {
        const { committed, aborted, unknown, seconds: took } = now;
        counts = { committed, aborted, unknown, seconds: took };
        void onEvent?.({ kind: 'collected', done: committed });
      });
      this.#failures = 0;
      this.#hasCollected = true;
      turns.collected(isolation.name, draw);
    } catch (error) {
      if (error instanceof Interrupted) return { ...pending, path, ...counts, failure: 'interrupted' };
      if (!(error instanceof CollectorError)) throw error;
      if (error instanceof SpoiltTables && draw.kills) {
        const kills = turns.leaveOutKills(isolation.name, LOST_ALL);
        void onEvent?.({ kind: 'warning', text: leftOutText(kills) });
        return { ...pending, path, ...counts, failure: error.message };
      }
      const isEnough = ++this.#failures >= MOST_FAILURES;
      if (isEnough && !this.#hasCollected) throw error;
      const isSilent = error instanceof SilentDatabase;
      // After a kill, an error may show that committed data are gone, however few there were.
      const isOfFault = error instanceof LastingFault;
      const isRefusal = isOfFault || (!isSilent && counts.committed < (draw.kills ? 1 : FEW_COMMITTED));
      if (isRefusal && this.#leaveOut(turns, pending, error.message, isOfFault)) return null;
      if (isEnough) throw error;
      if (counts.committed + counts.aborted === 0) {
        if (isSilent && this.#drop(trial, `${error.message} The hunt opens it again.`)) return null;
        if (!this.#hasCollected) throw error;
      }
      failure = error.message;
    }
    if (signal.aborted) failure ??= 'interrupted';
    return { ...pending, path, ...counts, failure };
  }

  #leaveOut(turns: Turns, { trial, isolation, draw }: Pending, why: string, isOfFault: boolean): boolean {
    const left = isOfFault ? turns.leaveOutKills(isolation, why) : turns.leaveOut(isolation, draw, why);
    if (left === null) return false;
    if (this.#hasCollected) this.#failures--;
    return this.#drop(trial, leftOutText(left));
  }

  /** Forgets a history that was not begun, and says why. */
  #drop(trial: number, text: string): true {
    this.#folder.forget(trial);
    void this.#options.onEvent?.({ kind: 'warning', text });
    return true;
  }

  #levelsOf(isolations: readonly Isolation[]) {
    return isolations.map((one) => ({ isolation: one.name, level: levelOf(this.#settings, one) }));
  }

  /** Checks a history, stores findings, and writes the result to the log. */
  async #judge(collected: Collected, subject: Subject, turns: Turns): Promise<void> {
    const { checkMs, signal } = this.#options;
    const { path, failure, ...rest } = collected;
    const isolation = subject.isolations.find(({ name }) => name === rest.isolation) ?? subject.isolations[0]!;
    const level = levelOf(this.#settings, isolation);
    const found =
      rest.draw.workload === SQL ? judgeResults(path) : await judge(path, { level, timeMs: checkMs, signal });
    if (signal.aborted && found.verdict === 'unknown') return; // keeps its history for the resumed hunt
    const { verdict, reason, near } = found;
    const isCut = failure !== null && (verdict === 'satisfied' || verdict === 'empty');
    const record: TrialRecord = {
      ...rest,
      isolation: isolation.name,
      level,
      verdict: isCut ? 'unknown' : verdict,
      reason: failure ?? reason,
      near,
      atSeconds: this.#atSeconds,
    };
    void this.#options.onEvent?.({ kind: 'judged', record });
    this.#records.push(record);
    const finding = await this.#keep(record, found, subject);
    await this.#shared?.tell(record, finding);
    this.#folder.add(record);
    turns.learn(record);
  }

  /** Stores a finding; returns its folder, or null if nothing was found. */
  async #keep(record: TrialRecord, { violation, wrong }: Judged, subject: Subject): Promise<string | null> {
    const { checkMs, signal, onEvent, folder } = this.#options;
    const to = join(folder, `finding-${record.trial}`);
    const described = { settings: this.#settings, description: subject.description };
    if (wrong) {
      const finding = await keepWrong(to, record, wrong, described);
      await onEvent?.({ kind: 'found', folder: to, finding, story: null });
      return to;
    }
    if (violation === null) return null;
    const { finding, story } = await keepFinding(to, record, violation, {
      ...described,
      timeMs: checkMs,
      signal,
      onShrinking: (checks) => void onEvent?.({ kind: 'shrinking', folder: to, checks }),
    });
    this.#found ??= { folder: to, finding };
    await onEvent?.({ kind: 'found', folder: to, finding, story });
    return to;
  }
}

/** Reason to leave out kills. */
const LOST_ALL =
  'the database lost its data when its process was killed. That is a violation unless it keeps them in memory only; a program of yours says so by "volatile":true in its answer to hello';
/** Number of commits that exclude a refusal: a later error has another cause. */
const FEW_COMMITTED = 100;
/** Number of consecutive failed collections that end the hunt. */
const MOST_FAILURES = 3;
