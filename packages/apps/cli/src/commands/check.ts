import {
  check as checkHistory,
  type CheckResult,
  type EngineOptions,
  findLevel,
  type LevelName,
  type Opened,
} from 'isolab/check';
import { UNCERTIFIED, visibleLine } from 'isolab/skin';
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
import { levelAsked } from '../terminal/words.ts';
import { CHECKING, type CheckFlags, type CommandModule, VERDICT_OUTPUTS } from '../terminal/options.ts';

export interface CheckOptions {
  readonly whyPartial?: string | null;
  /** The level whose evidence is written; the only one that is named, unless given. */
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
 * `isolab check`: whether each history satisfies a level, or which levels it satisfies. The exit code is about the
 * levels that are named. Where there is a reason why the histories are not whole, the levels that they satisfy are
 * unknown.
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
    throw new UsageError('--certificate takes one history and one level, by its name.');
  if (flags.trust !== undefined) insistOnTrust(flags.trust, levels);
  insistOnOutputs(paths, flags);
  const engine = await engineOf(flags);
  if (flags.checker === undefined && flags.option.length > 0)
    throw new UsageError('--option sets an option of a checker; name the checker with --checker.');
  const verdicts = new Verdicts(flags, { levels: levels ?? [], engine }, printer);
  const code = await eachPath(
    paths,
    flags,
    printer,
    async (path) => {
      const input = await openPath(path, flags);
      const level = levels ?? [claimedBy(input)];
      const asked = {
        ...limitsOf(flags),
        level,
        // The violation with the simplest evidence is reported.
        certify: level.includes(ALL) || needsCertificates(flags, engine),
        findAll: flags.findAll ?? false,
        whyPartial,
      };
      const line = checkingLine(path);
      const checked = (by: EngineOptions): Promise<CheckResult> =>
        checkHistory(input, { ...asked, ...by, onProgress: line.onProgress }).finally(line.clear);
      const seen = await checked(engine);
      const isTrusted = flags.trust !== undefined && exitCodeOf(seen) === ExitCode.Satisfied;
      const result = isTrusted ? await checked({ checker: 'chronos' }) : seen;
      const verdict = exitCodeOf(result);
      printer.judged(verdict);
      if (result.cutOff !== null) printer.note(`${visibleLine(result.path)}: ${result.cutOff}`);
      const told = flags.findAll ? await findMore(input, result, flags, engine, printer) : result;
      const judged = worseOf(verdict, await verdicts.say(input, told));
      const isDemand = result.named.length > 0;
      const compared =
        isDemand && (await (await import('../verdicts/store-results.ts')).comparedWithStore(path, verdict));
      if (compared) printer.note(compared);
      return flags.certificate === undefined
        ? judged
        : worseOf(judged, await writeCertificate(flags.certificate, input, result, certified!, printer));
    },
    await verdicts.output(),
  );
  verdicts.end();
  return code;
}

/** Refuses outputs that cannot be written, before anything is judged. */
function insistOnOutputs(paths: readonly string[], flags: CheckFlags): void {
  const { certificate, checker, force, files = [], summary } = flags;
  const drawn = [...formsOf(flags)].find(isPicture);
  if (drawn !== undefined && paths.length > 1)
    throw new UsageError(`--output ${drawn} accepts only one history, but ${paths.length} were given.`);
  const inputs = [...paths, ...(checker === undefined ? [] : [checkerIn(checker).name])];
  if (certificate !== undefined) insistOnTarget(certificate, { inputs, force, made: 'certificate' });
  if (summary !== undefined) insistOnTarget(summary, { inputs, force: true }); // it is added to
  claimFiles(files, { inputs, force, others: { '--certificate': certificate, '--summary': summary } });
}

function insistOnTrust(trust: string, levels: readonly string[] | null): void {
  if (trust !== 'timestamps') throw new UsageError(`--trust is ${trust}; expected timestamps.`);
  const other = (levels ?? ['all']).find((name) => name !== 'snapshot-isolation' && name !== 'serializable');
  if (other !== undefined)
    throw new UsageError(`--trust timestamps takes --level snapshot-isolation or serializable, found ${other}.`);
}

/** The level that the database claims to have kept, as the file says it, or all of them. */
function claimedBy(input: Opened): LevelName | typeof ALL {
  const claims = input.kind === 'history' ? input.history.source.claims : 'serializable';
  return (claims !== undefined && findLevel(claims)?.level.name) || ALL;
}

/** The names of some levels, separated by commas, and of all. */
function levelsAsked(words: string, printer: Printer): readonly (LevelName | typeof ALL)[] {
  const levels = words.split(',').map((word) => {
    if (word === ALL) return ALL;
    if (word === '')
      throw new UsageError(`There is an empty name in --level '${words}'; isolab list levels names them.`);
    const { level, warning } = levelAsked(word);
    if (warning) printer.note(`${word}: ${warning}`);
    return level.name;
  });
  return [...new Set(levels)];
}

const ALL = 'all';

/** A plug-in's word is not enough: its certificate is verified. */
const needsCertificates = (flags: CheckFlags, { checker }: EngineOptions): boolean =>
  (typeof checker === 'object' && 'isPlugin' in checker && checker.isPlugin === true) ||
  flags.certificate !== undefined ||
  [...formsOf(flags)].some((form) => form !== 'json') ||
  flags.shrink === true ||
  flags.findAll === true;

/** Looks for further anomalies; Ctrl-C ends the search, and the anomalies found by then count. */
async function findMore(
  input: Opened,
  result: CheckResult,
  flags: CheckFlags,
  engine: EngineOptions,
  printer: Printer,
): Promise<CheckResult> {
  const line = progressLine((rounds) => `looking for further anomalies: round ${rounds}`);
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
 * Writes the evidence for the verdict. Without evidence the verdict stands, but the exit code states that a requested
 * output is missing. An older certificate in that place is removed: it could be mistaken for that of this verdict.
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
    const removed = removeMade(path, 'certificate') ? ', and the one that was there before is removed' : '';
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
  return `that ${run.level} is ${status} has none, because ${UNCERTIFIED[uncertified]}`;
}
