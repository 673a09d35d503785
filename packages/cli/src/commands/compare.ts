import { visibleLine } from '@isolab/history';
import { type PluginLimits, type Report, judged, restsOn, runUnjudged } from '@isolab/runner';
import { BUILT_IN, COMPARED, checkerNamed } from '../checkers.ts';
import { eachPath } from '../each-path.ts';
import { ExitCode, codeOf } from '../exit.ts';
import { type LimitFlags, runOptions } from '../limits.ts';
import { type InputFlags, openDocument, preparedFrom } from '../open.ts';
import { type Printer, table, toJson } from '../print.ts';
import { levelAsked } from '../words.ts';

export interface CompareFlags extends InputFlags, LimitFlags {
  readonly level: string;
  readonly checkers?: string;
  readonly output: string;
  readonly verbose?: boolean;
}

/** `isolab compare`: several checkers on the same histories, one table; a disagreement is an error. */
export async function compare(paths: readonly string[], flags: CompareFlags, printer: Printer): Promise<number> {
  const level = levelAsked(flags.level).level.name;
  const names = flags.checkers === 'all' ? Object.keys(BUILT_IN) : (flags.checkers?.split(',') ?? COMPARED);
  const { budget = {} } = runOptions(flags);
  const engines = await Promise.all(names.map((name) => engineOf(name, budget)));
  let disagreements = 0;
  const code = await eachPath(paths, flags, printer, async (path) => {
    const document = await openDocument(path, flags);
    const prepared = preparedFrom(document);
    const reports: Report[] = [];
    const options = { ...runOptions(flags), certify: false };
    for (const engine of engines) reports.push(await runUnjudged({ ...engine, prepared, level }, options));
    // A checker may be wrong about a history that nobody would ask it about.
    const decided = new Set(reports.map(({ verdict }) => verdict.status).filter((status) => status !== 'unknown'));
    const agree = decided.size < 2;
    if (!agree) disagreements++;
    const shown = reports.map((report) => judged(report, prepared, options));
    const evidence = shown.find((report) => report.evidence !== null)?.evidence ?? null;
    // At least one of those that disagree is wrong, and nothing says which.
    const known = shown.find(({ verdict }) => verdict.status !== 'unknown');
    const verdict = codeOf({ status: agree ? (known?.verdict.status ?? 'unknown') : 'unknown' });
    printer.judged(verdict);
    if (flags.output === 'json')
      printer.out(
        toJson({
          path,
          level,
          agree,
          reports: shown.map(({ verdict: { status }, ...rest }) => ({ verdict: status, ...rest })),
        }),
      );
    else
      printer.out(
        [
          printer.style.bold(visibleLine(path)),
          table([HEAD, ...shown.map(rowOf)]),
          ...(evidence === null ? [] : [printer.style.dim(`  ${restsOn(evidence)}`)]),
          ...(agree ? [] : [printer.style.red('the checkers disagree')]),
        ].join('\n'),
      );
    return agree ? verdict : ExitCode.Failed;
  });
  if (disagreements > 0)
    printer.note(
      `isolab: the checkers disagree on ${disagreements} of ${paths.length} histories; at least one of them is wrong.`,
    );
  return code;
}

/** `plume` or `plume:no-vectors`. */
async function engineOf(
  word: string,
  limits: PluginLimits,
): Promise<{ checker: Awaited<ReturnType<typeof checkerNamed>>; variant: string | null }> {
  const at = word.startsWith('.') || word.startsWith('/') ? -1 : word.indexOf(':');
  return {
    checker: await checkerNamed(at < 0 ? word : word.slice(0, at), limits),
    variant: at < 0 ? null : word.slice(at + 1),
  };
}

const HEAD = ['checker', 'verdict', 'wall ms', 'cpu ms', 'peak MB', 'stages'];

const rowOf = ({ checker, variant, verdict, wallMs, cpuMs, peakRssBytes, stages }: Report): (string | number)[] => [
  variant === null ? checker : `${checker}:${variant}`,
  verdict.status === 'unknown' ? `unknown (${verdict.reason})` : verdict.status,
  Math.round(wallMs),
  Math.round(cpuMs),
  peakRssBytes === null ? '?' : Math.round(peakRssBytes / 1e6),
  stages.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(', '),
];
