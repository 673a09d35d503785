/** Generates the page of a finding as Markdown: its folder is the permanent address of the finding. */
import { levelNamed } from '@isolab/contract';
import { shellWord } from '@isolab/history';
import { escapeXml } from 'isolab/stories';
import { posix } from 'node:path';
import { AGAIN } from '../trials/again.ts';
import { NARROW_PICTURE, STORY_PICTURE } from '../trials/finding.ts';
import { TRANSACTIONS } from '../trials/results.ts';
import { type Board, type Entry, type Held, releaseOf, titleOf } from './entry.ts';
import { amountOf, cell, count, time } from './table.ts';

/** Returns the page of each finding, by the finding's name. */
export const findingPages = (board: Board): Map<string, string> =>
  new Map(board.entries.map((entry) => [entry.name, pageOf(entry, board)]));

function pageOf(entry: Entry, board: Board): string {
  const { finding, files, about } = entry;
  return `${[
    `# ${cell(titleOf(entry))} in ${cell(finding.description)}`,
    `At ${cell(finding.isolation)}, which claims ${levelNamed(finding.level).title}. [The board](../README.md) has all findings.`,
    ...(about === null ? [] : [about.trimEnd()]),
    ...(about === null ? [] : ['## The evidence']),
    ...(files.includes(STORY_PICTURE) ? [pictureOf(entry)] : []),
    factsOf(entry, board)
      .map((fact) => `- ${fact}`)
      .join('\n'),
    '## To show it again',
    `\`\`\`sh\n${commandOf(entry)}\n\`\`\``,
    ...(files.includes(TRANSACTIONS) ? [] : [`To send the same requests once: \`${cell(finding.command)}\``]),
  ].join('\n\n')}\n`;
}

/** Picture of the story, with another one for narrow pages. */
function pictureOf({ finding, files }: Entry): string {
  const narrow = files.includes(NARROW_PICTURE) ? `<source media="(max-width:60rem)" srcset="${NARROW_PICTURE}">` : '';
  return `<picture>${narrow}<img src="${STORY_PICTURE}" alt="${escapeXml(finding.summary.replaceAll('\n', ' '))}"></picture>`;
}

function factsOf({ finding, standing, files }: Entry, { held, entries }: Board): string[] {
  const link = (file: string, text: string): string[] => (files.includes(file) ? [`[${text}](${file})`] : []);
  const { trial, hunt } = finding;
  const controls = controlsThatPassed(standing.controls, entries).map((control) => controlText(control, held));
  return [
    `**What happened.** ${cell(finding.summary)}`,
    `**Found** on ${finding.at.slice(0, 10)} in history ${trial.trial} of the hunt with seed ${cell(hunt.seed)} (${hunt.drawing} draws), after ${time(finding.foundAfter)}: ${count(trial.committed, 'committed transaction')} of ${count(trial.draw.sessions, 'client')}; ${finding.shrunkTo === 1 ? '1 transaction suffices' : `${finding.shrunkTo} transactions suffice`}.`,
    ...(finding.checker === null ? [] : [`**Levels that still hold:** ${finding.satisfies.join(', ') || 'none'}`]),
    `**Files:** ${[
      ...link('story.md', 'the story'),
      ...link(TRANSACTIONS, 'the transactions'),
      ...link('shrunk.jsonl', 'the smallest part'),
      ...link('certificate.json', 'its certificate'),
      ...link('history.jsonl.gz', 'the whole history'),
      ...link('finding.json', 'all facts as JSON'),
    ].join(', ')}`,
    ...(controls.length > 0 ? [`**Control:** ${controls.join('; ')}: nothing was found.`] : []),
    ...(finding.reproduced === null || finding.reproduced === undefined
      ? []
      : [
          `**As a schedule:** ${cell(finding.reproduced)}${files.includes(AGAIN) ? ` See [the schedule](${AGAIN}).` : ''}`,
        ]),
    standing.confirmed === null
      ? '**Confirmed:** not yet, only seen here.'
      : `**Confirmed** by [a program without isolab](${posix.normalize(standing.confirmed.program)}): ${cell(standing.confirmed.says)}`,
    ...(standing.known.length > 0 ? [`**Known:** ${standing.known.map(cell).join('; ')}`] : []),
  ];
}

type Control = Entry['standing']['controls'][number];

/** A database is no longer a control if it has since shown a violation at the level that it passed. */
const controlsThatPassed = (controls: readonly Control[], all: readonly Entry[]): readonly Control[] =>
  controls.filter(
    ({ database, isolation }) =>
      !all.some(({ finding }) => finding.database.join(' ') === database && finding.isolation === isolation),
  );

function controlText({ database, isolation }: Control, held: readonly Held[]): string {
  const own = held.filter(
    (each) => each.database.join(' ') === database && each.isolation === isolation && each.undecided === undefined,
  );
  if (own.length === 0) return `${database} at ${isolation}`;
  // Totals over all key layouts, draws and faults.
  const sum = (of: (each: Held) => number): number => own.reduce((all, each) => all + of(each), 0);
  const amount = {
    hunts: own.length,
    trials: sum(({ trials }) => trials),
    committed: sum(({ committed }) => committed),
    seconds: sum(({ seconds }) => seconds),
  };
  return `${cell(own[0]!.description)} at ${cell(isolation)}, ${amountOf(amount)}`;
}

/**
 * Returns the command that most likely shows the violation again: the schedule of its statements if that did in half of
 * the trials, otherwise a hunt with its workload.
 */
function commandOf({ name, finding, files }: Entry): string {
  const { database, isolation, reproduced, trial, level } = finding;
  const to = (option: string): string => database.map((address) => `${option}${shellWord(address)}`).join(' ');
  const { workload, layout } = trial.draw;
  const laidOut = layout ? ` --layout ${shellWord(layout)}` : '';
  const [, times = '0'] = /^(\d+) of 20 trials violated/.exec(reproduced ?? '') ?? [];
  if (Number(times) >= 10 && files.includes(AGAIN))
    return `isolab reproduce reports/field/${name}/${AGAIN}/schedule.json ${to('--db ')} --isolation ${shellWord(isolation)}${laidOut} --level ${level}`;
  const { version } = releaseOf(finding);
  const words = [
    'isolab hunt',
    to(''),
    `--isolation ${shellWord(isolation)}${laidOut}`,
    `--workload ${workload}`,
    ...(version === '' ? [] : ['--for 30m']),
  ];
  return words.join(' ');
}
