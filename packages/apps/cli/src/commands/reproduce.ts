import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { decidedAs, Interrupted, isSchedule, visibleLine } from 'isolab/skin';
import { replay, type ReplayOptions, reproduce as tryAgain, type Reproduced } from 'isolab';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { exitCodeOf } from '../verdicts/judge.ts';
import type { EndFlags } from '../terminal/ending.ts';
import { limitsOf, parseDuration, parseTime } from '../terminal/limits.ts';
import { openPath } from '../verdicts/open.ts';
import {
  CONNECT_TIMEOUT,
  type CommandFlags,
  type CommandModule,
  DATABASE,
  FOR,
  FORCE,
  LAYOUT,
  LEVEL,
  OUT_FOLDER,
  READING,
  SCHEDULES,
  SEED,
  TIME,
  TRIALS,
  until,
} from '../terminal/options.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';
import { makeFolder } from '../terminal/targets.ts';
import { levelAsked, wholeNumber } from '../terminal/words.ts';

const OPTIONS = [
  ...READING,
  ...DATABASE,
  LEVEL('try to violate this level; the claimed level of the isolation if absent'),
  LAYOUT,
  TRIALS('run a schedule N times', '20'),
  FOR('start no trial after this time: 60s, 10m, 2h'),
  until('end at the first violation'),
  SCHEDULES('try N other schedules if the plain one shows no violation', '100'),
  SEED('set the seed that chooses the other schedules', '1'),
  TIME('limit the time of reading, and of the checker with its shrinking'),
  OUT_FOLDER('write the schedule as data, transcript and tests to FOLDER'),
  FORCE,
  CONNECT_TIMEOUT,
] as const;
export type ReproduceFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab reproduce shrunk.jsonl --db postgres@12.3',
    'isolab reproduce shrunk.jsonl --db postgres@12.3 --trials 100 --out reproduced',
  ],
  options: OPTIONS,
  run: reproduce,
};

/**
 * `isolab reproduce`: writes a violation as a schedule of statements, and measures how often it violates the level
 * again.
 */
export async function reproduce(path: string, flags: ReproduceFlags, printer: Printer): Promise<number> {
  const trials = wholeNumber('--trials', flags.trials);
  const tries = wholeNumber('--schedules', flags.schedules);
  const level = flags.level === undefined ? undefined : decidedAs(levelAsked(flags.level).level.name);
  const connectMs = parseTime(flags.connectTimeout, '--connect-timeout');
  if (flags.db.length === 0) throw new UsageError('Missing --db ADDRESS.');
  if (flags.out !== undefined) makeFolder(flags.out, { inputs: [path], force: flags.force });
  const options = {
    database: flags.db,
    sessionSetup: flags.sessionSetup,
    ...(flags.isolation !== undefined && { isolation: flags.isolation }),
    ...(level !== undefined && { level }),
    ...(flags.layout !== undefined && { layout: flags.layout }),
    connectMs,
    trials,
    isEnough: enoughAt(flags),
    seed: flags.seed,
    ...(flags.out !== undefined && { to: flags.out }),
  };
  const schedule = scheduleAt(path);
  const { timeMs } = limitsOf(flags);
  const limits = { tries, ...(timeMs !== undefined && { timeMs }) };
  const input = schedule === null ? await openPath(path, flags) : null;
  const found = await interruptible(printer, (watched) =>
    input === null
      ? replay(schedule!, { ...options, ...watched, name: path })
      : tryAgain(input, { ...options, ...limits, ...watched }),
  );
  if (found === null) {
    printer.note('Interrupted before the trials ended, so there is no result.');
    return ExitCode.Unknown;
  }
  if (found.how === 'nothing') {
    printer.note(
      `${visibleLine(path)} is not known to violate ${found.level}: the verdict is ${found.result.verdict}. There is nothing to reproduce.`,
    );
    if (flags.output === 'json')
      printer.out(toJson({ path, level: found.level, how: found.how, verdict: found.result.verdict }));
    return exitCodeOf(found.result);
  }
  if (flags.output === 'json') printer.out(toJson(jsonOf(path, found)));
  else printer.out(`${visibleLine(found.database)}, ${visibleLine(found.isolation.name)}: ${found.result}`);
  if (flags.out !== undefined && flags.output !== 'json')
    printer.out(`${visibleLine(flags.out)}: ${found.files.join(', ')}`);
  if (found.how !== null) return ExitCode.Violated;
  return found.tally.undecided === 0 ? ExitCode.Satisfied : ExitCode.Unknown;
}

/** Returns whether trials end: because of `--for`, which counts from now on, or after the first violation. */
function enoughAt(flags: EndFlags): (hasViolated: boolean) => boolean {
  const ends = flags.for === undefined ? Infinity : performance.now() + parseDuration(flags.for, '--for');
  return (hasViolated) => (hasViolated && flags.until.includes('violated')) || performance.now() >= ends;
}

type Watched = Pick<ReplayOptions, 'onProgress'> & { readonly signal: AbortSignal };

/** Runs a task and prints its progress; returns null if it was interrupted. Violations found until then count. */
function interruptible<T>(printer: Printer, task: (watched: Watched) => Promise<T>): Promise<T | null> {
  let stage = '';
  const line = progressLine((done, of) => `${stage}: ${done} of ${of}`);
  const onProgress: NonNullable<ReplayOptions['onProgress']> = (progress) => {
    if (progress.violated > 0) printer.judged(ExitCode.Violated);
    stage = STAGES[progress.stage];
    line.show(progress.done, progress.of);
  };
  return printer
    .interruptible((signal) => task({ signal, onProgress }))
    .catch((error: unknown) => {
      if (error instanceof Interrupted) return null;
      throw error;
    })
    .finally(line.clear);
}

/** Text of a schedule that an earlier call wrote; null if the path is not a schedule. */
function scheduleAt(path: string): string | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    return isSchedule(head.toString('utf8', 0, readSync(file, head))) ? readFileSync(path, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}

const HEAD_BYTES = 200;

const STAGES = {
  plain: 'the plain schedule',
  interleavings: 'other interleavings',
  load: 'interleavings with other clients running',
  counting: 'counting',
} as const;

const jsonOf = (path: string, found: Reproduced): object => ({
  path,
  level: found.level,
  database: found.database,
  isolation: found.isolation.name,
  how: found.how,
  load: found.load,
  tally: found.tally,
  plain: found.plain,
  tried: found.tried,
  result: found.result,
  schedule: found.data,
  files: found.files,
});
