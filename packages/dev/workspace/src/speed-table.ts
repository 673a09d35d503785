import { readFileSync } from 'node:fs';
import { programsIn, readTools } from '@isolab/experiments';
import { fileURLToPath } from 'node:url';
import { markdownTable } from '@isolab/site';

/** Parts of a run in the kept results that the tables show. */
interface Run {
  readonly experiment: string;
  readonly x: unknown;
  readonly checker: string;
  readonly variant: string | null;
  readonly verdict: string;
  readonly wallMs: number | null;
}

/** A series of a published program, and the one of ours that read the same files. */
type Pair = readonly [program: string, ours: string];

/** Both are whole processes. */
const PROCESSES: readonly (readonly Pair[])[] = [
  [
    ['veristrong', 'tool:isolab'],
    ['veristrong-cobra', 'tool:isolab-cobra'],
    ['veristrong-cobra-uv', 'tool:isolab-cobra'],
  ],
  [['awdit', 'tool:isolab-text']],
];

/** Ours is the check alone, in a warm process. */
const WARM = ['polysi', 'viper', 'dbcop-2019', 'cobra', 'cobra-gpu', 'plume-lists', 'elle-lists'].map(
  (program): readonly Pair[] => [[program, 'weave']],
);

/** The histories that both were given, and what their times are to each other. */
interface Compared {
  readonly experiments: readonly string[];
  readonly histories: number;
  /** Histories that the program did not decide within the limits of the experiment, and that isolab did not. */
  readonly unanswered: number;
  readonly unansweredByUs: number;
  /** The program's time divided by ours, sorted. */
  readonly ratios: readonly number[];
}

/** Published programs beside isolab, on the same files, from the kept results of scale laptop. */
export function speedTables(): string {
  const runs = readRuns();
  const named = namesOfPrograms();
  const table = (programs: readonly (readonly Pair[])[]): string =>
    markdownTable(
      HEAD,
      programs.map((pairs) => {
        const { experiments, histories, unanswered, unansweredByUs, ratios } = compare(runs, pairs);
        const at = (share: number): string =>
          ratios.length === 0 ? '–' : ratios[Math.round(share * (ratios.length - 1))]!.toFixed(2);
        const counts = [histories, unanswered, unansweredByUs].map(String);
        return [named(pairs[0]![0]), ...counts, at(0), at(0.5), at(1), experiments.join(', ')];
      }),
    );
  return [
    '### Whole process beside whole process',
    table(PROCESSES),
    '### Whole process beside a check in a warm process',
    table(WARM),
  ].join('\n\n');
}

const HEAD = [
  'program',
  'histories',
  'it gave no verdict on',
  'isolab gave none on',
  'its time ÷ isolab’s: least',
  'median',
  'most',
  'experiments',
];

function readRuns(): Run[] {
  const file = new URL('../../../../reports/results/laptop.jsonl', import.meta.url);
  return (
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Run)
      // Figures of memory show the runs of the figures of time once more.
      .filter(({ experiment }) => !experiment.endsWith('-memory'))
  );
}

/** Titles as docs/tools.md has them. */
function namesOfPrograms(): (program: string) => string {
  const programs = programsIn(
    readTools([fileURLToPath(new URL('../../../../benchmarks/tools.json', import.meta.url))], 'isolab'),
  );
  return (program) => {
    const listed = programs.find(({ ways }) => ways.some(({ name }) => name === program));
    const title = listed?.about?.title ?? program;
    return program.endsWith('-gpu') ? `${title} with a GPU` : title;
  };
}

function compare(runs: readonly Run[], pairs: readonly Pair[]): Compared {
  const ratios: number[] = [];
  const experiments = new Set<string>();
  let [histories, unanswered, unansweredByUs] = [0, 0, 0];
  for (const [program, ours] of pairs)
    for (const cell of cellsOf(runs, `tool:${program}`, ours)) {
      const [their, our] = [fastest(cell.theirs), fastest(cell.ours)];
      histories++;
      experiments.add(cell.theirs[0]!.experiment);
      if (their === null) unanswered++;
      if (our === null) unansweredByUs++;
      if (their !== null && our !== null) ratios.push(their / our);
    }
  const sorted = ratios.toSorted((a, b) => a - b);
  return { experiments: [...experiments].toSorted(), histories, unanswered, unansweredByUs, ratios: sorted };
}

/** The points of all experiments at which both were measured. */
function cellsOf(runs: readonly Run[], program: string, ours: string) {
  const cells = new Map<string, { readonly theirs: Run[]; readonly ours: Run[] }>();
  for (const run of runs) {
    if (run.checker !== program && (run.checker !== ours || run.variant !== null)) continue;
    const name = `${run.experiment} ${String(run.x)}`;
    const cell = cells.get(name) ?? { theirs: [], ours: [] };
    cells.set(name, cell);
    (run.checker === program ? cell.theirs : cell.ours).push(run);
  }
  return [...cells.values()].filter((cell) => cell.theirs.length > 0 && cell.ours.length > 0);
}

/** Milliseconds of the fastest run that gave a verdict. */
function fastest(runs: readonly Run[]): number | null {
  const times = runs.flatMap(({ verdict, wallMs }) =>
    wallMs !== null && (verdict === 'satisfied' || verdict === 'violated') ? [wallMs] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}
