// A story as Markdown, for job summaries and bug reports.

import { labelOf } from '../draw/route.ts';
import { hiddenNote } from '../draw/svg.ts';
import { answerRows, standingOf } from '../story/standing.ts';
import { struckLines } from '../story/struck.ts';
import type { Story, StoryEdge, StoryStage, StoryTransaction } from '../story/story.ts';
import { codeMarkdown, escapeMarkdown, fencedMarkdown } from '../markup/index.ts';

export interface MarkdownOptions {
  /** Level of the first heading; 2 by default. */
  readonly heading?: number;
}

/** Writes a story as Markdown, for an issue or a job summary. */
export function storyMarkdown(story: Story, { heading = 2 }: MarkdownOptions = {}): string {
  const { title, verdict, level, anomaly, summary, meaning = '', restsOn = '', copies, origin } = story;
  const blocks = [
    `${'#'.repeat(heading)} ${escapeMarkdown(title)}: ${escapeMarkdown(level)} is ${verdict}`,
    escapeMarkdown(summary),
    escapeMarkdown(meaning),
    escapeMarkdown(restsOn),
    facts([
      ['Anomaly', anomaly === null ? '' : [anomaly.name, ...anomaly.aliases].map(codeMarkdown).join(', ')],
      ...standingOf(story).map(([label, levels]) => [capitalised(label), levels.map(codeMarkdown).join(', ')] as const),
      ...answerRows(story).map(([label, words]) => [capitalised(label), escapeMarkdown(words)] as const),
      ['Source', origin?.source === undefined ? '' : codeMarkdown(origin.source)],
      ['Checker', origin?.checker === undefined ? '' : codeMarkdown(origin.checker)],
      ...struckLines(story).map((line) => ['Meanwhile', escapeMarkdown(line)] as const),
      ['Not shown', escapeMarkdown(hiddenNote(story))],
    ]),
    prose(story),
    transactionTable(story),
    stages(story),
    copies?.notation === undefined ? '' : `The history:\n\n${fencedMarkdown(copies.notation)}`,
    origin?.command === undefined ? '' : `To reproduce it:\n\n${fencedMarkdown(origin.command, 'sh')}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const facts = (rows: readonly (readonly [string, string])[]): string =>
  rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n');

/**
 * Writes the sentences, each followed by the reasons for its edges that no sentence states. Each reason appears once,
 * and later mentions refer to it.
 */
function prose(story: Story): string {
  const edgeOf = new Map(story.edges.map((edge) => [edge.id, edge]));
  const sentences = story.prose.map(({ text }) => text);
  const toldAt = new Map<string, number>();
  return story.prose
    .flatMap(({ text, edges }, i) => {
      const told = edges.flatMap((id) => {
        const { derivation, part } = edgeOf.get(id) ?? {};
        if (derivation === undefined || part === 'refuted') return [];
        const before = toldAt.get(id);
        if (before !== undefined) return before > i ? [] : [`why ${wayOf(story, edgeOf.get(id)!)}: see ${before}`];
        const reasons = [derivation.text, derivation.refuted?.text ?? ''].filter((one) => !isSaid(sentences, one));
        if (reasons.length > 0) toldAt.set(id, i + 1);
        return reasons;
      });
      return [`${i + 1}. ${escapeMarkdown(text)}`, ...told.map((reason) => `   - ${escapeMarkdown(reason)}`)];
    })
    .join('\n');
}

/** Returns whether consecutive sentences already state the text. */
const isSaid = (sentences: readonly string[], text: string): boolean =>
  text.split(/(?<=\.) (?=\p{Lu})/u).every((part) => {
    const bare = part.replace(/\.$/, '');
    const inside = bare.charAt(0).toLowerCase() + bare.slice(1);
    return sentences.some((sentence) => sentence.includes(bare) || sentence.includes(inside));
  });

/** Short form of an edge: "T1 →RW x→ T2". */
function wayOf({ transactions }: Story, edge: StoryEdge): string {
  const name = (id: string): string => transactions.find((transaction) => transaction.id === id)?.label ?? id;
  return `${name(edge.from.transaction)} →${labelOf(edge)}→ ${name(edge.to.transaction)}`;
}

function stages(story: Story): string {
  const { stages: all = [], edges } = story;
  if (all.length === 0) return '';
  const row = ({ text, edges: shown, uncertain = [] }: StoryStage): string => {
    const ways = edges
      .filter(({ id }) => shown.includes(id))
      .map((edge) => `${wayOf(story, edge)}${uncertain.includes(edge.id) ? ' ?' : ''}`);
    return `- ${escapeMarkdown(text)} ${ways.map(codeMarkdown).join(', ')}`;
  };
  return ['The stages of the interpretation; `?` marks edges that are still uncertain:', '', ...all.map(row)].join(
    '\n',
  );
}

function transactionTable({ transactions, sessions }: Story): string {
  const labelOfSession = new Map(sessions.map(({ id, label }) => [id, label]));
  const shown = transactions.filter(({ role, status }) => role !== 'context' && status !== 'initial');
  if (shown.length === 0) return '';
  const row = ({ label, session, status, operations, place }: StoryTransaction): string => {
    const cells = [
      escapeMarkdown(label) + (status === 'aborted' || status === 'unknown' ? ` (${status})` : ''),
      escapeMarkdown(session === null ? '' : (labelOfSession.get(session) ?? session)),
      operations.map(({ text }) => codeMarkdown(text)).join(' '),
      escapeMarkdown(place ?? operations.find((operation) => operation.place !== undefined)?.place ?? ''),
    ];
    return `| ${cells.join(' | ')} |`;
  };
  return ['| transaction | session | operations | place |', '| --- | --- | --- | --- |', ...shown.map(row)].join('\n');
}
