// A story as Markdown: for the summary of a job, and for the report of a bug.

import { hiddenNote } from './draw/svg.ts';
import type { Story, StoryTransaction } from './story.ts';
import { codeMarkdown, escapeMarkdown, fencedMarkdown } from './text.ts';

export interface MarkdownOptions {
  /** The level of the first heading: 2 by default. */
  readonly heading?: number;
}

export function storyMarkdown(story: Story, { heading = 2 }: MarkdownOptions = {}): string {
  const { title, verdict, level, anomaly, summary, ruledOut = [], leftStanding = [], copies, origin } = story;
  const blocks = [
    `${'#'.repeat(heading)} ${escapeMarkdown(title)}: ${escapeMarkdown(level)} is ${verdict}`,
    escapeMarkdown(summary),
    facts([
      ['Anomaly', anomaly === null ? '' : [anomaly.name, ...anomaly.aliases].map(codeMarkdown).join(', ')],
      ['Rules out', ruledOut.map(codeMarkdown).join(', ')],
      ['Leaves standing', leftStanding.map(codeMarkdown).join(', ')],
      ['Source', origin?.source === undefined ? '' : codeMarkdown(origin.source)],
      ['Checker', origin?.checker === undefined ? '' : codeMarkdown(origin.checker)],
      ['Not shown', escapeMarkdown(hiddenNote(story))],
    ]),
    story.prose.map((sentence, i) => proseLine(story, sentence, i + 1)).join('\n'),
    transactionTable(story),
    copies?.notation === undefined ? '' : `The history:\n\n${fencedMarkdown(copies.notation)}`,
    origin?.command === undefined ? '' : `To see it again:\n\n${fencedMarkdown(origin.command, 'sh')}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const facts = (rows: readonly (readonly [string, string])[]): string =>
  rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n');

/** A sentence, and below it why its edges hold. */
function proseLine(story: Story, { text, edges }: Story['prose'][number], number: number): string {
  const reasons = edges.flatMap((id) => {
    const derivation = story.edges.find((edge) => edge.id === id)?.derivation;
    if (derivation === undefined) return [];
    return [derivation.text, ...(derivation.refuted === undefined ? [] : [derivation.refuted.text])];
  });
  const lines = [...new Set(reasons)].map((reason) => `   - ${escapeMarkdown(reason)}`);
  return [`${number}. ${escapeMarkdown(text)}`, ...lines].join('\n');
}

function transactionTable({ transactions, sessions }: Story): string {
  const labelOf = new Map(sessions.map(({ id, label }) => [id, label]));
  const shown = transactions.filter(({ role }) => role !== 'context');
  if (shown.length === 0) return '';
  const row = ({ label, session, status, operations, place }: StoryTransaction): string => {
    const cells = [
      escapeMarkdown(label) + (status === 'aborted' || status === 'unknown' ? ` (${status})` : ''),
      escapeMarkdown(session === null ? '' : (labelOf.get(session) ?? session)),
      operations.map(({ text }) => codeMarkdown(text)).join(' '),
      escapeMarkdown(place ?? operations.find((operation) => operation.place !== undefined)?.place ?? ''),
    ];
    return `| ${cells.join(' | ')} |`;
  };
  return ['| transaction | session | operations | place |', '| --- | --- | --- | --- |', ...shown.map(row)].join('\n');
}
