import type { Case, Group } from '../cases/case.ts';
import type { Cell } from '../play/cell.ts';
import { claimText, checkClaims } from '../play/claims.ts';
import { comparable, differencesFrom, publishedOf } from '../play/published.ts';
import type { HermitageReport } from '../play/run.ts';

export const GROUPS: Readonly<Record<Group, string>> = {
  hermitage: 'Cases of Hermitage',
  applications: 'Cases of applications',
};

/** Formats a cell as `prevented: wait`. */
export const cellText = ({ outcome, by }: Cell): string => (by === null ? outcome : `${outcome}: ${by}`);

export const claimsOf = (report: HermitageReport, cases: readonly Case[]): readonly string[] =>
  report.levels.map((level) => claimText(checkClaims(level, cases)));

/** Compares the results with the published table; no sentences if none is published. */
export function publishedWords(report: HermitageReport): readonly string[] {
  const published = publishedOf(report.database);
  const compared = published === null ? 0 : comparable(published, report);
  if (published === null || compared === 0) return [];
  const differences = differencesFrom(published, report);
  const head = `Published of ${published.of}: ${published.source}`;
  const count = `${compared - differences.length} of ${compared} cells are the same`;
  if (differences.length === 0) return [`${head}; ${compared} cells can be compared, and all are the same.`];
  return [
    `${head}; ${count}.`,
    ...differences.map(
      (one) => `${one.case} at ${one.isolation.toUpperCase()}: published: ${one.published}; here: ${one.here}`,
    ),
  ];
}

export const cellsOf = (report: HermitageReport, name: string): readonly Cell[] =>
  report.levels.map(({ cells }) => cells.find((cell) => cell.case === name)!);

/** Returns the cases that were played, by group, in the order of the table. */
export function played(
  report: HermitageReport,
  cases: readonly Case[],
): readonly { group: Group; cases: readonly Case[] }[] {
  const names = new Set(report.levels.flatMap(({ cells }) => cells.map((cell) => cell.case)));
  return (Object.keys(GROUPS) as Group[])
    .map((group) => ({ group, cases: cases.filter((each) => each.group === group && names.has(each.name)) }))
    .filter((each) => each.cases.length > 0);
}

export const LEGEND =
  'prevented: abort – the database refused a transaction; prevented: wait – a statement waited until another transaction had ended; prevented: reads – all committed, and the reads were right; possible – all committed, and the reads show the anomaly; unknown – the case could not be decided.';
