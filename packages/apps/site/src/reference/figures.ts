/** Figures of the papers' pages for phones, drawn from the rows of reports/results: as wide as a phone, legend below. */
import { atScale, latestRows, loadExperiments, readRows, resultsFile } from '@isolab/experiments';
import { drawingOf, svgOf } from '@isolab/figures';
import { join } from 'node:path';
import type { Picture } from './gallery-entry.ts';

/** Draws each figure that the repository keeps at scale laptop; the path is that of its wide form. */
export async function narrowFigures(root: string): Promise<Picture[]> {
  const rows = latestRows(readRows(resultsFile(join(root, 'reports'), SCALE)));
  const pictures: Picture[] = [];
  for (const file of loadExperiments(join(root, 'benchmarks'))) {
    const own = rows.filter(({ experiment }) => experiment === file.id);
    const drawing = await drawingOf(atScale(file, SCALE), own, { column: PHONE });
    if (drawing !== null) pictures.push({ path: `reports/${SCALE}/${file.id}.svg`, content: svgOf(drawing) });
  }
  return pictures;
}

const SCALE = 'laptop';
/** Width of the text on a phone, in pixels. */
const PHONE = 360;
