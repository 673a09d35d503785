import process from 'node:process';
import {
  check as checkHistory,
  type CheckResult,
  type EngineOptions,
  findLevel,
  type LevelName,
  type Opened,
} from 'isolab/check';
import { type Shard, StageClock, UNCERTIFIED, visibleLine } from 'isolab/skin';
import { writeFileTo } from 'isolab/formats';
import { eachPath } from '../verdicts/each-path.ts';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import { againOf, checkerIn, checkingLine, engineOf, exitCodeOf } from '../verdicts/judge.ts';
import { limitsOf } from '../terminal/limits.ts';
import { openPath } from '../verdicts/open.ts';
import { claimFiles, formsOf, isPicture } from '../terminal/outputs-asked.ts';
import { Verdicts } from '../verdicts/verdicts.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';
import { insistOnTarget, removeMade } from '../terminal/targets.ts';
import { shardIn, shardOfFile } from '../terminal/shard.ts';
import { levelAsked } from '../terminal/words.ts';
import { CHECKING, type CheckFlags, type CommandModule, VERDICT_OUTPUTS } from '../terminal/options.ts';

export interface CheckOptions {
  readonly whyPartial?: string | null;
  /** Level of the certificate to write: the only named level, unless given. */
  readonly certified?: LevelName;
}

export const command: CommandModule = {
  examples: [
    'isolab check history.jsonl --level serializable',
    'isolab check *.jsonl --level si,ser --output text --output junit=report.xml --output json=result.json',
  ],
  options: CHECKING,
  outputs: VERDICT_OUTPUTS,
  hasFiles: true,
  run: check,
};

/**
 * `isolab check`: checks whether each history satisfies a level, or which levels it satisfies. The exit code concerns
 * the named levels. If a reason is given why the histories are incomplete, the levels that they satisfy are unknown.
 */
export async function check(
  paths: readonly string[],
  flags: CheckFlags,
  printer: Printer,
  { whyPartial = null, ...options }: CheckOptions = {},
): Promise<number> {
  const { model, initial, independent, checker: named } = flags;
  if (model !== undefined)
    return (await import('../verdicts/check-objects.ts')).checkObjects(paths, { ...flags, model }, printer);
  if (initial !== undefined || independent) throw new UsageError('--initial and --independent need --model.');
  if (named !== undefined && (named.includes(',') || named === 'all'))
    return (await import('../verdicts/compare.ts')).compare(paths, { ...flags, checker: named }, printer);
  const levels = flags.level === undefined ? null : levelsAsked(flags.level, printer);
  const certified = options.certified ?? (levels?.length === 1 && levels[0] !== ALL ? levels[0] : undefined);
  if (flags.certificate !== undefined && (paths.length > 1 || certified === undefined))
    throw new UsageError('--certificate needs one history and one level given by name.');
  if (flags.trust !== undefined) insistOnTrust(flags.trust, levels);
  if (flags.db !== undefined) (await import('../verdicts/replayed.ts')).insistOnReplay(flags.db, certified);
  const shard = flags.queue === undefined ? null : shardAsked(flags.queue, flags);
  insistOnOutputs(paths, flags);
  const engine = shard === null ? await engineOf(flags) : BY_TIMESTAMPS;
  if (flags.checker === undefined && flags.option.length > 0)
    throw new UsageError('--option sets an option of a checker; name the checker with --checker.');
  const clocks = paths.map(() => new StageClock());
  clocks[0]!.enter('start', beginOfProgram());
  const verdicts = new Verdicts(flags, { levels: levels ?? [], engine }, printer);
  const call: Call = { flags, shard, levels, certified, engine, whyPartial, printer, verdicts };
  const code = await eachPath(
    paths,
    flags,
    printer,
    (path) => checkOne(path, call, clocks.shift()!),
    await verdicts.output(),
  );
  verdicts.end();
  return code;
}

/** Call of the command, with the level whose certificate is to be written. */
interface Call {
  readonly flags: CheckFlags;
  readonly shard: Shard | null;
  readonly levels: readonly (LevelName | typeof ALL)[] | null;
  readonly certified: LevelName | undefined;
  readonly engine: EngineOptions;
  readonly whyPartial: string | null;
  readonly printer: Printer;
  readonly verdicts: Verdicts;
}

