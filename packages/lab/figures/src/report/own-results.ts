// Compares local measurements with the measurements of the repository that they replace.

import { type Column, escapeXml, htmlTable, plural } from '@isolab/story/markup';
import { type Point, pointsHere, shown, shownPoint, unitOf } from '../chart/points.ts';
import type { Experiment, Measurement } from '../results/results.ts';

export interface OwnResults {
  /** Local rows among all rows; absent if only the repository's are shown. */
  readonly own?: readonly Measurement[];
  /** Rows of the repository that they replace. */
  readonly replaced?: readonly Measurement[];
}

/** States whether the results of a page are local; empty if all are the repository's by intent. */
export function ownText({ own, replaced = [] }: OwnResults, rows: readonly Measurement[]): string {
  if (own === undefined || rows.length === 0) return '';
  const isOwn = new Set(own);
  const mine = rows.filter((row) => isOwn.has(row));
  if (mine.length === 0) return 'None of the results is your own: all come with the repository.';
  const all = mine.length === rows.length;
  const begin = all
    ? 'All results are your own'
    : `${plural(mine.length, 'result')} ${mine.length === 1 ? 'is' : 'are'} your own`;
  const rest = all ? '' : '; all other results come with the repository';
  const ids = new Set(mine.map(({ experiment }) => experiment));
  const theirs = replaced.filter(({ experiment }) => ids.has(experiment));
  if (theirs.length === 0) return `${begin}${rest}.`;
  const last = (of: readonly Measurement[]): string => of.reduce((at, { run }) => (run.at > at ? run.at : at), '');
  const isOld = last(mine) < last(theirs);
  const old = isOld
    ? ' The repository’s results are newer: run isolab bench again, or delete reports/local to see them.'
    : '';
  return `${begin}, in place of the repository’s results at the same points${rest}.${old}`;
}

/** Table of the local value and the repository's at each point that both have measured. */
export function besideTable(experiment: Experiment, { own = [], replaced = [] }: OwnResults): string {
  const points = (rows: readonly Measurement[]): Point[] =>
    pointsHere(
      experiment,
      rows.filter((row) => row.experiment === experiment.id && row.verdict !== 'skipped'),
    );
  const theirs = points(replaced);
  const pairs = points(own).flatMap((mine) => {
    const other = theirs.find(({ series, x }) => series === mine.series && x === mine.x);
    return other === undefined ? [] : [{ mine, other }];
  });
  if (pairs.length === 0) return '';
  const unit = unitOf(experiment.y.metric);
  const columns: Column<(typeof pairs)[number]>[] = [
    { head: experiment.x.label, cell: ({ mine }) => `<b>${escapeXml(String(mine.x))}</b>` },
    { head: 'series', cell: ({ mine }) => escapeXml(mine.series) },
    { head: 'yours', cell: ({ mine }) => escapeXml(shownPoint(mine, unit)), isNumber: true },
    { head: 'the repository’s', cell: ({ other }) => escapeXml(shownPoint(other, unit)), isNumber: true },
    { head: 'ratio', cell: ({ mine, other }) => ratio(mine, other), isNumber: true },
  ];
  return htmlTable(`${experiment.y.label}: your results beside the repository’s`, columns, pairs);
}

/** Ratio of two measured values; a limit is not a value. */
const ratio = (mine: Point, other: Point): string =>
  mine.value === null || !other.value || mine.isLimit || other.isLimit ? '' : `${shown(mine.value / other.value, '')}×`;
