/** Exports single figures as files, drawn for a column of a paper. */
import { drawingOf, pdfOf, svgOf, tableCsv, tableMarkdown } from '@isolab/figures';
import { BenchError } from './experiment/errors.ts';
import { type ExperimentFile, type Scale, atScale } from './experiment/experiment.ts';
import { PNG_ABSENT, pngRenderer } from './png.ts';
import type { ResultRow } from './measurement/row-shape.ts';
import { latestRows } from './measurement/rows.ts';

export const FIGURE_FORMATS = ['pdf', 'svg', 'png', 'csv', 'md'] as const;
export type FigureFormat = (typeof FIGURE_FORMATS)[number];

export interface FigureExport {
  readonly rows: readonly ResultRow[];
  readonly scale: Scale;
  readonly format: FigureFormat;
  /** Width of a figure in points; the font size does not change. */
  readonly width: number;
}

/** Returns the content of the file, or the reason why there is none. */
export async function exportFigure(
  file: ExperimentFile,
  { rows, scale, format, width }: FigureExport,
): Promise<{ readonly content: string | Uint8Array } | { readonly missing: string }> {
  const own = latestRows(rows).filter((row) => row.experiment === file.id && row.run.scale === scale);
  if (own.length === 0)
    return {
      missing: `${file.id} has no results at scale ${scale}; measure them with isolab bench ${file.id} --scale ${scale}`,
    };
  const experiment = atScale(file, scale);
  if (format === 'csv') return { content: tableCsv(experiment, own) };
  if (format === 'md') return { content: tableMarkdown(experiment, own) };
  const drawing = await drawingOf(experiment, own, { column: Math.round(width * PIXELS) });
  if (drawing === null) {
    const why = file.chart === 'table' ? 'is a table' : 'has no values to draw';
    return { missing: `${file.id} ${why}; --to csv and --to md write its values` };
  }
  if (format === 'pdf') return { content: pdfOf(drawing, width) };
  const svg = svgOf(drawing, { ground: false });
  if (format === 'svg') return { content: svg };
  const drawPng = await pngRenderer();
  if (drawPng === null) throw new BenchError(PNG_ABSENT);
  return { content: drawPng(svg) };
}

/** Letters of 12 pixels are printed at 7.5 points. */
const PIXELS = 1.6;
