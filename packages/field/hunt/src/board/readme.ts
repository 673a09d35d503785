/** Generates the board's page as Markdown. */
import { levelNamed } from '@isolab/contract';
import { visibleLine } from '@isolab/history';
import { posix } from 'node:path';
import { AGAIN } from '../trials/again.ts';
import { type Board, type Entry, type Held, type HeldTogether, heldTogether } from './entry.ts';

export function boardMarkdown(board: Board): string {
  const { held } = board;
  const entries = board.entries.map((entry) => withControlsThatPassed(entry, board.entries));
  const isSettled = ({ standing }: Entry): boolean => standing.confirmed !== null;
  const confirmed = entries.filter(isSettled).length;
  return `${[
    '# The board',
    'Results of `isolab hunt` on released databases. `isolab hunt board` generates this page from the files beside it.',
    `${count(entries.length, 'finding')}, ${confirmed} of them confirmed by a program without isolab; ${count(held.length, 'hunt')} without findings. A finding counts as *seen here* until a second, independent program shows it.`,
    '## Seen',
    ...(entries.length === 0 ? ['Nothing yet.'] : [seenTable(entries)]),
    ...entries.flatMap((entry) => detailsOf(entry, held)),
    '## Held',
    ...(held.length === 0 ? ['Nothing yet.'] : [heldTable(held)]),
  ].join('\n\n')}\n`;
}

/** A database is no longer a control if it has since shown a violation at the level that it passed. */
function withControlsThatPassed(entry: Entry, all: readonly Entry[]): Entry {
  const passed = entry.standing.controls.filter(
    ({ database, isolation }) =>
      !all.some(({ finding }) => finding.database.join(' ') === database && finding.isolation === isolation),
  );
  return { ...entry, standing: { ...entry.standing, controls: passed } };
}

function seenTable(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => {
    const { finding, name, standing } = entry;
    return [
      cell(finding.description),
      `${cell(finding.isolation)} (${finding.level})`,
      `[${cell(anomalyOf(entry))}](#${name.replaceAll('.', '')})`,
      finding.satisfies.join(', ') || '–',
      time(finding.foundAfter),
      standing.controls.length === 0
        ? '–'
        : standing.controls.map(({ database, isolation }) => cell(`${database}, ${isolation}`)).join('; '),
      standing.confirmed === null ? 'seen here' : 'confirmed',
    ];
  });
  const head = [
    'database',
    'level (checked level)',
    'anomaly',
    'levels that still hold',
    'found after',
    'passed controls',
    'standing',
  ];
  return table(head, rows);
}

function detailsOf({ name, finding, standing, files }: Entry, held: readonly Held[]): string[] {
  const link = (file: string, text: string): string[] => (files.includes(file) ? [`[${text}](${name}/${file})`] : []);
  const { trial, hunt } = finding;
  const controls = standing.controls.map(({ database, isolation }) => {
    const own = held.filter(
      (each) => each.database.join(' ') === database && each.isolation === isolation && each.undecided === undefined,
    );
    // Totals over all key layouts, draws and faults.
    const sum = (of: (each: Held) => number): number => own.reduce((all, each) => all + of(each), 0);
    const amount = { hunts: own.length, trials: sum((each) => each.trials), committed: sum((each) => each.committed) };
    return own.length > 0
      ? `${cell(own[0]!.description)} at ${cell(isolation)}, ${amountOf({ ...amount, seconds: sum((each) => each.seconds) })}`
      : `${database} at ${isolation}`;
  });
  const facts = [
    `**What happened.** ${cell(finding.summary)}`,
    `**Found** in history ${trial.trial} of the hunt with seed ${cell(hunt.seed)} (${hunt.drawing} draws), after ${time(finding.foundAfter)}: ${count(trial.committed, 'committed transaction')} of ${count(trial.draw.sessions, 'client')}; ${finding.shrunkTo === 1 ? '1 transaction suffices' : `${finding.shrunkTo} transactions suffice`}.`,
    `**To repeat the requests:** \`${cell(finding.command)}\``,
    `**Files:** ${[
      ...link('story.md', 'the story'),
      ...link('shrunk.jsonl', 'the smallest part'),
      ...link('certificate.json', 'its certificate'),
      ...link('history.jsonl.gz', 'the whole history'),
      ...link('finding.json', 'all facts as JSON'),
    ].join(', ')}`,
    ...(controls.length > 0 ? [`**Control:** ${controls.join('; ')}: nothing was found.`] : []),
    ...(finding.reproduced === null
      ? []
      : [
          `**As a schedule:** ${cell(finding.reproduced)}${files.includes(AGAIN) ? ` See [the schedule](${name}/${AGAIN}).` : ''}`,
        ]),
    standing.confirmed === null
      ? '**Confirmed:** not yet, only seen here.'
      : `**Confirmed** by [a program without isolab](${posix.join(name, standing.confirmed.program)}): ${cell(standing.confirmed.says)}`,
    ...(standing.known.length > 0 ? [`**Known:** ${standing.known.map(cell).join('; ')}`] : []),
  ];
  return [
    `### ${name}`,
    ...link('story.svg', '').map(() => `![${cell(finding.summary)}](${name}/story.svg)`),
    facts.map((fact) => `- ${fact}`).join('\n'),
  ];
}

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

type Amount = Pick<HeldTogether, 'hunts' | 'trials' | 'committed' | 'seconds'>;

const missingOf = ({ undecided }: Held): string =>
  undecided === undefined ? '' : `; ${undecided.histories} without a verdict: ${cell(undecided.why)}`;

const amountOf = ({ hunts, trials, committed, seconds }: Amount): string =>
  `${count(hunts, 'hunt')}, ${count(trials, 'history', 'histories')} of ${committed.toLocaleString('en')} committed transactions in ${time(seconds)}`;

const anomalyOf = ({ finding }: Entry): string => finding.anomaly ?? `not ${levelNamed(finding.level).title}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const cell = (text: string): string => visibleLine(text).replaceAll('|', String.raw`\|`);

const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? noun : plural}`;

const time = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
