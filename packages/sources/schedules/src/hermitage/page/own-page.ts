import type { OwnLevel, OwnReport } from '../own/own.ts';
import { code, escaped, paragraphs, tableOf, transcript } from './markdown.ts';

/** Returns the table, one row per level. */
export const ownRows = ({ levels }: OwnReport): readonly (readonly string[])[] => [
  ['level', 'claims', 'anomaly', 'schedules', 'refused in', 'waited in'],
  ...levels.map(({ name, claims, outcome, played, of, refused, waited }) => [
    name,
    claims ?? '–',
    outcome,
    `${played} of ${of}`,
    String(refused),
    String(waited),
  ]),
];

export function ownSentence({ name, outcome, played, of, why }: OwnLevel): string {
  const level = name.toUpperCase();
  if (outcome === 'possible') return `${level} does not make these transactions safe: ${why.join('; ')}.`;
  if (outcome === 'unknown') return `The result at ${level} is unknown: ${why.join('; ')}.`;
  const share = played === of ? `all ${of} schedules` : `${played} of ${of} schedules`;
  return `${level}: in ${share}, the committed transactions match a serial order.`;
}

/** Returns the table and the decisive schedule of each level. */
export function ownPage(report: OwnReport): string {
  const [head, ...rows] = ownRows(report);
  return paragraphs([
    `# Transactions of ${escaped(report.database)}`,
    `Made by \`isolab hermitage FILE${report.engine === undefined ? '' : ` --db ${report.engine}`}\`. A statement without an answer for ${report.waitMs} ms counts as waiting.`,
    report.tables.map(code).join('; '),
    tableOf(
      head!,
      rows.map((row) => row.map(escaped)),
    ),
    ...report.levels.flatMap((level) => [
      `## ${escaped(level.name)}`,
      escaped(ownSentence(level)),
      ...(level.sent.length === 0 ? [] : [transcript(level)]),
    ]),
  ]);
}
