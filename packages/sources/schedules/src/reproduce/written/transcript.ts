import { type Account, expectedText, headOf, observedText } from './account.ts';

/** Shows the terminals side by side, in Markdown. */
export function transcript(account: Account): string {
  const { schedule, script, level, database, observed } = account;
  const terminals = Array.from({ length: schedule.terminals }, (_, terminal) => {
    const names = schedule.transactions.filter((one) => one.terminal === terminal).map(({ name }) => name);
    return `terminal ${terminal + 1} (${names.join(', ')})`;
  });
  const order = schedule.steps
    .map((_, step) => step)
    .toSorted((a, b) => (observed[a]!.sent ?? Infinity) - (observed[b]!.sent ?? Infinity) || a - b);
  const rows = order.map((step, i) => {
    const cells = terminals.map((_, terminal) =>
      schedule.steps[step]!.terminal === terminal ? script.steps[step]!.map(code).join('<br>then, if possible: ') : '',
    );
    return row([String(i + 1), ...cells, cell(expectedText(account, step)), cell(observedText(account, step))]);
  });
  const [first, ...rest] = headOf(account);
  return `${[
    `# ${level}, violated again`,
    '',
    cell(first!),
    '',
    ...rest.flatMap((line) => [cell(line), '']),
    ...before(account),
    'Statements in the order in which they were sent; a statement that waits is answered later.',
    '',
    row(['', ...terminals, 'a correct database', cell(database)]),
    row(['---:', ...terminals.map(() => '---'), '---', '---']),
    ...rows,
  ].join('\n')}\n`;
}

function before({ script }: Account): string[] {
  if (script.before.length === 0 && script.session.length === 0) return [];
  const fence = script.isSql ? '```sql' : '```text';
  const end = script.isSql ? ';' : '';
  const block = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, '', fence, ...lines.map((line) => `${line.trim()}${end}`), '```', ''];
  return [...block('Before:', script.before), ...block('Every terminal begins with:', script.session)];
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Escapes text for a table cell. */
const cell = (text: string): string => text.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll(/\s+/g, ' ');

const code = (text: string): string =>
  `\`${text.replaceAll('`', "'").replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')}\``;
