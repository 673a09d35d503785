// Names of series that are not isolab's own checkers: published programs, and the values of a paper.

import type { Experiment, Measurement } from './results.ts';

/** A tool whose name begins with "isolab" is our own command, run as a program. */
export const isPublished = (checker: string): boolean =>
  checker.startsWith('tool:') && !checker.startsWith('tool:isolab');

/** Suffix of the series of a published program; the rest is the name of its counterpart. */
export const PUBLISHED_MARK = ' (published program)';

/** Suffix of the values of a paper; the rest is the name of the series. */
export const PAPER_MARK = ' (paper)';

/** Returns whether a bar shows values of the paper: of a series, or of stages without a series. */
export const isPaperBar = (bar: string): boolean => bar === 'paper' || bar.endsWith(PAPER_MARK);

/** Adds the kind of a published program if the name of its series lacks it. */
export function shownSeries({ series }: Experiment, name: string): string {
  const checker = series.find((one) => one.name === name)?.checker ?? '';
  return isPublished(checker) && !name.endsWith(PUBLISHED_MARK) ? name + PUBLISHED_MARK : name;
}

export const isPublishedSeries = ({ series }: Experiment, name: string): boolean =>
  series.some((one) => one.name === name && isPublished(one.checker));

/** Reasons why programs of series are missing or not trusted here, in the words of their runs, each once. */
export function absentPrograms({ id, series }: Experiment, rows: readonly Measurement[]): string[] {
  const names = new Set(series.filter(({ checker }) => isPublished(checker)).map(({ name }) => name));
  const reasons = rows
    .filter((row) => row.experiment === id && names.has(row.series) && row.verdict === 'skipped')
    .map(({ reason }) => /^(?:absent tool|not trusted): (.*)$/.exec(reason ?? '')?.[1]);
  return [...new Set(reasons.filter((reason) => reason !== undefined))];
}
