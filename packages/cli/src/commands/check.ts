import { LEVELS, type Level, type LevelName, UNCERTIFIED } from '@isolab/contract';
import { writeFileTo } from '@isolab/formats';
import { visibleLine } from '@isolab/history';
import { type CheckResult, type EngineOptions, type Opened, check as checkHistory, decidingRun } from 'isolab/check';
import type { JunitSuite } from '@isolab/story';
import { type Failure, type PathsOutput, eachPath } from '../each-path.ts';
import { ExitCode, UsageError, worseOf } from '../exit.ts';
import { type EngineFlags, againOf, engineOf, exitCodeOf, reasonAt, tell, tellAtOnce } from '../judge.ts';
import { limitsOf } from '../limits.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { progressLine } from '../progress.ts';
import { appendTo, insistOnTarget, removeMade } from '../targets.ts';
import { levelAsked } from '../words.ts';
import { type CommandModule, option, FORCE, LIMITS, READING, VERDICTS, VERDICT_OUTPUTS } from '../options.ts';

export interface CheckFlags extends InputFlags, EngineFlags {
  readonly level: string;
  readonly output: string;
  readonly findAll?: boolean;
  readonly certificate?: string;
  readonly shrink?: boolean;
  readonly summary?: string;
  readonly force?: boolean;
  readonly verbose?: boolean;
  readonly trust?: string;
  readonly model?: string;
  readonly initial?: string;
  readonly independent?: boolean;
}

export interface CheckOptions {
  readonly counts?: (level: LevelName) => boolean;
  readonly whyPartial?: string | null;
}

export const command: CommandModule = {
  usage: 'check <path...>',
  summary: 'check whether a history satisfies a level, or which levels it satisfies',
  examples: [
    'isolab check history.jsonl --level serializable',
    'isolab check *.jsonl --level si,ser --output junit > report.xml',
  ],
  options: [
    ...READING,
    ...LIMITS,
    ...VERDICTS,
    option('-l, --level <level>', 'check this level, several separated by commas, or all'),
    option(
      '--trust <timestamps>',
      'take the start and commit timestamps that the database states for facts: what contradicts them is a violation',
    ),
    option(
      '--model <model>',
      'check operations on an object instead, at the level linearizable or sequential: register, cas-register, mutex, fifo-queue …, or a file that exports a model',
    ),
    option('--initial <value>', 'set the first value of a register of the model'),
    option(
      '--independent',
      'take every value for a pair of a key and what the model takes, as jepsen.independent does',
    ),
    FORCE,
  ],
  outputs: VERDICT_OUTPUTS,
  run: check,
};

/**
 * `isolab check`: whether each history satisfies a level, or which levels it satisfies. The exit code is about the levels
 * that count. Where there is a reason why the histories are not whole, what they satisfy is unknown.
 */