async function checkOne(path: string, call: Call, clock: StageClock): Promise<number> {
  const { flags, shard, engine, printer, verdicts, certified } = call;
  clock.enter('check');
  const opened = await openPath(path, flags, shard && (await shardOfFile(path, shard)));
  const judge = (each: Opened): Promise<CheckResult> => resultOf(each, path, call);
  const byVersions = flags.trust === 'versions' ? await import('../verdicts/stated-versions.ts') : null;
  const versions = await byVersions?.judgedVersions(opened, judge);
  const { input, result } = versions ?? { input: opened, result: await judge(opened) };
  clock.enter('tell');
  if (versions) printer.note(`${visibleLine(result.path)}: ${visibleLine(versions.note)}.`);
  const verdict = versions?.isWrong === true ? ExitCode.Violated : exitCodeOf(result);
  printer.judged(verdict);
  if (result.cutOff !== null) printer.note(`${visibleLine(result.path)}: ${result.cutOff}`);
  const told = flags.findAll ? await findMore(input, result, flags, engine, printer) : result;
  let code = worseOf(verdict, await verdicts.say(input, told));
  const isDemand = result.named.length > 0;
  const compared = isDemand && (await (await import('../verdicts/store-results.ts')).comparedWithStore(path, verdict));
  if (compared) printer.note(compared);
  if (flags.certificate !== undefined) {
    clock.enter('certificate');
    code = worseOf(code, await writeCertificate(flags.certificate, input, result, certified!, printer));
  }
  if (flags.db !== undefined) {
    const { tellReplay } = await import('../verdicts/replayed.ts');
    code = worseOf(code, await tellReplay(input, result, { address: flags.db, level: certified! }, printer));
  }
  clock.enter(null);
  if (flags.output === 'text' && flags.verbose === true) {
    const { workOf } = await import('../verdicts/verdict-text.ts');
    for (const line of workOf(result, clock.stages)) printer.note(line);
  }
  return code;
}

async function resultOf(
  input: Opened,
  path: string,
  { flags, shard, levels, engine, whyPartial }: Call,
): Promise<CheckResult> {
  const level = levels ?? [claimedBy(input)];
  const asked = {
    ...limitsOf(flags),
    level,
    // With certificates, the violation with the simplest evidence is reported.
    // The certificate of a satisfied shard would be as large as the history.
    certify: shard === null ? level.includes(ALL) || needsCertificates(flags, engine) : flags.certificate !== undefined,
    findAll: flags.findAll ?? false,
    whyPartial,
  };
  const line = checkingLine(path);
  const checked = (by: EngineOptions): Promise<CheckResult> =>
    checkHistory(input, { ...asked, ...by, onProgress: line.onProgress }).finally(line.clear);
  const result = await checked(engine);
  const needsTrusted = flags.trust === 'timestamps' && shard === null && exitCodeOf(result) === ExitCode.Satisfied;
  return needsTrusted ? checked(BY_TIMESTAMPS) : result;
}

const BY_TIMESTAMPS: EngineOptions = { checker: 'chronos' };

/** Time at which the first process of this program started, on the clock of this process. */
function beginOfProgram(): number {
  const [pid, at] = (process.env['ISOLAB_STARTED_BY'] ?? '').split('-').map(Number);
  return pid === process.ppid ? at! - performance.timeOrigin : 0;
}

/** Refuses outputs that cannot be written, before any check. */
function insistOnOutputs(paths: readonly string[], flags: CheckFlags): void {
  const { certificate, checker, force, files = [], summary } = flags;
  const drawn = [...formsOf(flags)].find(isPicture);
  if (drawn !== undefined && paths.length > 1)
    throw new UsageError(`--output ${drawn} accepts only one history, but ${paths.length} were given.`);
  const inputs = [...paths, ...(checker === undefined ? [] : [checkerIn(checker).name])];
  if (certificate !== undefined) insistOnTarget(certificate, { inputs, force, made: 'certificate' });
  if (summary !== undefined) insistOnTarget(summary, { inputs, force: true }); // new lines are appended
  claimFiles(files, { inputs, force, others: { '--certificate': certificate, '--summary': summary } });
}

