import type { Case } from '../cases/case.ts';
import type { Cell } from '../play/cell.ts';
import { checkClaims } from '../play/claims.ts';
import type { LevelReport, HermitageReport } from '../play/run.ts';
import { answerText } from './answer.ts';
import { GROUPS, LEGEND, cellText, cellsOf, claimsOf, played, publishedWords } from './words.ts';

/** Returns the files of a report by name. */
export function pages(report: HermitageReport, cases: readonly Case[]): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', overview(report, cases, true)],
    ...report.levels.map((level) => [fileOf(level.name), levelPage(report, level, cases)] as const),
    ['hermitage.json', `${JSON.stringify(report)}\n`],
  ]);
}

/** Returns the table and its legend; cells link to transcripts if these exist. */
export function overview(report: HermitageReport, cases: readonly Case[], isLinked: boolean): string {
  const shown = (level: string, cell: Cell): string =>
    isLinked ? `[${cellText(cell)}](${fileOf(level)}#${anchorOf(cell.case)})` : cellText(cell);
  const names = report.levels.map(({ name }) => name);
  const tables = played(report, cases).flatMap(({ group, cases: ofGroup }) => [
    `## ${GROUPS[group]}`,
    tableOf(
      ['', '', ...names],
      ofGroup.map((each) => [
        each.name,
        each.title,
        ...cellsOf(report, each.name).map((cell, i) => shown(names[i]!, cell)),
      ]),
    ),
  ]);
  const [published, ...differences] = publishedWords(report);
  return paragraphs([
    `# Anomalies of ${escaped(report.database)}`,
    `Made by \`isolab hermitage${report.engine === undefined ? '' : ` --db ${report.engine}`}\`. A statement without an answer for ${report.waitMs} ms counts as waiting.`,
    ...tables,
    list(LEGEND.replace(/\.$/, '').split('; ').map(legendItem)),
    '## Claims of the levels',
    list(claimsOf(report, cases)),
    ...(published === undefined ? [] : ['## The published table', escaped(published)]),
    ...(differences.length === 0 ? [] : [list(differences.map(escaped))]),
  ]);
}

const legendItem = (text: string): string => text.replace(/^[^–]+(?= –)/, (name) => `**${name}**`);

/** Shows all statements that were sent at one level. */
function levelPage(report: HermitageReport, level: LevelReport, cases: readonly Case[]): string {
  const { claims } = checkClaims(level, cases);
  return paragraphs([
    `# ${escaped(report.database)} at ${escaped(level.name.toUpperCase())}`,
    `${claims === null ? 'It claims none of isolab’s levels.' : `It claims \`${claims}\`.`} Statements are in the order in which they were sent. [All levels](README.md)`,
    ...(level.session.length === 0 ? [] : [`Every session began with ${level.session.map(code).join(', ')}.`]),
    ...level.cells.flatMap((cell) => {
      const found = cases.find(({ name }) => name === cell.case);
      return found === undefined ? [] : cellParts(found, cell);
    }),
  ]);
}

function cellParts(of: Case, cell: Cell): readonly string[] {
  return [
    `## ${of.name}`,
    `${of.title[0]!.toUpperCase()}${of.title.slice(1)}. ${of.what}`,
    `**${cellText(cell)}**`,
    list(cell.why.map(escaped)),
    ...(cell.sent.length === 0 ? [] : [of.tables.map(code).join('; '), transcript(cell)]),
  ];
}

/** Shows the sessions side by side. */
export function transcript({ sent }: Pick<Cell, 'sent'>): string {
  const sessions = [...new Set(sent.map(({ session }) => session))].toSorted();
  const rows = sent.map((one, i) => [
    String(i + 1),
    ...sessions.map((session) => (session === one.session ? code(one.sql) : '')),
    escaped(answerText(one)),
  ]);
  return tableOf(['', ...sessions, 'answer'], rows);
}

const fileOf = (level: string): string => `${level.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.md`;

/** Returns the anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

export const paragraphs = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Escapes text of a database, so that it is not interpreted as markup. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ');

export const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', String.raw`\|`)}\``;