export async function check(
  paths: readonly string[],
  flags: CheckFlags,
  printer: Printer,
  { counts = () => true, whyPartial = null }: CheckOptions = {},
): Promise<number> {
  if (flags.model !== undefined)
    return (await import('../check-objects.ts')).checkObjects(paths, { ...flags, model: flags.model }, printer);
  if (flags.initial !== undefined || flags.independent)
    throw new UsageError('--initial and --independent go with --model.');
  const levels = levelsAsked(flags.level, printer);
  if (flags.certificate !== undefined && (paths.length > 1 || levels.length > 1)) {
    throw new UsageError('--certificate takes one history and one level.');
  }
  if (isPicture(flags.output) && paths.length > 1) {
    throw new UsageError(`--output ${flags.output} accepts only one history, but ${paths.length} were given.`);
  }
  const inputs = [...paths, ...(flags.checker === undefined ? [] : [flags.checker])];
  if (flags.certificate !== undefined)
    insistOnTarget(flags.certificate, { inputs, force: flags.force, made: 'certificate' });
  if (flags.summary !== undefined) insistOnTarget(flags.summary, { inputs, force: true }); // it is added to
  if (flags.trust !== undefined) insistOnTrust(flags.trust, levels);
  const engine = await engineOf(flags);
  if (flags.checker === undefined && (flags.variant !== undefined || flags.option.length > 0)) {
    throw new UsageError('--variant and --option are those of a checker; name it with --checker.');
  }
  const suites: JunitSuite[] = [];
  const code = await eachPath(
    paths,
    flags,
    printer,
    async (path) => {
      const input = await openPath(path, flags);
      const asked = {
        ...limitsOf(flags),
        level: levels.map(({ name }) => name),
        certify: needsCertificates(flags, engine),
        findAll: flags.findAll ?? false,
        whyPartial,
      };
      const seen = await checkHistory(input, { ...asked, ...engine });
      const isTrusted = flags.trust !== undefined && exitCodeOf(seen, counts) === ExitCode.Satisfied;
      const result = isTrusted ? await checkHistory(input, { ...asked, checker: 'chronos' }) : seen;
      const verdict = exitCodeOf(result, counts);
      printer.judged(verdict);
      await print(input, result, flags, engine, suites, printer);
      const compared = await (await import('../store-results.ts')).comparedWithStore(path, verdict);
      if (compared !== null) printer.note(compared);
      return flags.certificate === undefined
        ? verdict
        : worseOf(verdict, await writeCertificate(flags.certificate, input, result, printer));
    },
    await outputOf(levels, flags, suites, printer),
  );
  if (flags.output === 'junit') printer.out((await import('@isolab/story')).junitXml(suites).trimEnd());
  return code;
}

function insistOnTrust(trust: string, levels: readonly Level[]): void {
  if (trust !== 'timestamps') throw new UsageError(`--trust is ${trust}; expected timestamps.`);
  const other = levels.find(({ name }) => name !== 'snapshot-isolation' && name !== 'serializable');
  if (other)
    throw new UsageError(`--trust timestamps takes --level snapshot-isolation or serializable, found ${other.name}.`);
}

/** The output mentions every history, including those that were not checked. */
async function outputOf(
  levels: readonly Level[],
  { output, summary }: CheckFlags,
  suites: JunitSuite[],
  printer: Printer,
): Promise<PathsOutput> {
  if (summary === undefined && output !== 'json' && output !== 'markdown' && output !== 'junit') return {};
  const { failedMarkdown, failedSuite } = await import('../outputs.ts');
  const { JUNIT_FOOT, junitHead, junitSuite } = await import('@isolab/story');
  const cutOff = (path: string): Failure => ({
    path,
    message: 'isolab was cut off before this was finished',
    isTimeout: false,
  });
  const asJsonOf = ({ path, message, isTimeout }: Failure): string =>
    toJson({ path, verdict: 'unknown', ...(isTimeout && { reason: 'timeout' }), error: message });
  const onFailed = (failure: Failure): void => {
    if (output === 'json') printer.out(asJsonOf(failure));
    else if (output === 'markdown') printer.out(failedMarkdown(failure));
    else if (output === 'junit') suites.push(failedSuite(failure, levels));
    if (summary !== undefined) appendTo(summary, `${failedMarkdown(failure)}\n`);
  };
  if (output === 'json') return { onFailed, missing: (path) => asJsonOf(cutOff(path)) };
  if (output === 'markdown') return { onFailed, missing: (path) => failedMarkdown(cutOff(path)) };
  if (output !== 'junit') return { onFailed };
  return {
    onFailed,
    head: junitHead(),
    missing: (path) => junitSuite(failedSuite(cutOff(path), levels)),
    judged: () => junitSuite(suites.at(-1)!),
    foot: JUNIT_FOOT,
  };
}

/** Some levels by their names, separated by commas, or all. */
function levelsAsked(words: string | undefined, printer: Printer): readonly Level[] {
  const levels = (words?.split(',') ?? [words]).flatMap((word) => {
    if (word === 'all') return LEVELS;
    if (word === '') throw new UsageError(`There is an empty name in --level '${words}'; isolab levels lists them.`);
    const { level, warning } = levelAsked(word);
    if (warning) printer.note(`${word}: ${warning}`);
    return [level];
  });
  return [...new Set(levels)];
}

