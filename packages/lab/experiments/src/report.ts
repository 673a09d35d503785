/**
 * Makes the pages for the results of a scale: an index, a page per experiment, the reproduced claims, and a
 * leaderboard.
 */
import {
  type Link,
  type PaperInfo,
  type ReportEntry,
  canDraw,
  drawingOf,
  experimentPage,
  figureSvg,
  indexPage,
  leaderboardPage,
  ownText,
  overviewMarkdown,
  paperMarkdown,
  summaryMarkdown,
  summaryPage,
  svgOf,
  tableCsv,
  tableMarkdown,
} from '@isolab/figures';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PUBLIC, writeFileTo } from '@isolab/formats';
import { isTrusted } from './measurement/disagreement.ts';
import { type RowsAt, measuredAt } from './claims.ts';
import { type ExperimentFile, SCALES, type Scale, atScale } from './experiment/experiment.ts';
import { BenchError } from './experiment/errors.ts';
import { shellPath } from '@isolab/history';
import type { ResultRow } from './measurement/row-shape.ts';
import type { DataFinder } from './series-data.ts';
import { PNG_ABSENT, pngRenderer } from './png.ts';
import { latestRows } from './measurement/rows.ts';

export interface ReportsOptions {
  readonly experiments: readonly ExperimentFile[];
  readonly rows: readonly ResultRow[];
  /** Local rows among all rows, and the rows that they replace; see shownResults. */
  readonly own?: readonly ResultRow[];
  readonly replaced?: readonly ResultRow[];
  readonly scale: Scale;
  /** Folder of the pages. */
  readonly folder: string;
  /** Also writes figures as PNG: always, never, or (by default) if @resvg/resvg-js is installed. */
  readonly png?: boolean;
  /** Whether the renderer of figures is installed; tested if absent. */
  readonly canDraw?: boolean;
  /** Papers to cite, from readPapers, for the pages that the repository keeps. */
  readonly paperOf?: (name: string) => PaperInfo;
  /** Finds the data of each series. */
  readonly findData?: DataFinder;
  /** Results of each scale, which decide the claims of the pages that the repository keeps; only `rows` if absent. */
  readonly rowsAt?: RowsAt;
}

/** Scale whose pages the repository keeps. */
const KEPT_SCALE: Scale = 'laptop';

export interface Written {
  readonly files: number;
  /** Number of figures drawn as PNG; null if no renderer is installed. */
  readonly png: number | null;
  /** Whether figures could be drawn at all; see FIGURES_ABSENT. */
  readonly figures: boolean;
}

export const FIGURES_ABSENT =
  'Figures need vega and vega-lite, which are not both installed: npm install vega vega-lite';

export async function writeReports(options: ReportsOptions): Promise<Written> {
  const { experiments, rows, scale, folder, paperOf, findData } = options;
  const isKept = scale === KEPT_SCALE && paperOf !== undefined;
  const { rowsAt = (each: Scale) => (each === scale ? rows : []) } = options;
  const scalesOf = isKept ? measuredAt(SCALES, rowsAt, findData) : undefined;
  const pages = await Pages.begin(options, (up) => navigation(up, () => true));
  const entries: ReportEntry[] = [];
  for (const file of experiments) {
    const entry = await pages.writeExperiment(file);
    entries.push(scalesOf === undefined ? entry : { ...entry, scales: scalesOf(file) });
  }
  const { latest } = pages;
  const note = noteOn(latest, scale);
  const around = { navigation: navigation('', () => true), note: sentences(note, ownText(options, latest)) };
  await pages.write('index.html', indexPage(entries, { ...around, title: `Experiments at scale ${scale}` }));
  await pages.write('summary.html', summaryPage(entries, around));
  const title = `Reproduced claims${isKept ? '' : ` at scale ${scale}`}`;
  const pageOf = (paper: string): string => `${paper}.md`;
  await pages.write('summary.md', summaryMarkdown(entries, { title, note: around.note, ...(isKept && { pageOf }) }));
  if (isKept) {
    await writePaperPages(entries, paperOf, scale, (paper, text) => pages.write(pageOf(paper), text));
    await renewReadme(join(folder, '..', 'README.md'), overviewMarkdown(entries));
  }
  await pages.write('leaderboard.html', leaderboardPage(trustedRows(latest, experiments), around));
  return pages.written;
}

