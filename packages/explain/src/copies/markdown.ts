import type { Story, StorySentence } from '@isolab/visualise';

/** A story as the text of an issue: what, why, the history in notation, and how to see it again. */
export function printMarkdown(story: Story): string {
  const { title, summary, prose, anomaly, ruledOut = [], leftStanding = [], copies, hidden, origin } = story;
  const parts = [
    `## ${escape(title)}`,
    escape(summary),
    anomaly && anomaly.aliases.length > 0
      ? `*${escape(anomaly.name)}*, also called ${escape(anomaly.aliases.join(', '))}.`
      : '',
    prose.map((sentence, i) => `${i + 1}. ${escape(textOf(sentence))}`).join('\n'),
    copies?.notation === undefined ? '' : fenced(copies.notation),
    ruledOut.length > 0
      ? `Ruled out: ${ruledOut.join(', ')}${leftStanding.length > 0 ? `. Left standing: ${leftStanding.join(', ')}` : ''}.`
      : '',
    hidden
      ? `Not shown: ${hidden.transactions} transactions${hidden.reason === undefined ? '' : ` (${escape(hidden.reason)})`}.`
      : '',
    origin?.command === undefined ? '' : fenced(origin.command),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const textOf = ({ text }: StorySentence): string => text.replaceAll('\n', ' ');

/** So that keys and values do not become markup. */
const escape = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>#|~@]/g, (character) => `\\${character}`);

/** Fenced by more backticks than the text has in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
