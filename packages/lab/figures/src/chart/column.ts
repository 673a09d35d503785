// Charts as wide as a column of a paper, with the legend below the plot, where it takes no width.

import type { Spec } from './axes.ts';
import { CONFIG } from './look.ts';
import { textWidth } from './text-width.ts';

/** Size of the plot alone. */
export const plotIn = (column: number): { width: number; height: number } => ({
  width: column - BESIDE_PLOT,
  height: Math.min(300, Math.round(column * 0.55)),
});

/** Width of the y axis's numbers and title. */
const BESIDE_PLOT = 76;

/** Fits the whole figure into the width; a figure with facet columns only approximately. */
export function inColumn(spec: Spec, width: number, names: readonly string[]): Spec {
  const fit = 'facet' in spec ? {} : { width, autosize: { type: 'fit-x', contains: 'padding' } };
  const legend = { ...CONFIG.legend, orient: 'bottom', columns: columnsFor(names, width), layout: LEGENDS_BELOW };
  return { ...spec, ...fit, padding: 2, config: { ...CONFIG, legend } };
}

const LEGENDS_BELOW = { bottom: { anchor: 'start', direction: 'vertical', margin: 4 } };

/** Number of legend columns: the largest number of names that fit side by side. */
function columnsFor(names: readonly string[], width: number): number {
  const widest = Math.max(0, ...names.map((name) => textWidth(name, CONFIG.legend.labelFontSize))) + BESIDE_NAME;
  return Math.max(1, Math.min(4, Math.floor((width - BESIDE_LEGEND) / widest)));
}

/** Width of the symbol before a name and of the gap after the name. */
const BESIDE_NAME = 32;
const BESIDE_LEGEND = 60;
