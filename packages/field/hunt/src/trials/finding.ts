/**
 * Writes the files of a violation: the history and its minimal part, the evidence, and the story as text, picture and
 * page.
 */
import { type FaultOptions, withoutSecrets } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import { HISTORY_FORMATS, PRIVATE, writeFileTo, writeTo } from '@isolab/formats';
import { type History, shellWord } from '@isolab/history';
import {
  type CheckResult,
  type Opened,
  type Shrunk,
  type Story,
  TooLargeError,
  certificate,
  check,
  drawSvg,
  story as tell,
  storyMarkdown,
  viewHtml,
} from 'isolab';
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type HuntSettings, type TrialRecord, faultsOf } from './options.ts';

/** The content of finding.json, from which the board is generated; see schema/finding.schema.json. */
export interface Finding {
  readonly isolab: 'finding';
  readonly version: 1;
  /** The addresses of the database. */
  readonly database: readonly string[];
  readonly description: string;
  readonly isolation: string;
  readonly level: LevelName;
  readonly checker: string | null;
  /** The anomaly of the minimal part: its name, its description in a sentence, and its meaning for levels. */
  readonly anomaly: string | null;
  /** Title of the story; absent in findings of earlier versions. */
  readonly title?: string;
  readonly summary: string;
  readonly satisfies: readonly LevelName[];
  readonly violates: readonly LevelName[];
  /** Number of transactions in the history, and in its minimal part. */
  readonly transactions: number;
  readonly shrunkTo: number;
  /** The reason why the part may not be minimal. */
  readonly notMinimal: string | null;
  readonly trial: TrialRecord;
  readonly hunt: Pick<HuntSettings, 'seed' | 'drawing'>;
  /** Seconds since the start of the hunt. */
  readonly foundAfter: number;
  /**
   * A command that sends the same requests to the database. The timing of the clients varies, so it may take several
   * runs.
   */
  readonly command: string;
  /** A sentence on how often a schedule of the statements violated the level again; null if that was not tried. */
  readonly reproduced: string | null;
  readonly at: string;
}

export interface FindingOptions {
  readonly settings: HuntSettings;
  readonly description: string;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly onShrinking?: (checks: number) => void;
}

/**
 * Shrinks and explains the violation, and writes the results to a folder, together with the history. An interrupt stops
 * the shrinking.
 */
export async function keepFinding(
  folder: string,
  record: TrialRecord,
  { input, result }: { readonly input: Opened; readonly result: CheckResult },
  options: FindingOptions,
): Promise<{ readonly finding: Finding; readonly story: Story | null }> {
  const { settings, timeMs, signal, onShrinking } = options;
  const { isolation, level } = record;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, HISTORY);
  copyFileSync(input.name, path); // if the hunt is killed now, it judges the history again
  chmodSync(path, PRIVATE);
  let shrunk: Shrunk | null = null;
  const moved = { ...result, path: HISTORY };
  const story = await tell(input, moved, {
    timeMs,
    signal,
    onProgress: ({ checks }) => onShrinking?.(checks),
    onShrunk: (found) => (shrunk = found),
  });
  const part = shrunk as Shrunk | null;
  const history = input.prepared.history;
  const shrunkHistory = named(part?.history ?? history);
  await writeHistory(join(folder, 'shrunk.jsonl'), shrunkHistory);
  await writeEvidence(folder, certificate(input, result), story);
  // The part shows the anomaly. The whole history may violate further levels, but not weaker levels through this
  // anomaly.
  const levels = await check(shrunkHistory, {
    level: 'all',
    place: 'thread',
    timeMs,
    allowVacuous: true,
    allowCutOff: true,
  });
  const finding: Finding = {
    isolab: 'finding',
    version: 1,
    database: settings.database.map(withoutSecrets),
    description: options.description,
    isolation,
    level,
    checker: result.deciding?.checker ?? null,
    // The story describes the transactions' actions, which may have another name than the shape that the checker found.
    anomaly: story?.anomaly?.name ?? part?.anomaly?.name ?? result.anomalies[0]?.name ?? null,
    ...(story && { title: story.title }),
    summary: story?.summary ?? `The history violates ${level}.`,
    satisfies: levels.strongest,
    violates: levels.weakestViolated,
    transactions: history.txnStatus.length,
    shrunkTo: shrunkHistory.txnStatus.length,
    notMinimal: part === null ? 'it was not shrunk' : part.stopped,
    trial: record,
    hunt: { seed: settings.seed, drawing: settings.drawing },
    foundAfter: record.atSeconds,
    command: commandOf(settings, record),
    reproduced: null,
    at: new Date().toISOString(),
  };
  await writeFileTo(join(folder, FINDING), `${JSON.stringify(finding, null, 2)}\n`);
  return { finding, story };
}

