/** Generates the page of the board as Markdown; each finding has a page of its own, in its folder. */
import {
  type Affected,
  type Board,
  type Entry,
  type Held,
  affectedBy,
  foundAt,
  heldTogether,
  releaseOf,
} from './entry.ts';
import { amountOf, cell, count, table } from './table.ts';

export function boardMarkdown(board: Board): string {
  const { entries, held } = board;
  const confirmed = entries.filter(isSettled).length;
  return `${[
    '# The board',
    'Results of `isolab hunt` on released databases. `isolab hunt board` generates this page and the page of each finding from the files beside it.',
    `${count(entries.length, 'finding')}, ${confirmed} of them confirmed by a program without isolab; ${count(held.length, 'hunt')} without findings. A finding counts as *seen here* until a second, independent program shows it. Each release links to the permanent page of its finding: what happened, the command that shows it again, evidence, controls.`,
    ...entries.flatMap(explained),
    '## Seen',
    ...(entries.length === 0 ? ['Nothing yet.'] : [seenTable(affectedBy(entries))]),
    '## Held',
    ...(held.length === 0 ? ['Nothing yet.'] : [heldTable(held)]),
  ].join('\n\n')}\n`;
}

const isSettled = ({ standing }: Entry): boolean => standing.confirmed !== null;

/** Title and first paragraph of a person's explanation, with a link to the rest. */
function explained({ name, about }: Entry): string[] {
  if (about === null) return [];
  const [title = '', first = ''] = about.split('\n\n', 2);
  return [title, `${first} [The whole finding](${name}/README.md).`];
}

function seenTable(groups: readonly Affected[]): string {
  const rows = groups.map((group) => {
    const { title, product, entries } = group;
    const { finding } = entries[0]!;
    const { settings } = releaseOf(finding);
    const releases = entries.map(
      (entry) => `[${cell(releaseOf(entry.finding).version || 'here')}](${entry.name}/README.md)`,
    );
    const known = entries.some(({ standing }) => standing.known.some((text) => PUBLISHED.test(text)));
    return [
      `**${cell(title)}**`,
      cell(product),
      releases.join(', '),
      `${cell(finding.isolation)} (${finding.level})${settings === '' ? '' : `, ${cell(settings)}`}`,
      `${entries.some(isSettled) ? 'confirmed' : 'seen here'}${known ? ', known' : ''}`,
      foundAt(group).slice(0, 10),
    ];
  });
  return table(['anomaly', 'database', 'affected releases', 'level (checked level)', 'standing', 'found'], rows);
}

/** Remarks that name a report elsewhere, unless they say that this release has none. */
const PUBLISHED = /^(?!.*\b(?:unreported|nothing published)\b).*(?:https?:\/\/|issue|reported|guide)/i;

function heldTable(held: readonly Held[]): string {
  const rows = heldTogether(held).map((each) => [
    cell([...each.database, ...worded('layout', each.layout), ...worded('faults', each.faults)].join(' ')),
    cell(each.description),
    `${cell(each.isolation ?? '')}${each.level === null ? '' : ` (${each.level})`}`,
    amountOf(each) + missingOf(each),
    `${each.drawing}, ${each.seeds.map(cell).join(' ')}`,
    each.at.slice(0, 10),
  ]);
  return table(['hunted database', 'description', 'level (checked level)', 'amount', 'draws and seeds', 'date'], rows);
}

const worded = (option: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`--${option} ${value}`];

const missingOf = ({ undecided }: Held): string =>
  undecided === undefined ? '' : `; ${undecided.histories} without a verdict: ${cell(undecided.why)}`;