/** A plug-in's word is not enough: its certificate is verified. */
const needsCertificates = (flags: CheckFlags, { checker }: EngineOptions): boolean =>
  (typeof checker === 'object' && 'isPlugin' in checker && checker.isPlugin === true) ||
  flags.certificate !== undefined ||
  flags.output !== 'json' ||
  flags.shrink === true ||
  flags.findAll === true;

async function print(
  input: Opened,
  checked: CheckResult,
  flags: CheckFlags,
  engine: EngineOptions,
  suites: JunitSuite[],
  printer: Printer,
): Promise<void> {
  const { output, summary } = flags;
  const path = visibleLine(checked.path);
  if (checked.cutOff !== null) printer.note(`${path}: ${checked.cutOff}`);
  const result = flags.findAll ? await findMore(input, checked, flags, engine, printer) : checked;
  const isViolated = decidingRun(result)?.verdict.status === 'violated';
  // What holds needs no story where there is no picture.
  const isTold = flags.shrink === true || summary !== undefined || output === 'junit' || output === 'markdown';
  const story = isPicture(output) || (isViolated && isTold) ? await tell(input, result, flags, engine, printer) : null;
  if (output === 'json') {
    const { shrunkOf } = await import('../shrunk-json.ts');
    const isShrunk = flags.shrink === true && story?.verdict === 'violated';
    printer.out(toJson({ ...result, ...(isShrunk && { shrunk: shrunkOf(story) }) }));
  } else if (output === 'text') {
    const { asText, workOf } = await import('../verdict-text.ts');
    const isBrief = isViolated && flags.shrink !== true && flags.findAll !== true;
    const brief = isBrief ? await tellAtOnce(input, result, flags, engine, printer) : null;
    printer.out(await asText(input, result, { story: flags.shrink ? story : null, brief }, printer));
    if (flags.verbose === true) for (const line of workOf(result)) printer.note(line);
  }
  if (summary === undefined && (output === 'json' || output === 'text')) return;
  const { asMarkdown, asSuite, picture } = await import('../outputs.ts');
  if (output === 'junit') suites.push(asSuite(result, story));
  else if (output === 'markdown') printer.out(asMarkdown(result, story));
  else if (isPicture(output)) {
    for (const why of result.uncertified) printer.note(`${path}: ${why}`);
    if (story) printer.out(picture(output, story));
    else printer.note(`${path}: there is nothing to draw: ${whyUndrawn(result)}`);
  }
  if (summary !== undefined) appendTo(summary, `${asMarkdown(result, isViolated ? story : null)}\n`);
}

function whyUndrawn(result: CheckResult): string {
  const [unknown] = Object.keys(result.unknown) as LevelName[];
  return unknown === undefined ? 'no single order shows why it holds' : reasonAt(unknown, result);
}

const isPicture = (output: string): output is 'html' | 'svg' | 'dot' =>
  output === 'html' || output === 'svg' || output === 'dot';

/** What else is wrong; Ctrl-C ends the search, with what there is by then. */
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
 * Writes the evidence for the verdict. Where there is none the verdict stands, but not all that was asked for was given,
 * which the exit code says; an older certificate in that place is removed, lest it be taken for this verdict's.
 */
async function writeCertificate(path: string, input: Opened, result: CheckResult, printer: Printer): Promise<number> {
  const file = (await import('isolab')).certificate(input, result);
  if (file === null) {
    const removed = removeMade(path, 'certificate') ? ', and the one that was there before is removed' : '';
    printer.note(`isolab: no certificate was written to ${path}${removed}: ${whyUncertified(result)}.`);
    return ExitCode.Unknown;
  }
  await writeFileTo(path, `${toJson(file)}\n`);
  return ExitCode.Satisfied;
}

function whyUncertified(result: CheckResult): string {
  const run = decidingRun(result);
  if (run === null || run.verdict.status === 'unknown') return 'the verdict is unknown';
  const { status, uncertified = 'unstated' } = run.verdict;
  return `that ${run.level} is ${status} has none, because ${UNCERTIFIED[uncertified]}`;
}