/** A page that was requested by name: that of an experiment, or of a paper's experiments. */
export interface AskedPage {
  readonly name: string;
  readonly experiments: readonly ExperimentFile[];
}

/** Writes only the requested pages; `pages` has the path of each, in the same order. */
export async function writePagesOf(
  asked: readonly AskedPage[],
  options: Omit<ReportsOptions, 'experiments' | 'paperOf'>,
): Promise<Written & { readonly pages: readonly string[] }> {
  const { folder, scale } = options;
  const isThere = (name: string): boolean => existsSync(join(folder, name));
  const pages = await Pages.begin(options, (up) => navigation(up, isThere));
  const entryOf = new Map<ExperimentFile, ReportEntry>();
  for (const { name, experiments } of asked)
    for (const file of experiments)
      if (!entryOf.has(file))
        entryOf.set(file, await pages.writeExperiment(file, isInFileOfItsOwn(file) ? name : file.id));
  const paths: string[] = [];
  for (const { name, experiments } of asked) {
    const [only] = experiments;
    const page = `${experiments.length === 1 ? placeOfPages(only!) : name}.html`;
    if (experiments.length > 1) {
      const entries = experiments.map((file) => entryOf.get(file)!);
      const rows = entries.flatMap((entry) => entry.rows);
      const note = sentences(noteOn(rows, scale, name), ownText(options, rows));
      const title = `${name} at scale ${scale}`;
      await pages.write(page, indexPage(entries, { navigation: navigation('', isThere), note, title }));
    }
    paths.push(join(folder, page));
  }
  return { ...pages.written, pages: paths };
}

/**
 * Path of the pages without the ending. Experiments outside benchmarks/ have no paper in their id, and share a folder.
 */
const placeOfPages = (file: ExperimentFile): string => (isInFileOfItsOwn(file) ? `files/${file.id}` : file.id);

const isInFileOfItsOwn = ({ id }: ExperimentFile): boolean => !id.includes('/');

class Pages {
  readonly latest: readonly ResultRow[];
  readonly #options: Omit<ReportsOptions, 'experiments'>;
  readonly #hasFigures: boolean;
  readonly #drawPng: ((svg: string) => Uint8Array) | null;
  readonly #navigation: (up: string) => Link[];
  #files = 0;
  #drawn = 0;

  private constructor(
    options: Omit<ReportsOptions, 'experiments'>,
    hasFigures: boolean,
    drawPng: ((svg: string) => Uint8Array) | null,
    navigationOf: (up: string) => Link[],
  ) {
    this.#options = options;
    this.#hasFigures = hasFigures;
    this.#drawPng = drawPng;
    this.#navigation = navigationOf;
    this.latest = latestRows(options.rows).filter((row) => row.run.scale === options.scale);
  }

  static async begin(
    options: Omit<ReportsOptions, 'experiments'>,
    navigationOf: (up: string) => Link[],
  ): Promise<Pages> {
    const { png, paperOf, canDraw: hasFigures = await canDraw() } = options;
    // Pages in the repository must not lose their figures.
    if (!hasFigures && (png === true || paperOf !== undefined)) throw new BenchError(FIGURES_ABSENT);
    const drawPng = png === false ? null : await pngRenderer();
    if (png === true && drawPng === null) throw new BenchError(PNG_ABSENT);
    return new Pages(options, hasFigures, drawPng, navigationOf);
  }

