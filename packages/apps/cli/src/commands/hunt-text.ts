/** Results of a hunt in words. */
import { type Chances, type Summary, type Together, below } from '@isolab/hunt';
import { visibleLine } from 'isolab/skin';
import { type Printer, count, table } from '../terminal/print.ts';

/** Prints the result of a hunt. */
export function tell(summary: Summary, folder: string, printer: Printer): void {
  const { verdict, trials, violated, empty, committed, aborted, seconds, reason, together } = summary;
  const level =
    summary.level ??
    (verdict === 'violated'
      ? summary.levels
          .filter((one) => one.violated > 0)
          .map((one) => one.level)
          .join(', ')
      : 'its level');
  const tried = `${count(trials, 'history', 'histories')} of ${count(committed, 'committed transaction')} (${aborted} aborted) in ${time(seconds)}`;
  const said =
    verdict === 'violated'
      ? `${violated} of ${tried} ${violated === 1 ? 'violates' : 'violate'} ${level}`
      : verdict === 'satisfied'
        ? `none of ${tried} violates ${level}${empty > 0 ? `; ${empty} of them could not show a violation with any database` : ''}`
        : `no verdict after ${tried}: ${reason}`;
  for (const line of worthText(summary)) printer.out(line);
  printer.out(visibleLine(`${folder}: ${said}.`));
  if (together !== undefined) printer.out(togetherText(together, level));
  if (verdict !== 'violated') printer.note(`--resume ${folder} continues the hunt within its limits.`);
}

/** Returns the histories of each level, and the table of chances. */
function worthText({ levels, leftOut, chances }: Summary): string[] {
  const lines = levels.map(({ isolation, level, trials, committed, violated, undecided }) => {
    const out = leftOut.find((one) => one.isolation === isolation && one.what === null);
    const parts = [
      `${count(trials, 'history', 'histories')} of ${count(committed, 'committed transaction')}`,
      ...(violated > 0 ? [`${violated} violated`] : []),
      ...(undecided > 0 ? [`${undecided} undecided`] : []),
      ...(out ? [`left out: ${visibleLine(out.why)}`] : []),
    ];
    return `${isolation} (${level}): ${parts.join('; ')}`;
  });
  if (chances.length === 0) return ['', ...lines];
  const kinds = [...new Set(chances.map(({ data }) => data))];
  const isSame = (one: Chances, other: Chances): boolean =>
    one.isolation === other.isolation && one.anomaly === other.anomaly;
  const rows = chances.filter((one, i) => chances.findIndex((other) => isSame(one, other)) === i);
  const body = rows.map((row) => {
    const { isolation, anomaly } = row;
    const counts = kinds.map((kind) => chances.find((one) => isSame(one, row) && one.data === kind)?.count ?? 0);
    const total = counts.reduce((sum, one) => sum + one, 0);
    return [isolation, anomaly, ...counts.map((one) => one.toLocaleString('en')), `below ${rateText(below(total))}`];
  });
  const head = ['level', 'chances of a', ...kinds, 'rate at 95 %'];
  return [
    '',
    ...lines,
    '',
    table([head, ...body]),
    'No chance was taken. The rate is the rule of three: 3 / chances.',
    '',
  ];
}

const rateText = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

function togetherText(
  { workers, active, trials, violated, undecided, committed, open }: Together,
  level: string | null,
): string {
  const parts = [
    `${violated} of ${count(trials, 'history', 'histories')} of ${count(committed, 'committed transaction')} ${violated === 1 ? 'violates' : 'violate'} ${level}`,
    ...(undecided > 0 ? [`${undecided} could not be decided`] : []),
    ...(open > 0
      ? [
          `${open} have not been checked, because ${active > 0 ? 'other workers are still hunting' : 'their workers are gone'}`,
        ]
      : []),
  ];
  return `${count(workers, 'worker')} together: ${parts.join('; ')}.`;
}

export const time = (seconds: number): string =>
  seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`;
