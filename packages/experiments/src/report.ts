/** Makes pages of the results of a scale: an index, a page an experiment, what was reproduced, and a leaderboard. */
import {
  type Link,
  type PaperInfo,
  type ReportEntry,
  drawingOf,
  experimentPage,
  figureSvg,
  indexPage,
  leaderboardPage,
  overviewMarkdown,
  paperMarkdown,
  summaryMarkdown,
  summaryPage,
  svgOf,
  tableCsv,
  tableMarkdown,
} from '@isolab/figures';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileTo } from '@isolab/formats';
import { isTrusted } from './disagreement.ts';
import { type ExperimentFile, type Scale, atScale } from './experiment.ts';
import { BenchError } from './errors.ts';
import type { ResultRow } from './row-shape.ts';
import type { DataFinder } from './series-data.ts';
import { PNG_ABSENT, pngRenderer } from './png.ts';
import { latestRows } from './rows.ts';

export interface ReportsOptions {
  readonly experiments: readonly ExperimentFile[];
  readonly rows: readonly ResultRow[];
  readonly scale: Scale;
  /** Where the pages go. */
  readonly folder: string;
  /** Figures as PNG, too: always, never, or where @resvg/resvg-js is installed, which is the default. */
  readonly png?: boolean;
  /** Of readPapers: whom to cite. */
  readonly paperOf?: (name: string) => PaperInfo;
  /** On which data each series stands. */
  readonly findData?: DataFinder;
}

/** The scale whose pages the repository keeps. */
const KEPT_SCALE: Scale = 'laptop';

export interface Written {
  readonly files: number;
  /** Figures that were drawn as PNG; null if they could not be, because nothing that draws them is installed. */
  readonly png: number | null;
}

/** Writes all pages. */
export async function writeReports(options: ReportsOptions): Promise<Written> {
  const { experiments, rows, scale, folder, png, paperOf, findData } = options;
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
    const drawing = await drawingOf(experiment, own);
    if (drawing !== null) await attach('svg', svgOf(drawing));
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
    const data = findData?.(file, scale);
    entries.push({ experiment, rows: own, href: `${file.id}.html`, svg, ...(data !== undefined && { data }) });
  }
  const note = noteOn(latest, scale);
  const around = { navigation: navigation(''), note };
  await write('index.html', indexPage(entries, { ...around, title: `Experiments at scale ${scale}` }));
  await write('summary.html', summaryPage(entries, around));
  const isKept = scale === KEPT_SCALE && paperOf !== undefined;
  const title = `What was reproduced at scale ${scale}`;
  const pageOf = (paper: string): string => `${paper}.md`;
  await write('summary.md', summaryMarkdown(entries, { title, note, ...(isKept && { pageOf }) }));
  if (isKept) await writePaperPages(entries, paperOf, scale, (paper, text) => write(pageOf(paper), text));
  await write('leaderboard.html', leaderboardPage(trustedRows(latest, experiments), around));
  await renewReadme(join(folder, '..', 'README.md'), scale, overviewMarkdown(entries));
  return { files: written, png: drawPng === null && png !== false ? null : drawn };
}

async function writePaperPages(
  entries: readonly ReportEntry[],
  paperOf: (name: string) => PaperInfo,
  scale: Scale,
  write: (paper: string, text: string) => Promise<void>,
): Promise<void> {
  for (const name of new Set(entries.map(({ experiment }) => experiment.paper))) {
    const own = entries.filter(({ experiment }) => experiment.paper === name);
    const note = noteOn(
      own.flatMap(({ rows }) => rows),
      scale,
    );
    await write(name, paperMarkdown(own, { ...paperOf(name), name, scale, note }));
  }
}

/** Puts the overview between the marks that a README has for the scale, if it has any. */
async function renewReadme(path: string, scale: Scale, overview: string): Promise<void> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [begin, end] = [`<!-- generated:${scale} -->`, '<!-- /generated -->'];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) return;
  const renewed = `${text.slice(0, from + begin.length)}\n${overview}\n${text.slice(to)}`;
  if (renewed !== text) await writeFileTo(path, renewed, { isDurable: false });
}

const navigation = (up: string): Link[] => [
  { text: 'Experiments', href: `${up}index.html` },
  { text: 'What was reproduced', href: `${up}summary.html` },
  { text: 'Leaderboard', href: `${up}leaderboard.html` },
];

function noteOn(rows: ReportEntry['rows'], scale: Scale): string {
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
