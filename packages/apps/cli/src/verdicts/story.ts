import type { Story } from 'isolab';
import { capitalised } from 'isolab/skin';
import type { Style } from '../terminal/print.ts';

/**
 * Prints a story on the terminal: the events, the anomaly, the consequences for levels, and the reasons step by step.
 */
export async function tellStory(story: Story, style: Style): Promise<string> {
  const { hiddenNote, standingOf, struckLines } = await import('isolab/stories');
  const { title, summary, meaning, anomaly, prose, copies } = story;
  const hidden = hiddenNote(story);
  const names = anomaly === null ? [] : [anomaly.name, ...anomaly.aliases];
  const facts = [
    ...(meaning === undefined ? [] : [meaning]),
    ...(names.length === 0 ? [] : [`Also called ${names.join(', ')}.`]),
    ...standingOf(story).map(([label, levels]) => `${capitalised(label)} ${levels.join(', ')}.`),
    ...struckLines(story).map((line) => `Meanwhile ${line}.`),
  ];
  return [
    `${style.red(title)}: ${style.bold(summary)}`,
    ...facts.map((line) => style.dim(`  ${line}`)),
    '',
    ...prose.map(({ text }, i) => `  ${String(i + 1).padStart(2)}. ${text}`),
    ...(copies?.notation === undefined ? [] : ['', ...copies.notation.split('\n').map((line) => `      ${line}`)]),
    ...(hidden === '' ? [] : ['', style.dim(`  ${hidden}.`)]),
  ].join('\n');
}

/** Prints a story in a few lines: the events, and the transactions that the violation needs. */
export async function tellBriefly(story: Story, style: Style): Promise<string> {
  const { standingOf, struckLines } = await import('isolab/stories');
  const { title, summary, anomaly, sessions } = story;
  const names = anomaly === null ? [] : [anomaly.name, ...anomaly.aliases];
  const facts = [
    ...(names.length === 0 ? [] : [`Also called ${names.join(', ')}.`]),
    ...standingOf(story).map(([label, levels]) => `${capitalised(label)} ${levels.join(', ')}.`),
    ...struckLines(story).map((line) => `Meanwhile ${line}.`),
  ];
  const shown = story.transactions.filter(({ role, session }) => role !== 'context' && session !== null);
  const rows = shown.map((transaction) => {
    const session = sessions.find(({ id }) => id === transaction.session);
    const where = [session?.label, transaction.name, transaction.place].filter((word) => word !== undefined);
    return [transaction.label, where.join(', '), operationsOf(transaction, style)] as const;
  });
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const [wide, wider] = [width(0), width(1)];
  return [
    `${style.red(title)}: ${style.bold(summary)}`,
    '',
    ...rows.map(
      ([label, where, operations]) =>
        `  ${label.padEnd(wide)}  ${style.dim(where.padEnd(wider))}  ${style.dim('│')} ${operations}`,
    ),
    '',
    ...facts.map((line) => style.dim(`  ${line}`)),
  ].join('\n');
}

/** For a long transaction, only the operations that take part in the violation are printed. */
function operationsOf({ operations, status }: Story['transactions'][number], style: Style): string {
  const isShort = operations.length <= SHOWN_WHOLE;
  const texts = operations.map(({ text, role }) => {
    if (role === 'read') return style.red(`[${text}]`);
    if (role === 'write') return style.yellow(`<${text}>`);
    return isShort || role === 'cycle' ? text : '…';
  });
  return `${texts.filter((text, i) => text !== '…' || texts[i - 1] !== '…').join('  ')}${status === 'committed' ? '' : style.yellow(`  ${status}`)}`;
}

const SHOWN_WHOLE = 8;
