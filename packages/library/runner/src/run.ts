import {
  type Budget,
  type CheckInput,
  type CheckerVerdict,
  type LevelName,
  type Verdict,
  suppositionOf,
  userDefinition,
} from '@isolab/contract';
import { visibleLine } from '@isolab/history';
import { RunnerError } from './errors.ts';
import { runInThread } from './in-thread.ts';
import { toData } from './input-data.ts';
import { type Progress, type RunRecord, type Task, neverBegan } from './job.ts';
import type { CheckerRef } from './load-checker.ts';
import { type Asked, resolveOptions } from './options.ts';
import { type RunOutcome, unknown } from './outcome.ts';
import type { Prepared, PreparedInput } from './prepare.ts';
import { believed } from './proof.ts';
import { type RunPlace, type Report, sizeOf } from './report.ts';
import { type Allowed, whyNoChecker, whyNotAllConsidered, whyNotSatisfied, whyUnsupported } from './refusals.ts';
import { visibleVerdict } from './visible-verdict.ts';

/** A checker with the user's settings. */
export interface ChosenChecker extends Asked {
  readonly checker: CheckerRef;
}

export interface Job extends ChosenChecker {
  readonly prepared: Prepared;
  readonly level: LevelName;
}

export interface RunOptions extends Allowed {
  /**
   * `thread`: this thread, where limits apply when the checker calls `tick` or awaits. `worker`: a thread that can be
   * terminated. `process`: a separate process, the only place where memory is measured and limited reliably.
   */
  readonly place?: RunPlace;
  /**
   * Place for plug-ins. The default is `process`, where their code cannot end or change this program. A plug-in made in
   * this thread runs in this thread.
   */
  readonly pluginPlace?: RunPlace;
  /**
   * Limits that apply from the call of the checker. Memory is the resident memory of its process, including history and
   * runtime (some 60 MB).
   */
  readonly budget?: Budget;
  /** Whether the verdict carries a certificate; true by default. */
  readonly certify?: boolean;
  readonly findAll?: boolean;
  readonly signal?: AbortSignal;
  /** Called at most about ten times per second, and for each new stage. */
  readonly onProgress?: (progress: Progress) => void;
  /** The clock, in milliseconds, for tests; only used in the place `thread`. */
  readonly now?: () => number;
}

/**
 * Runs one checker on one history. It returns a report even if the checker fails, and throws only for invalid
 * arguments. A checker that does not decide the level, or does not accept the history, is not called; the verdict is
 * then unknown (unsupported).
 */
export async function run(job: Job, options: RunOptions = {}): Promise<Report> {
  return judged(await runUnjudged(job, options), job.prepared, options);
}

/** Returns the report, with a satisfied verdict made unknown if the history has too little evidence for it. */
export function judged(report: Report, { evidence }: Prepared, allowed: Allowed): Report {
  if (report.verdict.status !== 'satisfied') return report;
  const why = whyNotSatisfied(evidence(), report.level, allowed);
  return { ...report, verdict: why ?? report.verdict, evidence: evidence() };
}

