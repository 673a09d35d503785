import { shellPath, visibleLine } from 'isolab/skin';
import { loadChecker } from 'isolab/check';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import {
  type BenchEvent,
  type BenchOptions,
  type BenchSummary,
  type ExperimentFile,
  type ExperimentProblem,
  type ResultRow,
  type Scale,
  bench as runBench,
  commitOf,
  loadExperimentFile,
  loadExperiments,
  localReports,
  resultsFile,
  shownResults,
} from '@isolab/experiments';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { estimateOf, sourcesOf } from '../bench/estimate.ts';
import { areFiles, datasetsOf, experimentsNamed, isFile, rootOf, toolsOf } from '../bench/lab.ts';
import { Ending } from '../terminal/ending.ts';
import { parseDuration, parseMemory } from '../terminal/limits.ts';
import { progressLine } from '../terminal/progress.ts';
import { type Printer, count, duration, toJson } from '../terminal/print.ts';
import { wholeNumber } from '../terminal/words.ts';
import {
  type CommandFlags,
  type CommandModule,
  FOR,
  PUBLISH,
  QUEUE,
  RESUME,
  ROOT,
  SCALE,
  SEED,
  TIME,
  TOOLS,
  option,
  some,
} from '../terminal/options.ts';

const OPTIONS = [
  SCALE,
  RESUME('keep all earlier results, even those of older code'),
  some('--again <what>', 'measure, or collect, again', 'results', 'histories'),
  option('--verify', 'verify every certificate'),
  option('--smallest', 'run only the smallest point of each experiment'),
  option('--jobs <n>', 'run N cells at a time; more than one distorts the times', '1'),
  SEED('set the order of the cells', '1'),
  TIME('lower the time limit of every cell: 500ms, 60s, 10m'),
  option('--memory <size>', 'lower the memory limit of every cell: 500MB, 4GB'),
  FOR('end after this time: 60s, 10m, 2h'),
  TOOLS,
  QUEUE('distribute the cells to workers through this Redis:'),
  option('--out <file>', 'write results to FILE, not to reports/local/results/'),
  PUBLISH,
  ROOT,
] as const;
export type BenchFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab bench polysi/fig7a', 'isolab bench all --scale ci --resume'],
  options: OPTIONS,
  run: bench,
};

/** `isolab bench`: runs experiments and writes their results. */
export async function bench(words: readonly string[], flags: BenchFlags, printer: Printer): Promise<number> {
  const files = words.filter(isFile);
  if (words.length === 0) return (await import('../lists/experiments.ts')).list([], flags, printer);
  const root = rootOf(words, flags.root);
  const { scale } = flags;
  const all = areFiles(words) ? [] : loadExperiments(join(root, 'benchmarks'));
  const jobs = wholeNumber('--jobs', flags.jobs);
  insistOnSense(flags, jobs);
  if (flags.publish) insistOnCommit(root);
  if (flags.publish && loadavg()[0]! > BUSY)
    printer.note(
      `isolab: The load of the machine is ${loadavg()[0]!.toFixed(1)}; pages mark rows that begin above ${BUSY}. Publish from a quiet machine.`,
    );
  const { results, others } = placesOf(join(root, 'reports'), scale, flags);
  const named = words.filter((word) => !isFile(word));
  const experiments = [...experimentsNamed(all, named), ...files.map(loadExperimentFile)];
  if (!flags.smallest) tellPlan(experiments, flags, root, printer);
  const ending = new Ending({ ...flags, until: [] });
  const display = new Display(printer, flags.output === 'json');
  let summary: BenchSummary;
  try {
    // After an interruption the current cell ends; written rows stay.
    summary = await printer.interruptible((interrupted) =>
      runBench({
        experiments,
        scale,
        seed: wholeNumber('--seed', flags.seed),
        jobs,
        resume: flags.resume === true,
        fresh: flags.again.includes('results'),
        freshHistories: flags.again.includes('histories'),
        verify: flags.verify === true,
        smallest: flags.smallest === true,
        limits: {
          ...(flags.time !== undefined && { seconds: parseDuration(flags.time, '--time') / 1000 }),
          ...(flags.memory !== undefined && { megabytes: parseMemory(flags.memory) / 1e6 }),
        },
        results,
        others,
        ...datasetsOf(root),
        root,
        tools: toolsOf(root, flags.tools),
        ...(flags.queue !== undefined && { queue: { url: flags.queue } }),
        loadChecker,
        signal: ending.begin(interrupted),
        onEvent: display.show,
      }),
    );
  } finally {
    display.clear();
  }
  if (flags.output === 'json') printer.out(toJson(summary));
  else tellSummary(summary, results, { pages: whichPages(words, flags), why: ending.why }, printer);
  if (summary.problems.length > 0) return ExitCode.Failed;
  return summary.interrupted ? ExitCode.Unknown : ExitCode.Satisfied;
}

