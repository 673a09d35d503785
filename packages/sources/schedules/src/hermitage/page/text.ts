import type { Case } from '../cases/case.ts';
import type { Cell } from '../play/cell.ts';
import type { Sent } from '../play/sessions.ts';
import type { HermitageReport } from '../play/run.ts';
import { answerText } from './answer.ts';
import { GROUPS, LEGEND, cellText, cellsOf, claimsOf, played, publishedWords } from './words.ts';

/** Returns the table as rows of cells, with single lines between them. */
export function tableRows(report: HermitageReport, cases: readonly Case[]): readonly (readonly string[])[] {
  return [
    ['', '', ...report.levels.map(({ name }) => name)],
    ...played(report, cases).flatMap(({ group, cases: ofGroup }) => [
      [GROUPS[group]],
      ...ofGroup.map((each) => [`  ${each.name}`, each.title, ...cellsOf(report, each.name).map(cellText)]),
    ]),
  ];
}

/** Explains the results in the table. */
export function remarks(report: HermitageReport, cases: readonly Case[]): readonly string[] {
  const unknown = unknownWords(report);
  const claims = claimsOf(report, cases);
  const published = publishedWords(report);
  return [LEGEND, ...unknown, ...claims, ...published];
}

/** Lists the unknown cells, grouped by reason. */
function unknownWords({ levels }: HermitageReport): readonly string[] {
  const cells = new Map<string, string[]>();
  for (const level of levels)
    for (const { case: name, outcome, why } of level.cells) {
      if (outcome !== 'unknown') continue;
      const reason = why.join('; ');
      cells.set(reason, [...(cells.get(reason) ?? []), `${name} at ${level.name.toUpperCase()}`]);
    }
  return [...cells].map(([reason, names]) => `Unknown, ${reason}: ${names.join('; ')}.`);
}

/** Shows a cell with all statements that were sent. */
export const transcriptLines = (cell: Cell): readonly string[] => [
  `${cellText(cell)}: ${cell.why.join('; ')}`,
  ...sentLines(cell.sent),
];

/** Returns statements with their answers, one per line. */
export const sentLines = (sent: readonly Sent[]): readonly string[] =>
  sent.map((one, i) => `${String(i + 1).padStart(4)}  ${one.session}  ${one.sql}  →  ${answerText(one)}`);