/** Returns the shard of the keys to check, which needs trusted timestamps: each shard may have another order without. */
function shardAsked(words: string, { trust, checker }: CheckFlags): Shard {
  const shard = shardIn(words);
  if (shard === null) throw new UsageError(`--queue is ${words}; expected a shard such as 3/16.`);
  if (trust !== 'timestamps' || checker !== undefined)
    throw new UsageError(`--queue ${words} needs --trust timestamps, and no --checker.`);
  return shard;
}

function insistOnTrust(trust: string, levels: readonly string[] | null): void {
  if (trust !== 'timestamps' && trust !== 'versions')
    throw new UsageError(`--trust is ${trust}; expected timestamps or versions.`);
  const other = (levels ?? ['all']).find((name) => name !== 'snapshot-isolation' && name !== 'serializable');
  if (other !== undefined)
    throw new UsageError(`--trust ${trust} needs --level snapshot-isolation or serializable, found ${other}.`);
}

/** Level that the database claims, according to the file, or all levels. */
function claimedBy(input: Opened): LevelName | typeof ALL {
  const claims = input.kind === 'history' ? input.history.source.claims : 'serializable';
  return (claims !== undefined && findLevel(claims)?.level.name) || ALL;
}

/** Parses level names separated by commas, or `all`. */
function levelsAsked(words: string, printer: Printer): readonly (LevelName | typeof ALL)[] {
  const levels = words.split(',').map((word) => {
    if (word === ALL) return ALL;
    if (word === '')
      throw new UsageError(`There is an empty name in --level '${words}'; isolab list levels lists the names.`);
    const { level, warning } = levelAsked(word);
    if (warning) printer.note(`${word}: ${warning}`);
    return level.name;
  });
  return [...new Set(levels)];
}

const ALL = 'all';

/** A plug-in is not trusted: its certificate is verified. */
const needsCertificates = (flags: CheckFlags, { checker }: EngineOptions): boolean =>
  (typeof checker === 'object' && 'isPlugin' in checker && checker.isPlugin === true) ||
  flags.certificate !== undefined ||
  flags.db !== undefined ||
  [...formsOf(flags)].some((form) => form !== 'json') ||
  flags.shrink === true ||
  flags.findAll === true;

/** Searches for further anomalies; Ctrl-C ends the search and keeps the anomalies found so far. */
async function findMore(
  input: Opened,
  result: CheckResult,
  flags: CheckFlags,
  engine: EngineOptions,
  printer: Printer,
): Promise<CheckResult> {
  const line = progressLine((rounds) => `searching for further anomalies: round ${rounds}`);
  const onRound = (round: number): void => line.show(round, 0);
  const { findAll } = await import('isolab');
  try {
    return await printer.interruptible((signal) =>
      findAll(input, result, { ...againOf(flags, engine), signal, onRound }),
    );
  } finally {
    line.clear();
  }
}

/**
 * Writes the certificate of the verdict. If the verdict has none, it stays, but the exit code reports the missing
 * output. An older certificate in that place is removed: it could be mistaken for the certificate of this verdict.
 */
async function writeCertificate(
  path: string,
  input: Opened,
  result: CheckResult,
  level: LevelName,
  printer: Printer,
): Promise<number> {
  const file = (await import('isolab')).certificate(input, result, level);
  if (file === null) {
    const removed = removeMade(path, 'certificate') ? ', and the earlier certificate is removed' : '';
    printer.note(`isolab: no certificate was written to ${path}${removed}: ${whyUncertified(result, level)}.`);
    return ExitCode.Unknown;
  }
  await writeFileTo(path, `${toJson(file)}\n`);
  return ExitCode.Satisfied;
}

function whyUncertified(result: CheckResult, level: LevelName): string {
  const run = result.levels[level]?.run;
  if (!run || run.verdict.status === 'unknown') return 'the verdict is unknown';
  const { status, uncertified = 'unstated' } = run.verdict;
  return `the verdict on ${run.level} (${status}) has none, because ${UNCERTIFIED[uncertified]}`;
}
