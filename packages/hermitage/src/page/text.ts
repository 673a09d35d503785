import type { Case } from '../case.ts';
import type { Cell } from '../cell.ts';
import type { Report } from '../run.ts';
import { answerText } from './answer.ts';
import { GROUPS, LEGEND, cellText, cellsOf, claimsOf, played, publishedWords } from './words.ts';

/** The table as text: rows of cells, and lines that stand alone. */
export function tableRows(report: Report, cases: readonly Case[]): readonly (readonly string[])[] {
  return [
    ['', '', ...report.levels.map(({ name }) => name)],
    ...played(report, cases).flatMap(({ group, cases: ofGroup }) => [
      [GROUPS[group]],
      ...ofGroup.map((each) => [`  ${each.name}`, each.title, ...cellsOf(report, each.name).map(cellText)]),
    ]),
  ];
}

/** What the table means. */
export function remarks(report: Report, cases: readonly Case[]): readonly string[] {
  const unknown = report.levels.flatMap(({ name, cells }) =>
    cells
      .filter(({ outcome }) => outcome === 'unknown')
      .map((cell) => `${cell.case} at ${name.toUpperCase()} is unknown: ${cell.why.join('; ')}`),
  );
  const claims = claimsOf(report, cases);
  const published = publishedWords(report);
  return [LEGEND, ...unknown, ...claims, ...published];
}

/** One cell with all that was sent. */
export function transcriptLines(cell: Cell): readonly string[] {
  return [
    `${cellText(cell)}: ${cell.why.join('; ')}`,
    ...cell.sent.map((one, i) => `${String(i + 1).padStart(4)}  ${one.session}  ${one.sql}  →  ${answerText(one)}`),
  ];
}
