import { CHECKERS, LEVELS } from 'isolab/check';
import { restsOn, visibleLine } from 'isolab/skin';
import { compare as compareOn, type Compared, type Comparison } from 'isolab';
import { eachPath } from './each-path.ts';
import type { CheckFlags } from '../terminal/options.ts';
import { ExitCode, UsageError, codeOf } from '../terminal/exit.ts';
import { engineOf } from './judge.ts';
import { limitsOf } from '../terminal/limits.ts';
import { openPath } from './open.ts';
import { claimFiles, formsOf } from '../terminal/outputs-asked.ts';
import { failedJson, failedText } from './failure.ts';
import { OutputFiles } from './output-files.ts';
import { PLAIN, type Printer, type Style, table, toJson } from '../terminal/print.ts';
import { levelAsked } from '../terminal/words.ts';

type CompareFlags = CheckFlags & { readonly checker: string };

/**
 * `isolab check --checker A,B`: runs several checkers on the same histories and prints one table; a disagreement is an
 * error.
 */
export async function compare(paths: readonly string[], flags: CompareFlags, printer: Printer): Promise<number> {
  const { level: word = 'all', output, files = [], force } = flags;
  const other = [...formsOf(flags)].find((form) => form !== 'text' && form !== 'json');
  if (other !== undefined) throw new UsageError(`--output ${other} needs the verdict of a single --checker.`);
  for (const [flag, isGiven] of Object.entries(ONE_CHECKER))
    if (isGiven(flags)) throw new UsageError(`${flag} needs a single --checker.`);
  const named = word === 'all' ? null : levelAsked(word).level.name;
  const limits = limitsOf(flags);
  claimFiles(files, { inputs: paths, force });
  const filed = new OutputFiles(files, { text: { failed: failedText }, json: { failed: failedJson } });
  const checkers = await Promise.all(namesIn(flags).map((checker) => engineOf({ ...flags, checker })));
  let disagreements = 0;
  const judge = async (path: string): Promise<number> => {
    const input = await openPath(path, flags);
    const compared: Comparison[] = [];
    for (const level of named === null ? LEVELS.map(({ name }) => name) : [named])
      compared.push(await compareOn(input, { ...limits, level, checkers }));
    const agree = compared.every((each) => each.agree);
    if (!agree) disagreements++;
    const verdict = codeOfAll(compared, named !== null);
    printer.judged(verdict);
    const render = (form: string, style: Style): string => {
      if (named !== null) return form === 'json' ? toJson(compared[0]) : asText(compared[0]!, style);
      return form === 'json' ? toJson({ path: input.name, agree, levels: compared }) : tableOfLevels(compared, style);
    };
    printer.out(render(output, printer.style));
    await filed.add(async (form) => render(form, PLAIN));
    return agree ? verdict : ExitCode.Failed;
  };
  const code = await eachPath(paths, flags, printer, judge, { files: filed });
  if (disagreements > 0)
    printer.note(
      `isolab: the checkers disagree on ${disagreements} of ${paths.length} histories; at least one of them is wrong.`,
    );
  return code;
}

/** Exit code if the checkers agree: for a named level its verdict, for all levels whether any was decided. */
function codeOfAll(compared: readonly Comparison[], isNamed: boolean): number {
  if (isNamed) return codeOf({ status: compared[0]!.verdict });
  return compared.some(({ verdict }) => verdict !== 'unknown') ? ExitCode.Satisfied : ExitCode.Unknown;
}

function namesIn({ checker }: CompareFlags): readonly string[] {
  const words = checker.split(',').filter((word) => word !== '');
  const published = CHECKERS.flatMap(({ name, isBaseline }) => (isBaseline ? [] : [name]));
  const baselines = CHECKERS.flatMap(({ name, isBaseline }) => (isBaseline ? [name] : []));
  const named: Readonly<Record<string, readonly string[]>> = { all: published, baselines };
  return words.flatMap((word) => (Object.hasOwn(named, word) ? named[word]! : [word]));
}

/** Flags of isolab check that concern a single checker. */
const ONE_CHECKER: Readonly<Record<string, (flags: CompareFlags) => unknown>> = {
  '--option': ({ option }) => option.length > 0,
  '--find-all': ({ findAll }) => findAll,
  '--shrink': ({ shrink }) => shrink,
  '--certificate': ({ certificate }) => certificate,
  '--summary': ({ summary }) => summary,
  '--trust': ({ trust }) => trust,
};

function asText({ path, agree, evidence, reports }: Comparison, style: Style): string {
  const reasons = reports.flatMap((run) =>
    run.unknown === null ? [] : [style.dim(`  ${nameOf(run)}: ${visibleLine(run.unknown.detail)}`)],
  );
  return [
    style.bold(visibleLine(path)),
    table([HEAD, ...reports.map(rowOf)]),
    ...reasons,
    ...(evidence === null ? [] : [style.dim(`  ${restsOn(evidence)}`)]),
    ...(agree ? [] : [style.red('the checkers disagree')]),
  ].join('\n');
}

/** Table of verdicts at each level, with the deciding runs. */
function tableOfLevels(compared: readonly Comparison[], style: Style): string {
  const saying = ({ reports }: Comparison, verdict: string): string =>
    reports.flatMap((run) => (run.verdict === verdict && run.supposing === null ? [nameOf(run)] : [])).join(', ');
  const suppositions = compared.flatMap(({ level, reports }) =>
    reports.flatMap((run) =>
      run.supposing === null ? [] : [style.dim(`  ${nameOf(run)}: ${level} is ${run.verdict}, ${run.supposing}`)],
    ),
  );
  const [first] = compared;
  const evidence = compared.find((each) => each.evidence !== null)?.evidence ?? null;
  return [
    style.bold(visibleLine(first!.path)),
    table([
      ['level', 'verdict', 'satisfied', 'violated'],
      ...compared.map((each) => [
        each.level,
        each.agree ? each.verdict : 'disagreement',
        saying(each, 'satisfied'),
        saying(each, 'violated'),
      ]),
    ]),
    ...suppositions,
    ...(evidence === null ? [] : [style.dim(`  ${restsOn(evidence)}`)]),
    ...(compared.every(({ agree }) => agree) ? [] : [style.red('the checkers disagree')]),
  ].join('\n');
}

const HEAD = ['checker', 'verdict', 'wall ms', 'cpu ms', 'peak MB', 'stages'];

const nameOf = ({ checker, variant }: Compared): string => (variant === null ? checker : `${checker}:${variant}`);

const wordsOf = ({ verdict, unknown, supposing }: Compared): string => {
  if (unknown !== null) return `unknown (${unknown.reason})`;
  return supposing === null ? verdict : `${verdict}, ${supposing}`;
};

const rowOf = (run: Compared): (string | number)[] => [
  nameOf(run),
  wordsOf(run),
  Math.round(run.wallMs),
  Math.round(run.cpuMs),
  run.peakRssBytes === null ? '?' : Math.round(run.peakRssBytes / 1e6),
  run.stages.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(', '),
];
