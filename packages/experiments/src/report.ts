/** Makes pages of the results of a scale: an index, a page an experiment, what was reproduced, and a leaderboard. */
import {
  type Link,
  type ReportEntry,
  experimentPage,
  figureSvg,
  indexPage,
  leaderboardPage,
  summaryMarkdown,
  summaryPage,
  tableCsv,
  tableMarkdown,
} from '@isolab/figures';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileTo } from '@isolab/formats';
import { isTrusted } from './disagreement.ts';
import { type ExperimentFile, type Scale, atScale } from './experiment.ts';
import { BenchError } from './errors.ts';
import type { ResultRow } from './row-shape.ts';
import { latestRows } from './rows.ts';

export interface ReportsOptions {
  readonly experiments: readonly ExperimentFile[];
  readonly rows: readonly ResultRow[];
  readonly scale: Scale;
  /** Where the pages go. */
  readonly folder: string;
  /** Figures as PNG, too: always, never, or where @resvg/resvg-js is installed, which is the default. */
  readonly png?: boolean;
}

export interface Written {
  readonly files: number;
  /** Figures that were drawn as PNG; null if they could not be, because nothing that draws them is installed. */
  readonly png: number | null;
}

/** Writes all pages. */
export async function writeReports({ experiments, rows, scale, folder, png }: ReportsOptions): Promise<Written> {
  const drawPng = png === false ? null : await pngRenderer();
  if (png === true && drawPng === null) throw new BenchError(PNG_ABSENT);
  const latest = latestRows(rows).filter((row) => row.run.scale === scale);
  const entries: ReportEntry[] = [];
  let written = 0;
  let drawn = 0;
  const write = async (name: string, text: string | Uint8Array): Promise<void> => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    await writeFileTo(path, text, { isDurable: false });
    written++;
  };
  for (const file of experiments) {
    const experiment = atScale(file, scale);
    const own = latest.filter((row) => row.experiment === file.id);
    const svg = await figureSvg(experiment, own);
    const files: Link[] = [];
    const attach = async (ending: string, text: string | Uint8Array): Promise<void> => {
      await write(`${file.id}.${ending}`, text);
      files.push({ text: ending.toUpperCase(), href: `${file.figure}.${ending}` });
    };
    if (svg !== '') await attach('svg', svg);
    if (svg !== '' && drawPng !== null) {
      await attach('png', drawPng(svg));
      drawn++;
    }
    await attach('csv', tableCsv(experiment, own));
    await attach('md', tableMarkdown(experiment, own));
    const command = `isolab bench ${file.id} --scale ${scale} && isolab report --scale ${scale}`;
    await write(
      `${file.id}.html`,
      experimentPage(experiment, own, { svg, navigation: navigation('../'), files, command }),
    );
    entries.push({ experiment, rows: own, href: `${file.id}.html`, svg });
  }
  const note = noteOn(latest, scale);
  const options = { navigation: navigation(''), note };
  await write('index.html', indexPage(entries, { ...options, title: `Experiments at scale ${scale}` }));
  await write('summary.html', summaryPage(entries, options));
  await write('summary.md', summaryMarkdown(entries, { title: `What was reproduced at scale ${scale}`, note }));
  await write('leaderboard.html', leaderboardPage(trustedRows(latest, experiments), options));
  return { files: written, png: drawPng === null && png !== false ? null : drawn };
}

const navigation = (up: string): Link[] => [
  { text: 'Experiments', href: `${up}index.html` },
  { text: 'What was reproduced', href: `${up}summary.html` },
  { text: 'Leaderboard', href: `${up}leaderboard.html` },
];

function noteOn(rows: readonly ResultRow[], scale: Scale): string {
  const machines = [...new Set(rows.map(({ run }) => `${run.machine}, Node ${run.node}`))];
  const commits = [...new Set(rows.map(({ run }) => run.commit))];
  if (rows.length === 0) return `Nothing was measured yet: isolab bench all --scale ${scale}`;
  return `Made by isolab bench all --scale ${scale} and isolab report --scale ${scale}, on ${machines.join('; ')}, at ${commits.join(', ')}.`;
}

/** Without those that keep the blind spots of published tools: what they say is expected to differ. */
function trustedRows(rows: readonly ResultRow[], experiments: readonly ExperimentFile[]): ResultRow[] {
  const bySeries = new Map(
    experiments.flatMap(({ id, series }) => series.map((each) => [JSON.stringify([id, each.name]), each] as const)),
  );
  return rows.filter((row) => {
    const series = bySeries.get(JSON.stringify([row.experiment, row.series]));
    return row.verdict !== 'skipped' && series !== undefined && isTrusted(series);
  });
}

/** Figures as PNG, for where SVG is not shown; the program that draws them is installed by whoever wants them. */

type DrawPng = (svg: string) => Uint8Array;

/** Null where @resvg/resvg-js is not installed. */
export async function pngRenderer(
  load: () => Promise<Resvg> = () => import('@resvg/resvg-js'),
): Promise<DrawPng | null> {
  let resvg: Resvg;
  try {
    resvg = await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw new BenchError(`@resvg/resvg-js is installed, but cannot be used here: ${(error as Error).message}`);
  }
  // On white, and with twice as many pixels as the drawing has, so that it is sharp in print.
  return (svg) =>
    new resvg.Resvg(svg, {
      background: '#ffffff',
      fitTo: { mode: 'zoom', value: 2 },
      font: { defaultFontFamily: 'DejaVu Sans' },
    })
      .render()
      .asPng();
}

type Resvg = Pick<typeof import('@resvg/resvg-js'), 'Resvg'>;

const PNG_ABSENT = 'PNG figures need @resvg/resvg-js, which is not installed here: npm install @resvg/resvg-js';