  get written(): Written {
    const couldNot = this.#drawPng === null && this.#options.png !== false;
    return { files: this.#files, png: couldNot ? null : this.#drawn, figures: this.#hasFigures };
  }

  async write(name: string, text: string | Uint8Array): Promise<void> {
    const path = join(this.#options.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    await writeFileTo(path, text, { isDurable: false, mode: PUBLIC });
    this.#files++;
  }

  /** Writes the page of an experiment, and its figure and values as files; `name` is its name in isolab bench. */
  async writeExperiment(file: ExperimentFile, name: string = file.id): Promise<ReportEntry> {
    const { scale, own, replaced, findData } = this.#options;
    const experiment = atScale(file, scale);
    const place = placeOfPages(file);
    const rows = this.latest.filter((row) => row.experiment === file.id);
    const svg = this.#hasFigures ? await figureSvg(experiment, rows) : '';
    const files: Link[] = [];
    const attach = async (ending: string, text: string | Uint8Array): Promise<void> => {
      await this.write(`${place}.${ending}`, text);
      files.push({ text: ending.toUpperCase(), href: `${basename(place)}.${ending}` });
    };
    const drawing = this.#hasFigures ? await drawingOf(experiment, rows) : null;
    if (drawing !== null) await attach('svg', svgOf(drawing));
    if (svg !== '' && this.#drawPng !== null) {
      await attach('png', this.#drawPng(svg));
      this.#drawn++;
    }
    await attach('csv', tableCsv(experiment, rows));
    await attach('md', tableMarkdown(experiment, rows));
    const word = shellPath(name);
    const command = `isolab bench ${word} --scale ${scale} && isolab bench report ${word} --scale ${scale}`;
    const data = findData?.(file, scale);
    const page = {
      svg,
      navigation: this.#navigation('../'),
      files,
      command,
      ...(own && { own }),
      ...(replaced && { replaced }),
      ...(data && { data }),
    };
    await this.write(`${place}.html`, experimentPage(experiment, rows, page));
    return { experiment, rows, href: `${place}.html`, svg, ...(data !== undefined && { data }) };
  }
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

/** Replaces the overview between the marks of a README, if it has them. */
async function renewReadme(path: string, overview: string): Promise<void> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [begin, end] = ['<!-- generated:claims -->', '<!-- /generated -->'];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) return;
  const renewed = `${text.slice(0, from + begin.length)}\n${overview}\n${text.slice(to)}`;
  if (renewed !== text) await writeFileTo(path, renewed, { isDurable: false, mode: PUBLIC });
}

/** Links to the pages that exist. */
const navigation = (up: string, isThere: (name: string) => boolean): Link[] =>
  [
    { text: 'Experiments', name: 'index.html' },
    { text: 'Reproduced claims', name: 'summary.html' },
    { text: 'Leaderboard', name: 'leaderboard.html' },
  ]
    .filter(({ name }) => isThere(name))
    .map(({ text, name }) => ({ text, href: `${up}${name}` }));

function noteOn(rows: ReportEntry['rows'], scale: Scale, of: string = 'all'): string {
  const machines = [...new Set(rows.map(({ run }) => `${run.machine}, Node ${run.node}`))];
  const commits = new Set(rows.map(({ run }) => run.commit));
  const days = rows.map(({ run }) => run.at.slice(0, 10)).toSorted();
  const when = days[0] === days.at(-1) ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
  const code = commits.size > FEW ? `${commits.size} commits` : [...commits].join(', ');
  if (rows.length === 0) return `No results yet: isolab bench ${of} --scale ${scale}`;
  return `Made by isolab bench ${of} --scale ${scale} and isolab bench report --scale ${scale}, on ${machines.join('; ')}, ${when}, at ${code}.`;
}

/**
 * Largest number of commits that are named. For more commits, results and pages of experiments show the commit of each
 * row.
 */
const FEW = 3;

const sentences = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(' ');

/** Rows without series that keep the blind spots of published tools: their verdicts are expected to differ. */
function trustedRows(rows: readonly ResultRow[], experiments: readonly ExperimentFile[]): ResultRow[] {
  const bySeries = new Map(
    experiments.flatMap(({ id, series }) => series.map((each) => [JSON.stringify([id, each.name]), each] as const)),
  );
  return rows.filter((row) => {
    const series = bySeries.get(JSON.stringify([row.experiment, row.series]));
    return row.verdict !== 'skipped' && series !== undefined && isTrusted(series);
  });
}
