import { CHECKERS, type EngineOptions, LEVELS, loadChecker } from 'isolab/check';
import { restsOn, visibleLine } from 'isolab/skin';
import { compare as compareOn, type Compared, type Comparison } from 'isolab';
import { eachPath } from '../each-path.ts';
import { ExitCode, codeOf } from '../exit.ts';
import { type LimitFlags, limitsOf } from '../limits.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type OutputsAsked, claimFiles } from '../output/asked.ts';
import { failedJson, failedText } from '../output/failure.ts';
import { OutputFiles } from '../output/files.ts';
import { PLAIN, type Printer, type Style, table, toJson } from '../print.ts';
import { levelAsked } from '../words.ts';
import { type CommandModule, option, ALLOWANCES, FORCE, LIMITS, READING } from '../options.ts';

export interface CompareFlags extends InputFlags, LimitFlags, OutputsAsked {
  readonly level?: string;
  readonly checkers?: string;
  readonly force?: boolean;
  readonly verbose?: boolean;
}

export const command: CommandModule = {
  examples: [
    'isolab compare history.jsonl --level si',
    'isolab compare history.jsonl --level ser --checkers weave,cobra,dbcop',
  ],
  options: [
    ...READING,
    ...LIMITS,
    option('-l, --level <level>', 'compare at this level; at each level if absent, or all'),
    ...ALLOWANCES,
    option(
      '--checkers <names>',
      'run these, separated by commas, each perhaps with a variant: plume:no-vectors; all but the baselines if absent; all',
    ),
    FORCE,
  ],
  hasFiles: true,
  run: compare,
};

/** `isolab compare`: several checkers on the same histories, one table; a disagreement is an error. */
export async function compare(paths: readonly string[], flags: CompareFlags, printer: Printer): Promise<number> {
  const { level: word = 'all', output, files = [], force } = flags;
  const named = word === 'all' ? null : levelAsked(word).level.name;
  const limits = limitsOf(flags);
  claimFiles(files, { inputs: paths, force });
  const filed = new OutputFiles(files, { text: { failed: failedText }, json: { failed: failedJson } });
  const checkers = await Promise.all(namesIn(flags).map((each) => engineOf(each, limits.timeMs)));
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

/** The exit code where checkers agree: of a level that was named its verdict, of all levels whether any was decided. */
function codeOfAll(compared: readonly Comparison[], isNamed: boolean): number {
  if (isNamed) return codeOf({ status: compared[0]!.verdict });
  return compared.some(({ verdict }) => verdict !== 'unknown') ? ExitCode.Satisfied : ExitCode.Unknown;
}

function namesIn({ checkers }: CompareFlags): readonly string[] {
  if (checkers !== undefined && checkers !== 'all') return checkers.split(',');
  return CHECKERS.flatMap(({ name, isBaseline }) => (isBaseline && checkers !== 'all' ? [] : [name]));
}

/** `plume` or `plume:no-vectors`. */
async function engineOf(word: string, timeMs: number | undefined): Promise<EngineOptions> {
  const at = word.startsWith('.') || word.startsWith('/') ? -1 : word.indexOf(':');
  const checker = await loadChecker(at < 0 ? word : word.slice(0, at), timeMs === undefined ? {} : { timeMs });
  return { checker, ...(at >= 0 && { variant: word.slice(at + 1) }) };
}

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

/** Table of verdicts at each level, with the runs that gave them. */
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