function insistOnSense({ resume, again, queue, out, publish }: BenchFlags, jobs: number): void {
  if (resume && again.includes('results'))
    throw new UsageError('--resume keeps earlier results and --again measures them again; choose one.');
  if (queue !== undefined && jobs !== 1)
    throw new UsageError('A worker of a queue runs one cell at a time. To run more, start workers on more machines.');
  if (out !== undefined && publish)
    throw new UsageError('--out names a file and --publish writes to reports/results/; choose one.');
}

/** Load above which figures mark a run. */
const BUSY = 1.5;

/** Refuses to publish rows of uncommitted code, because another clone could not repeat them. */
function insistOnCommit(root: string): void {
  const commit = commitOf(root);
  if (commit.endsWith('+'))
    throw new UsageError(
      `packages/ has changes that commit ${commit.slice(0, -1)} lacks, so another clone could not repeat the results. Commit them before --publish.`,
    );
}

/** Location of new results, and of the earlier results to reuse. */
function placesOf(
  reports: string,
  scale: Scale,
  { out, publish }: BenchFlags,
): Required<Pick<BenchOptions, 'results' | 'others'>> {
  if (out !== undefined) return { results: resolve(out), others: {} };
  const kept = resultsFile(reports, scale);
  const own = resultsFile(localReports(reports), scale);
  return publish ? { results: kept, others: { known: own } } : { results: own, others: { base: kept } };
}

/** Prints the estimated duration, the data and the absent programs before the first run. */
function tellPlan(experiments: readonly ExperimentFile[], flags: BenchFlags, root: string, printer: Printer): void {
  const { scale } = flags;
  const { rows } = shownResults(join(root, 'reports'), scale, true);
  const estimate = estimateOf(experiments, scale, rows);
  if (estimate !== null) printer.note(visibleLine(estimate));
  for (const line of sourcesOf(experiments, scale, datasetsOf(root).datasets.manifest, toolsOf(root, flags.tools)))
    printer.note(visibleLine(line));
}

/** Prints results as lines on standard output, and the current run on standard error, if that is a terminal. */
class Display {
  readonly #printer: Printer;
  readonly #quiet: boolean;
  #doing = '';
  /** Progress of long cells, for logs. */
  readonly #log = progressLine(() => this.#doing);
  readonly #isWatched = process.stderr.isTTY === true;

  constructor(printer: Printer, quiet: boolean) {
    this.#printer = printer;
    this.#quiet = quiet;
  }

