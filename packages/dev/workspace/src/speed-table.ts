/**
 * Tables of docs/speed.md: published programs beside isolab, on the same files, from the stored results of scale
 * laptop.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programsIn, readTools } from '@isolab/experiments';
import { markdownTable } from '@isolab/site';

/** Fields of a stored run that the tables show. */
interface Run {
  readonly experiment: string;
  readonly x: unknown;
  readonly checker: string;
  readonly variant: string | null;
  readonly verdict: string;
  readonly wallMs: number | null;
}

/** A series of a published program, and ours on the same files. */
type Pair = readonly [program: string, ours: string];

/** Both series are whole processes. */
const PROCESSES: readonly (readonly Pair[])[] = [
  [
    ['veristrong', 'tool:isolab'],
    ['veristrong-cobra', 'tool:isolab-cobra'],
    ['veristrong-cobra-uv', 'tool:isolab-cobra'],
  ],
  [['awdit', 'tool:isolab-text']],
];

/** Our series is the check alone, in a warm process. */
const WARM = ['polysi', 'viper', 'dbcop-2019', 'cobra', 'cobra-gpu', 'plume-lists', 'elle-lists'].map(
  (program): readonly Pair[] => [[program, 'weave']],
);

const HEAD = [
  'program',
  'histories',
  'without its verdict',
  'without isolab’s verdict',
  'its time ÷ isolab’s: minimum',
  'median',
  'maximum',
  'experiments',
];

const path = (name: string): string => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

export function speedTables(): string {
  const runs = readFileSync(path('reports/results/laptop.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Run)
    // Figures of memory repeat the runs of the figures of time.
    .filter(({ experiment }) => !experiment.endsWith('-memory'));
  const titles = programsIn(readTools([path('benchmarks/tools.json')], 'isolab'));
  const titleOf = (program: string): string => {
    const title = titles.find(({ ways }) => ways.some(({ name }) => name === program))?.about?.title ?? program;
    return program.endsWith('-gpu') ? `${title} with a GPU` : title;
  };
  const table = (programs: readonly (readonly Pair[])[]): string =>
    markdownTable(
      HEAD,
      programs.map((pairs) => [titleOf(pairs[0]![0]), ...compared(runs, pairs)]),
    );
  return [
    '### Both as whole processes',
    table(PROCESSES),
    '### A whole process and a check in a warm process',
    table(WARM),
  ].join('\n\n');
}

/** Number of histories and of missing verdicts, ratios of times, and the experiments. */
function compared(runs: readonly Run[], pairs: readonly Pair[]): string[] {
  const cells = pairs.flatMap(([program, ours]) => cellsOf(runs, `tool:${program}`, ours));
  const times = cells.map(({ theirs, ours }) => [fastest(theirs), fastest(ours)] as const);
  const ratios = times
    .flatMap(([their, our]) => (their === null || our === null ? [] : [their / our]))
    .toSorted((a, b) => a - b);
  const at = (share: number): string => ratios[Math.round(share * (ratios.length - 1))]?.toFixed(2) ?? '–';
  const counts = [cells.length, times.filter(([their]) => their === null).length];
  const unanswered = times.filter(([, our]) => our === null).length;
  const experiments = new Set(cells.map(({ theirs }) => theirs[0]!.experiment));
  return [...[...counts, unanswered].map(String), at(0), at(0.5), at(1), [...experiments].toSorted().join(', ')];
}

/** Points of all experiments at which both series were measured. */
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

/** Time in milliseconds of the fastest run with a verdict. */
function fastest(runs: readonly Run[]): number | null {
  const times = runs.flatMap(({ verdict, wallMs }) =>
    wallMs !== null && (verdict === 'satisfied' || verdict === 'violated') ? [wallMs] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}
