import { type Shard, decidedAs, visibleLine, percent } from 'isolab/skin';
import { ENGINES, availability, nameOf } from '@isolab/engines';
import {
  DRAWINGS,
  type Draw,
  type HuntEvent,
  type HuntOptions,
  type HuntSettings,
  type TrialRecord,
  hunt as begin,
  resume,
} from '@isolab/hunt';
import { existsSync, readdirSync } from 'node:fs';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseDuration, parseTime } from '../terminal/limits.ts';
import {
  CONNECT_TIMEOUT,
  type CommandFlags,
  type CommandModule,
  FAULTS,
  FOR,
  ISOLATION,
  LAYOUT,
  LEVEL,
  OUT_FOLDER,
  QUEUE,
  SEED,
  SESSION_SETUP,
  STALL_TIMEOUT,
  TIME,
  TRANSACTIONS,
  TRIALS,
  choice,
  option,
  skip,
  until,
} from '../terminal/options.ts';
import { type Printer, count, table, toJson } from '../terminal/print.ts';
import { fetchingLine, progressLine } from '../terminal/progress.ts';
import { tellStory } from '../verdicts/story.ts';
import { shardIn } from '../terminal/shard.ts';
import { levelAsked, wholeNumber } from '../terminal/words.ts';
import { faultsAsked } from './faults-asked.ts';
import { tell, time } from './hunt-text.ts';

const OPTIONS = [
  ISOLATION,
  LEVEL('check this level; the level that the database claims if absent'),
  FOR('end after this time: 60s, 10m, 2h; 10m if absent, unless --trials is given'),
  TRIALS('end after N histories'),
  until('end at the first violation, or only at the limits', 'end'),
  choice('--draws <way>', 'choose the way to draw workloads', ...DRAWINGS),
  option('--workload <name>', 'run only this workload, or the file of a plug-in'),
  TRANSACTIONS('commit N transactions in each history; drawn at random if absent'),
  SESSION_SETUP,
  LAYOUT,
  ...FAULTS,
  SEED('set the seed; a new one each time if absent'),
  OUT_FOLDER('keep all files in FOLDER; hunt-DATABASE if absent'),
  option('--resume <folder>', 'continue the hunt in FOLDER'),
  QUEUE('share the hunt with machines given the same arguments: 3/16 with --seed, or'),
  skip('reproduction'),
  TIME('limit the time of a check, and of its shrinking', '60s'),
  CONNECT_TIMEOUT,
  STALL_TIMEOUT('30s'),
] as const;
export type HuntFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab hunt postgres@12.3', 'isolab hunt mariadb@11.4.5 --for 10m --seed 7'],
  options: OPTIONS,
  run: hunt,
};

/**
 * `isolab hunt`: searches for violations in a database. Without an address, lists the databases that isolab can start.
 */
export async function hunt(databases: readonly string[], flags: HuntFlags, printer: Printer): Promise<number> {
  if (databases.length === 0 && flags.resume === undefined) return list(flags, printer);
  const limits = {
    connectMs: parseTime(flags.connectTimeout, '--connect-timeout'),
    stallMs: parseTime(flags.stallTimeout, '--stall-timeout'),
    checkMs: parseTime(flags.time, '--time'),
  };
  if (databases.length > 0 && flags.resume !== undefined)
    throw new UsageError('--resume continues with the database of its folder; leave out other databases.');
  const settings = flags.resume === undefined ? await settingsOf(databases, flags) : null;
  const folder = flags.resume ?? flags.out ?? freeFolder(databases[0]!);
  const display = new Display(printer, flags.output === 'json');
  const summary = await printer
    .interruptible((signal) => {
      const options: HuntOptions = {
        folder,
        reproduces: !flags.skip.includes('reproduction'),
        ...limits,
        signal,
        onEvent: display.show,
        ...(flags.queue !== undefined && shardIn(flags.queue) === null && { queue: flags.queue }),
      };
      return settings === null ? resume(options) : begin(settings, options);
    })
    .finally(display.clear);
  if (flags.output === 'json') printer.out(toJson({ folder, ...summary }));
  else tell(summary, folder, printer);
  if (summary.verdict === 'violated') return ExitCode.Violated;
  return summary.verdict === 'unknown' ? ExitCode.Unknown : ExitCode.Satisfied;
}