  readonly show = (event: BenchEvent): void => {
    const { red } = this.#printer.style;
    if (event.kind === 'runs') {
      const { cell, limits, done, cells } = event;
      this.#line(
        `${done + 1} of ${cells}  ${cell.experiment.id}  ${cell.series.name} at ${cell.x}, ${limits.seconds} s at most; all within ${duration((cells - done) * limits.seconds * 1000)}`,
      );
    } else if (event.kind === 'collects') {
      this.#line(`${event.experiment}  ${event.workload} on ${event.database}`);
    } else if (event.kind === 'problem') {
      this.clear();
      this.#printer.note(red(visibleLine(tellProblem(event.problem))));
    } else if (event.kind === 'note') {
      this.clear();
      this.#printer.note(visibleLine(event.text));
    } else if (!this.#quiet) this.#tell(event);
  };

  #tell(event: BenchEvent): void {
    const { bold, dim } = this.#printer.style;
    if (event.kind === 'begins') {
      this.clear();
      this.#printer.out(`${bold(visibleLine(event.experiment.id))}  ${visibleLine(event.experiment.title)}`);
    } else if (event.kind === 'row' && event.measured) {
      this.clear();
      this.#printer.out(`  ${tellRow(event.row)}`);
    } else if (event.kind === 'row' && event.row.verdict === 'skipped') {
      this.clear();
      this.#printer.out(dim(`  ${visibleLine(`${event.row.series} at ${event.row.x}: skipped, ${event.row.reason}`)}`));
    }
  }

  clear(): void {
    this.#log.clear();
    if (this.#isWatched) process.stderr.write('\r\u001B[K');
  }

  #line(text: string): void {
    this.#doing = text;
    if (!this.#isWatched) this.#log.show(0, 0);
    else process.stderr.write(`\r\u001B[K${visibleLine(text).slice(0, (process.stderr.columns ?? 80) - 1)}`);
  }
}

export function tellRow({ series, x, verdict, reason, wallMs, peakRssBytes, certificate, run }: ResultRow): string {
  const said = verdict === 'unknown' ? (reason ?? verdict) : verdict;
  const asked = certificate === 'not asked' ? '' : `  certificate ${certificate}`;
  const host = run.host === undefined ? '' : `  on ${run.host}`;
  return visibleLine(`${series} at ${x}: ${said}  ${seconds(wallMs)}  ${megabytes(peakRssBytes)}${asked}${host}`);
}

const seconds = (ms: number | null): string => (ms === null ? '' : `${(ms / 1000).toFixed(3)} s`);
const megabytes = (bytes: number | null): string => (bytes === null ? '' : `${Math.round(bytes / 1e6)} MB`);

function tellProblem(problem: ExperimentProblem): string {
  const kept = `The experiment stops; the history is ${problem.path}`;
  if (problem.kind === 'rejected certificate')
    return `The certificate of ${problem.series} at ${problem.level} does not prove its verdict. ${kept}`;
  return `Checkers disagree at ${problem.level}: ${problem.satisfied} reports satisfied, ${problem.violated} reports violated. ${kept}`;
}

/** Command that makes pages of the measured results; null if no command reads results from their location. */
const whichPages = (words: readonly string[], { out, scale }: BenchFlags): string | null =>
  out === undefined
    ? `To make their pages: isolab bench report ${words.map(shellPath).join(' ')} --scale ${scale}`
    : null;

interface Besides {
  readonly pages: string | null;
  /** Reason for an early end other than an interruption. */
  readonly why: string | null;
}

function tellSummary(summary: BenchSummary, file: string, { pages, why }: Besides, printer: Printer): void {
  const { measured, reused, skipped, unknown, problems, interrupted } = summary;
  const parts = [`${measured} measured`, `${reused} known before`, `${skipped} skipped`];
  if (unknown > 0) parts.push(`${unknown} without a verdict (time, memory, unsupported)`);
  printer.out(`\n${visibleLine(file)}: ${parts.join(', ')}`);
  if (problems.length > 0)
    printer.note(`isolab: ${count(problems.length, 'experiment')} stopped; at least one checker is wrong.`);
  if (pages !== null) printer.note(pages);
  if (interrupted) printer.note(`${why ?? 'Interrupted.'} Repeat the command to continue.`);
}
