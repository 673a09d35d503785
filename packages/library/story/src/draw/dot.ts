// The picture as text for Graphviz: a cluster per session, a record per transaction and a port per operation, as in
// Elle.

import { visibleLine } from '@isolab/history';
import type { Story, StoryEnd, StoryTransaction } from '../story/story.ts';
import { elided } from '../markup/index.ts';
import { refuseTooLarge } from './limits.ts';
import { labelOf } from './route.ts';
import { EDGE_STYLES, REFUTED_DASH } from './style.ts';

export interface DotOptions {
  /** Draws the refuted alternatives as well. */
  readonly refuted?: boolean;
}

/** Draws a story as a graph for Graphviz: transactions, and edges with their reasons. */
export function drawDot(story: Story, { refuted = false }: DotOptions = {}): string {
  refuseTooLarge(story);
  const { sessions, transactions, edges } = story;
  const nodeOf = new Map(transactions.map(({ id }, i) => [id, `t${i}`]));
  const portOf = new Map(transactions.flatMap(({ operations }) => operations.map(({ id }, i) => [id, `o${i}`])));
  const end = ({ transaction, operation }: StoryEnd): string => {
    const port = operation === undefined ? undefined : portOf.get(operation);
    return `${nodeOf.get(transaction)}${port === undefined ? '' : `:${port}`}`;
  };
  const node = (transaction: StoryTransaction): string =>
    `${nodeOf.get(transaction.id)} [label=${quoted(recordOf(transaction))}${transaction.status === 'aborted' || transaction.status === 'unknown' ? ', style="rounded,dashed"' : ''}${transaction.role === 'cycle' ? ', penwidth=2' : ''}];`;
  const lanes = sessions.map(({ id, label }, i) => {
    const inside = transactions.filter(({ session }) => session === id);
    const order = inside.map((transaction) => nodeOf.get(transaction.id)!);
    return [
      `  subgraph cluster_${i} {`,
      `    label=${quoted(escapedLabel(label))}; color="#c8ccd2";`,
      ...inside.map((transaction) => `    ${node(transaction)}`),
      // Invisible edges keep the lane in session order. Visible session edges are drawn only where the story includes
      // them.
      ...(order.length > 1 ? [`    ${order.join(' -> ')} [style=invis];`] : []),
      '  }',
    ].join('\n');
  });
  const known = new Set(sessions.map(({ id }) => id));
  const others = transactions.filter(({ session }) => session === null || !known.has(session));
  const lines = edges
    .filter(
      ({ part, onlyInStages = false, from, to }) =>
        (refuted || part !== 'refuted') && !onlyInStages && nodeOf.has(from.transaction) && nodeOf.has(to.transaction),
    )
    .map((edge) => {
      const { light, dash, width } = EDGE_STYLES[edge.kind];
      const style = edge.part === 'refuted' ? REFUTED_DASH : dash;
      const look = style === undefined ? 'solid' : edge.kind === 'real-time' ? 'dotted' : 'dashed';
      const label = `${edge.number === undefined ? '' : `${edge.number}. `}${labelOf(edge)}`;
      const bold = edge.part === 'cycle' ? width + 0.4 : width * 0.7;
      const free = edge.kind === 'anti-dependency' || edge.part === 'refuted' ? ', constraint=false' : '';
      return `  ${end(edge.from)} -> ${end(edge.to)} [label=${quoted(escapedLabel(label))}, tooltip=${quoted(escapedLabel(edge.sentence))}, color="${light}", fontcolor="${light}", style=${look}, penwidth=${bold.toFixed(1)}${free}];`;
    });
  return [
    'digraph story {',
    `  label=${quoted(escapedLabel(`${story.title}: ${story.level} is ${story.verdict}`))}; labelloc=t; fontname="Helvetica";`,
    '  rankdir=TB; nodesep=0.6;',
    '  node [shape=record, style=rounded, fontname="Courier", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...others.map((transaction) => `  ${node(transaction)}`),
    ...lanes,
    ...lines,
    '}',
    '',
  ].join('\n');
}

function recordOf({ label, operations }: StoryTransaction): string {
  const rows = operations.map(
    ({ wraps = false, text }, i) => `<o${i}> ${escapedField(elided(text, wraps ? 120 : 40))}`,
  );
  return `{${[escapedField(label), ...rows].join('|')}}`;
}

/** Escapes braces, bars, angle brackets and spaces, which have a meaning in records. */
const escapedField = (text: string): string => escapedLabel(text).replaceAll(/[{}|<> ]/g, String.raw`\$&`);

/** Escapes backslashes, which begin escapes in labels (`\N` is the name of the node), and entities. */
const escapedLabel = (text: string): string =>
  visibleLine(text.replaceAll(/[\r\n]+/g, ' '))
    .replaceAll('\\', '\\\\')
    .replaceAll('&', '&amp;');

const quoted = (text: string): string => `"${text.replaceAll('"', String.raw`\"`)}"`;