async function settingsOf(databases: readonly string[], flags: HuntFlags): Promise<HuntSettings> {
  const trials = flags.trials === undefined ? null : wholeNumber('--trials', flags.trials);
  const seconds =
    flags.for === undefined ? (trials === null ? DEFAULT_SECONDS : null) : parseDuration(flags.for, '--for') / 1000;
  if (flags.until.includes('violated') && flags.until.includes('end'))
    throw new UsageError('--until violated ends at the first violation and --until end continues; choose one.');
  return {
    database: databases,
    isolation: flags.isolation ?? null,
    level: flags.level === undefined ? null : decidedAs(levelAsked(flags.level).level.name),
    drawing: flags.draws,
    workload: flags.workload ?? null,
    transactions: flags.transactions === undefined ? null : wholeNumber('--transactions', flags.transactions),
    seed: flags.seed ?? String(Date.now() % 1_000_000),
    seconds,
    trials,
    counts: flags.until.includes('end'),
    sessionSetup: flags.sessionSetup,
    layout: flags.layout ?? null,
    faults: await faultsAsked(flags),
    shard: shardAsked(flags),
  };
}

/** Reads `--queue 3/16`: the third of sixteen machines, which share a hunt by its seed alone. */
function shardAsked({ queue = '', seed, resume: resumed }: HuntFlags): Shard | null {
  const shard = shardIn(queue);
  if (shard !== null && seed === undefined && resumed === undefined)
    throw new UsageError(`--queue ${queue} needs --seed SEED, the same on all ${shard.of} machines.`);
  return shard;
}

function list({ output }: HuntFlags, printer: Printer): number {
  const engines = ENGINES.map((engine) => {
    const { name, claims } = engine.isolations.at(-1)!;
    return { engine: nameOf(engine), level: name, claims, missing: availability(engine) };
  });
  if (output === 'json') printer.out(toJson({ engines }));
  else {
    const rows = engines.map(({ engine, level, claims, missing }) => [engine, level, claims, missing ?? '']);
    printer.out(table([['engine', 'strongest level', 'claims', ''], ...rows]));
    printer.out(
      '\nisolab hunt ENGINE tests one of these, isolab hunt ADDRESS your own database: postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, mongodb://…, ./my-driver.mjs, exec:COMMAND.',
    );
  }
  return ExitCode.Satisfied;
}