/** Runs the checker without weighing the evidence for its verdict. */
export async function runUnjudged(job: Job, options: RunOptions = {}): Promise<Report> {
  const { budget = {} } = options;
  const { checker, isPlugin = false } = job.checker;
  const resolved = resolveOptions(checker, job);
  checkBudget(budget);
  const place = placeFor(job.checker, options);
  const runIn = await runnerAt(place, job.checker);
  const definition = userDefinition(job.level);
  const prepared = job.prepared.inputFor(checker);
  const input: PreparedInput =
    definition && prepared.kind === 'history' ? { ...prepared, kind: 'definition', definition } : prepared;
  const task: Task = {
    level: job.level,
    options: resolved,
    budget,
    certify: options.certify ?? true,
    findAll: options.findAll ?? false,
  };
  const unrunnable = whyNotRun(job, input, options);
  const record = unrunnable === null ? await runIn(input, task, options) : neverBegan(unrunnable);
  const given = asHost(job, input, record.verdict);
  const { verdict, proof, notes } = isPlugin
    ? (await import('./proven.ts')).proven(input, job.level, given)
    : believed(given);
  return {
    checker: checker.info.name,
    checkerVersion: checker.info.version,
    level: job.level,
    variant: job.variant ?? null,
    options: resolved,
    place,
    history: sizeOf(job.prepared.history),
    lowered: input.lowered,
    verdict: visibleVerdict(verdict),
    supposing: suppositionOf(checker.info, verdict),
    proof,
    isPlugin,
    plugin: isPlugin ? job.checker.url : null,
    evidence: null,
    stages: record.snapshot.stages.map((stage) => ({ ...stage, name: visibleLine(stage.name) })),
    counters: record.snapshot.counters,
    steps: record.snapshot.steps,
    wallMs: record.snapshot.wallMs,
    cpuMs: record.cpuMs,
    peakRssBytes: record.peakRssBytes,
    startMs: record.startMs,
    error: record.error,
    notes: [...record.notes, ...notes].map(visibleLine),
  };
}

/**
 * Returns the host's verdict. 'satisfied' does not count if lowering omitted operations, and a fallback lists the
 * refusals.
 */
function asHost({ checker: ref, prepared, level }: Job, input: PreparedInput, verdict: CheckerVerdict): Verdict {
  if (verdict.status === 'unknown' && verdict.reason === 'unsupported' && ref.refusals && input.kind !== 'polygraph')
    return whyNoChecker(level, input, ref.refusals);
  if (verdict.status !== 'satisfied') return verdict;
  const aggregates = input.kind === 'scans' ? 0 : prepared.undecidedAggregates(level);
  const rests = input.lowered && level === 'linearizable' ? prepared.evidence() : null;
  const failed = rests?.kind === 'history' ? rests.failedCompareAndSets : 0;
  return aggregates + failed > 0 ? whyNotAllConsidered(ref.checker.info.name, aggregates, failed) : verdict;
}

function placeFor(ref: CheckerRef, { place = 'thread', pluginPlace = 'process' }: RunOptions): RunPlace {
  // The fallback has no file that a worker could load, and it finishes immediately anyway.
  if (ref.isFallback) return 'thread';
  if (!ref.isPlugin) return place;
  return ref.url === null ? 'thread' : pluginPlace;
}

type RunIn = (input: CheckInput, task: Task, options: RunOptions) => Promise<RunRecord>;

/** Returns the function that runs a checker at a place. It is imported lazily, because it imports modules of Node. */
async function runnerAt(place: RunPlace, ref: CheckerRef): Promise<RunIn> {
  if (place === 'thread') return (input, task, options) => runInThread(ref, input, task, options, options.now);
  const { url, imports } = ref;
  if (url === null) {
    const message = `To run in a ${place}, ${ref.checker.info.name} must be loaded with loadChecker, because a ${place} loads it again from its file.`;
    throw new RunnerError('no-url', message);
  }
  const module = { url, ...(imports && { imports }) };
  if (place === 'process') {
    const { runInProcess } = await import('./in-process.ts');
    return (input, task, options) => runInProcess(input, { ...task, ...module }, options);
  }
  const { runInWorker } = await import('./in-worker.ts');
  return (input, task, options) => runInWorker(toData(input), { ...task, ...module }, options);
}

function whyNotRun(job: Job, input: CheckInput, { signal }: RunOptions): RunOutcome | null {
  const unsupported = whyUnsupported(job.checker.checker, input, job.level);
  if (unsupported !== null) return unknown('unsupported', unsupported);
  return signal?.aborted ? unknown('aborted', 'the run was aborted') : null;
}

function checkBudget(budget: Budget): void {
  for (const name of ['timeMs', 'memoryBytes', 'steps'] as const) {
    const limit = budget[name];
    if (limit === undefined || limit >= 0) continue;
    throw new RunnerError('invalid-budget', `budget.${name} is ${limit}, expected a number that is not negative.`);
  }
}
