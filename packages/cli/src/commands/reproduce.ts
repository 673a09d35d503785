import { levelNamed } from '@isolab/contract';
import { visibleLine } from '@isolab/history';
import { DEFAULT_CONNECT_MS, Interrupted } from '@isolab/collector';
import { type Reproduced, reproduce as tryAgain } from 'isolab';
import { ExitCode, UsageError } from '../exit.ts';
import { exitCodeOf } from '../judge.ts';
import { type LimitFlags, limitsOf, parseTime } from '../limits.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type CommandModule, CONNECT_TIMEOUT, DATABASE, READING, option } from '../options.ts';
import { type Printer, count, toJson } from '../print.ts';
import { progressLine } from '../progress.ts';
import { levelAsked, wholeNumber } from '../words.ts';

export interface ReproduceFlags extends InputFlags, LimitFlags {
  readonly db: readonly string[];
  readonly sessionSetup: readonly string[];
  readonly isolation?: string;
  readonly level?: string;
  readonly trials: string;
  readonly tries: string;
  readonly seed: string;
  readonly connectTimeout?: string;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'reproduce <path>',
  summary:
    'put the statements of a violation to a database as a schedule, and count how often it violates the level again',
  options: [
    ...READING,
    ...DATABASE,
    option('--isolation <level>', 'use the database’s own name of a level; its strongest one if absent'),
    option('-l, --level <level>', 'try to violate this level; what the isolation claims if absent'),
    option('--trials <n>', 'try a schedule this many times', '20'),
    option('--tries <n>', 'try this many other interleavings where the plain schedule shows nothing', '200'),
    option('--seed <n>', 'choose other interleavings in the same order', '1'),
    option('--time <time>', 'limit the time of reading, and of the checker with its shrinking: 500ms, 60s, 10m'),
    CONNECT_TIMEOUT,
  ],
  run: reproduce,
};

/** `isolab reproduce`: a violation as a schedule of statements, and how often it violates the level again. */
export async function reproduce(path: string, flags: ReproduceFlags, printer: Printer): Promise<number> {
  const trials = wholeNumber('--trials', flags.trials);
  const tries = wholeNumber('--tries', flags.tries);
  const level = flags.level === undefined ? undefined : levelAsked(flags.level).level.name;
  const connectMs =
    flags.connectTimeout === undefined ? DEFAULT_CONNECT_MS : parseTime(flags.connectTimeout, '--connect-timeout');
  if (flags.db.length === 0) throw new UsageError('Missing --db ADDRESS.');
  const input = await openPath(path, flags);
  const { timeMs } = limitsOf(flags);
  let stage = '';
  const line = progressLine((done, of) => `${stage}: ${done} of ${of}`);
  const found = await printer
    .interruptible((signal) =>
      tryAgain(input, {
        database: flags.db,
        sessionSetup: flags.sessionSetup,
        ...(flags.isolation !== undefined && { isolation: flags.isolation }),
        ...(level !== undefined && { level }),
        ...(timeMs !== undefined && { timeMs }),
        connectMs,
        trials,
        tries,
        seed: flags.seed,
        signal,
        onProgress: (progress) => {
          stage = STAGES[progress.stage];
          line.show(progress.done, progress.of);
        },
      }),
    )
    .catch((error: unknown) => {
      if (error instanceof Interrupted) return null;
      throw error;
    })
    .finally(line.clear);
  if (found === null) {
    printer.note('Interrupted before the trials were done; nothing is known of the database.');
    return ExitCode.Unknown;
  }
  if (found.how === 'nothing') {
    printer.note(
      `${visibleLine(path)} is not known to violate ${found.level}: the verdict is ${found.result.verdict}. Nothing to reproduce.`,
    );
    return exitCodeOf(found.result);
  }
  if (flags.output === 'json') printer.out(toJson(jsonOf(path, found)));
  else printer.out(`${visibleLine(found.database)}, ${visibleLine(found.isolation.name)}: ${sentence(found)}`);
  if (found.how !== null) return ExitCode.Violated;
  return found.tally.undecided < found.tally.trials ? ExitCode.Satisfied : ExitCode.Unknown;
}

const STAGES = {
  plain: 'the plain schedule',
  interleavings: 'other interleavings',
  load: 'interleavings with other clients beside them',
  counting: 'counting',
} as const;

/** How often it happened, in a sentence. */
function sentence({ tally, how, tried, level }: Reproduced): string {
  const { trials, violated, aborted, held, undecided } = tally;
  const parts = [
    `${violated} of ${count(trials, 'trial')} violated ${levelNamed(level).title.toLowerCase()}`,
    ...(aborted > 0 ? [`${aborted} aborted`] : []),
    ...(held > 0 ? [`${held} ${held === 1 ? 'was' : 'were'} right`] : []),
    ...(undecided > 0 ? [`${undecided} without a verdict`] : []),
  ];
  const ways = {
    plain: '',
    interleaving: ` This took another interleaving than the history’s times say (${count(tried, 'try', 'tries')}).`,
    load: ` This took other clients beside the schedule (${count(tried, 'try', 'tries')}).`,
    none: ` Nor did any of ${count(tried, 'other interleaving')}.`,
  };
  return `${parts.join('; ')}.${ways[how ?? 'none']}`;
}

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
  schedule: found.schedule,
});
