/** Prints the meaning of an anomaly, a level or a word of a verdict, its history, the databases that forbid it, and a remedy. */
import { existsSync } from 'node:fs';
import { ENGINES } from '@isolab/engines';
import { type LevelName, check, open } from 'isolab/check';
import { type Explained, explainable, explained } from 'isolab/levels';
import { didYouMean, shellPath, visibleLine } from 'isolab/skin';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';
import { tellBriefly } from './story.ts';

export async function explainName(word: string, output: string, printer: Printer): Promise<number> {
  const found = existsSync(word) ? null : explained(word, ENGINES);
  if (found === null) throw new UsageError(whyNot(word));
  if (output === 'json') printer.out(toJson(found));
  else for (const lines of await partsOf(found, printer)) printer.out(lines);
  return ExitCode.Satisfied;
}

function whyNot(word: string): string {
  if (existsSync(word)) {
    const path = shellPath(word);
    const other = explained(word, ENGINES) === null ? '' : ` ${path} is also a name, explained in any other folder.`;
    return `isolab explain ${path} needs a file to write: isolab explain ${path} page.html --level LEVEL.${other}`;
  }
  const nearest = didYouMean(word, explainable());
  return `${visibleLine(word)} is neither a file nor the name of an anomaly, a level or a verdict; ${nearest}isolab list levels and isolab list anomalies list them.`;
}

async function partsOf(found: Explained, { style }: Printer): Promise<string[]> {
  const { kind, name, title, aliases, remedy, databases } = found;
  const examples = await example(found, style);
  const isNamed = examples.length > 1 && kind === 'anomaly'; // the story has the other names
  const others = isNamed || aliases.length === 0 ? [] : [style.dim(`Also called ${aliases.join(', ')}.`)];
  return [
    [`${style.bold(name)}: ${title}`, ...others].join('\n'),
    ...examples,
    [
      ...relations(found),
      ...(remedy === null ? [] : [`${kind === 'verdict' ? 'What to do' : 'Remedy'}: ${remedy}`]),
    ].join('\n'),
    databases.length === 0 ? '' : databasesOf(found),
  ]
    .filter((part) => part !== '')
    .flatMap((part, i) => (i === 0 ? [part] : ['', part]));
}

function relations({ kind, levels, stronger, anomalies }: Explained): string[] {
  const sentences: readonly (readonly [string, readonly string[]])[] = [
    [kind === 'anomaly' ? 'Weakest levels that forbid it' : 'Next weaker levels', levels],
    ['Next stronger levels', stronger],
    ['Forbids, unlike these weaker levels', anomalies],
  ];
  return sentences.flatMap(([label, names]) => (names.length === 0 ? [] : [`${label}: ${names.join(', ')}.`]));
}

/** Names the databases with levels of both kinds one by one, and the others together. */
function databasesOf({ kind, databases }: Explained): string {
  const [yes, no] = kind === 'anomaly' ? ['forbidden', 'allowed'] : ['kept', 'not promised'];
  const mixed = databases.filter(({ forbid, allow }) => forbid.length > 0 && allow.length > 0);
  const rows = mixed.map(({ database, forbid, allow }) => [`  ${database}`, forbid.join(', '), allow.join(', ')]);
  const groups = [
    [`always ${yes}`, databases.filter(({ allow }) => allow.length === 0)],
    [`always ${no}`, databases.filter(({ forbid }) => forbid.length === 0)],
  ] as const;
  return [
    ...(rows.length === 0 ? [] : [table([['By the claims of', `${yes} at`, `${no} at`], ...rows])]),
    ...groups.flatMap(([words, of]) =>
      of.length === 0 ? [] : [`  ${words}: ${of.map(({ database }) => database).join('; ')}`],
    ),
  ].join('\n');
}

/** Returns the smallest history, and the story of its violation. */
async function example({ kind, name, levels, history }: Explained, style: Printer['style']): Promise<string[]> {
  if (history === null) return [];
  const level = kind === 'level' ? (name as LevelName) : (levels.at(-1) ?? 'cut-isolation');
  const input = await open({ text: history }, { format: 'notation' });
  const result = await check(input, { level, allowVacuous: true });
  const { stories } = await import('isolab');
  const [told] = (await stories(input, result)).stories;
  const indented = history.split('\n').map((line) => `  ${line}`);
  return [indented.join('\n'), ...(told === undefined ? [] : [await tellBriefly(told, style)])];
}