async function writeEvidence(folder: string, evidence: object | null, story: Story | null): Promise<void> {
  if (evidence) await writeFileTo(join(folder, 'certificate.json'), `${JSON.stringify(evidence)}\n`);
  if (!story) return;
  await writeFileTo(join(folder, 'story.md'), storyMarkdown(story));
  await drawStory(folder, story);
  await drawn(join(folder, 'story.html'), () => viewHtml(story));
}

/** Draws a story for wide and for narrow pages. */
export async function drawStory(folder: string, story: Story): Promise<void> {
  await drawn(join(folder, STORY_PICTURE), () => drawSvg(story, { theme: 'auto', narrow: 'if-needed' }));
  await drawn(join(folder, NARROW_PICTURE), () => drawSvg(story, { theme: 'auto', frame: false, narrow: true }));
}

export const STORY_PICTURE = 'story.svg';
export const NARROW_PICTURE = 'story-narrow.svg';

/** Removes the history's path on this machine, which is private. */
const named = (history: History): History => ({
  ...history,
  source: { ...history.source, files: [HISTORY] },
});

/** A drawing that is too large is omitted; the story has the same content. */
async function drawn(path: string, draw: () => string): Promise<void> {
  let text: string;
  try {
    text = draw();
  } catch (error) {
    if (error instanceof TooLargeError) return;
    throw error;
  }
  await writeFileTo(path, text);
}

async function writeHistory(path: string, history: History): Promise<void> {
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writeTo(path, (output) => writer.write(history, output));
}

/** Returns the command that collects with the same requests, and checks the history. */
function commandOf(
  { database, sessionSetup, faults, level }: HuntSettings,
  { draw, seed, isolation }: TrialRecord,
): string {
  const each = (option: string, values: readonly string[]): string[] => values.flatMap((value) => [option, value]);
  const words = [
    'again.jsonl',
    ...each('--db', database.map(withoutSecrets)),
    ...each('--session-setup', sessionSetup),
    ...(draw.layout === null ? [] : ['--layout', draw.layout]),
    ...faultWords(faultsOf({ faults }, draw)),
    '--isolation',
    isolation,
    '--workload',
    draw.workload,
    ...each(
      '--set',
      Object.entries(draw.set).map(([name, value]) => `${name}=${value}`),
    ),
    '--sessions',
    String(draw.sessions),
    '--transactions',
    String(Math.ceil(draw.transactions / draw.sessions)),
    '--seed',
    seed,
    ...(level === null ? [] : ['--level', level]),
  ];
  return ['isolab run', ...words.map(shellWord)].join(' ');
}

/** Random faults are repeated through their seed; a schedule of faults is in the history beside this command. */
const faultWords = (faults: FaultOptions | null): string[] =>
  faults === null
    ? []
    : 'schedule' in faults
      ? ['--faults', HISTORY]
      : ['--faults', faults.kinds.join(','), '--fault-every', `${faults.everyMs}ms`];

/** The file in a finding's folder that describes the other files. */
export const FINDING = 'finding.json';
export const HISTORY = 'history.jsonl';