/** Folder with the name of the database, and a number if that name is taken. */
function freeFolder(address: string): string {
  const file = /([\w-]+)\.[cm]?[jt]s(?:\?|$)/.exec(address)?.[1];
  const name = file ?? /^[a-z]+(?:@[\w.-]+)?/.exec(address)?.[0] ?? 'database';
  for (let number = 1; ; number++) {
    const folder = `hunt-${name}${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(folder)) return folder;
  }
}

/** Prints a line per trial; on a terminal, also the current work. */
class Display {
  readonly #printer: Printer;
  readonly #quiet: boolean;
  #doing = '';
  readonly #fetching: ReturnType<typeof fetchingLine>;
  #counted = '';
  // Histories end by time, so their transactions give no estimate.
  readonly #line = progressLine((done) => `${this.#doing}: ${done} ${this.#counted}`);

  constructor(printer: Printer, quiet: boolean) {
    this.#printer = printer;
    this.#quiet = quiet;
    this.#fetching = fetchingLine(printer);
  }

  readonly clear = (): void => {
    this.#fetching.clear();
    this.#line.clear();
  };

  readonly show = async (event: HuntEvent): Promise<void> => {
    const { note, style } = this.#printer;
    if (event.kind === 'fetching') return this.#fetching.hear(event.line);
    this.#fetching.clear();
    if (event.kind === 'opened') note(openedText(event));
    else if (event.kind === 'warning') note(event.text);
    else if (event.kind === 'collecting')
      this.#doing = `${event.trial}  ${event.isolation}, ${drawText(event.draw)}${event.leftSeconds === null ? '' : `, ${time(event.leftSeconds)} left`}`;
    else if (event.kind === 'collected') this.#count(event.done, 'committed');
    else if (event.kind === 'shrinking') {
      this.#doing = `violated; the history is in ${visibleLine(event.folder)}, and is being shrunk`;
      this.#count(event.checks, 'checks');
    } else if (event.kind === 'reproducing') {
      this.#doing = `replaying the violation as a schedule, for at most ${event.mostSeconds} s`;
      this.#count(event.done, `of ${event.of} trials`);
    } else if (event.kind === 'reproduced') {
      this.clear();
      if (!this.#quiet)
        this.#printer.out(
          visibleLine(`As a schedule of statements${event.folder ? `, in ${event.folder}` : ''}: ${event.said}`),
        );
    } else if (event.kind === 'joined') note(`Worker ${event.worker} of a hunt with the seed ${event.seed}.`);
    else if (event.kind === 'found elsewhere') {
      this.clear();
      this.#printer.judged(ExitCode.Violated);
      if (!this.#quiet) this.#foundElsewhere(event);
    } else if (event.kind === 'judged') {
      this.clear();
      if (!this.#quiet) this.#printer.out(style.dim(visibleLine(recordText(event.record))));
    } else {
      this.clear();
      this.#printer.judged(ExitCode.Violated);
      if (!this.#quiet) await this.#found(event);
    }
  };

  #count(done: number, counted: string): void {
    this.#counted = counted;
    this.#line.show(done, 0);
  }

  #foundElsewhere({ worker, folder, finding }: HuntEvent & { readonly kind: 'found elsewhere' }): void {
    const { out, style } = this.#printer;
    out(`\n${style.red('violated')} in trial ${finding.trial.trial}, of worker ${worker}`);
    out(visibleLine(finding.summary));
    out(`\n  ${visibleLine(folder)}: ${readdirSync(folder).join(', ')}`);
  }

  async #found({ folder, finding, story }: HuntEvent & { readonly kind: 'found' }): Promise<void> {
    const { trial, summary } = finding;
    const { out, style } = this.#printer;
    const told = story === null ? visibleLine(summary) : await tellStory(story, style);
    out(`\n${style.red('violated')} in trial ${trial.trial}, after ${time(trial.atSeconds)}`);
    out(told);
    out(`\n  ${visibleLine(folder)}: ${readdirSync(folder).join(', ')}`);
    out(`  To repeat the requests: ${visibleLine(finding.command)}\n`);
  }
}

/** The level in use, or the levels that the hunt takes turns at. */
function openedText({ description, levels }: HuntEvent & { readonly kind: 'opened' }): string {
  const [first, ...others] = levels;
  if (others.length === 0)
    return `${visibleLine(description)}: transactions run at ${first!.isolation}, and histories are checked at ${first!.level}.`;
  const each = levels.map(({ isolation, level }) => `${isolation} (checked at ${level})`);
  return `${visibleLine(description)}: histories take turns at ${each.join(', ')}; --isolation chooses one.`;
}

function recordText(record: TrialRecord): string {
  const { trial, isolation, draw, committed, aborted, seconds, verdict, reason, near } = record;
  const rate = seconds > 0 ? Math.round(committed / seconds) : 0;
  const share = committed + aborted > 0 ? percent(aborted / (committed + aborted)) : '0 %';
  const what =
    verdict === 'unknown'
      ? `unknown: ${reason}`
      : verdict === 'empty'
        ? (reason ?? verdict)
        : `${verdict}, ${count(sumOf(near), 'near miss', 'near misses')} of ${count(Object.keys(near).length, 'shape')}`;
  return `${String(trial).padStart(4)}  ${isolation}, ${drawText(draw)}: ${committed} committed, ${share} aborted, ${rate} a second; ${what}`;
}

const sumOf = (near: TrialRecord['near']): number => Object.values(near).reduce((sum, each) => sum + each, 0);

const drawText = ({ workload, set, layout, kills, sessions }: Draw): string =>
  `${workload} ${Object.entries(set)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}, ${layout === null ? '' : `layout ${layout}, `}${kills ? 'kills, ' : ''}${sessions} clients`;

const DEFAULT_SECONDS = 600;
