/**
 * Makes the story of a verdict: for a violation the smallest part of the history that shows it, otherwise an order that
 * explains the reads.
 */

import type { LevelName } from 'isolab/check';
import { countOperations, countTransactions, plural } from 'isolab/skin';
import {
  certificate,
  type Shrunk,
  type Story,
  story as tellStory,
  storyMarkdown,
  TooLargeError,
  viewHtml,
} from 'isolab';
import { briefOf } from './brief.ts';
import type { Briefed, Progress, Told } from './protocol.ts';
import { type Checked, limitsOf } from './check.ts';

type Say = (progress: Progress) => void;

export async function tell(checked: Checked, level: LevelName, say: Say, whole = false): Promise<Told> {
  const { input, result } = checked;
  const run = result.levels[level]?.run;
  if (!run) throw new RangeError(`${level} was not checked.`);
  const { story, shrunk } = await storyOf(checked, level, say, whole);
  const file = certificate(input, result, level);
  const told = {
    kind: 'told',
    level,
    page: null,
    markdown: null,
    isViolation: run.verdict.status === 'violated' && story !== null,
    history: story?.copies?.history ?? null,
    certificate: file && { fileName: 'certificate.json', text: `${JSON.stringify(file)}\n` },
  } as const;
  const without = (note: string): Told => ({ ...told, note });
  if (story === null) return without(whyUntold(checked, level));
  try {
    const note =
      shrunk === null
        ? run.verdict.status === 'violated'
          ? 'From the whole history.'
          : story.witness === undefined
            ? story.prose.map(({ text }) => text).join(' ')
            : 'An order that explains every read, step by step.'
        : howSmall(checked, shrunk);
    return { ...told, page: viewHtml(story), markdown: storyMarkdown(story), note };
  } catch (error) {
    if (error instanceof TooLargeError) return without(`Not drawn: ${error.message}.`);
    throw error;
  }
}

export async function brief(checked: Checked, level: LevelName, say: Say): Promise<Briefed> {
  const { story } = await storyOf(checked, level, say, false);
  try {
    return { kind: 'briefed', brief: story && briefOf(story) };
  } catch (error) {
    if (error instanceof TooLargeError) return { kind: 'briefed', brief: null };
    throw error;
  }
}

interface Found {
  readonly story: Story | null;
  readonly shrunk: Shrunk | null;
}

async function storyOf({ input, result, limits }: Checked, level: LevelName, say: Say, whole: boolean): Promise<Found> {
  let shrunk = null as Shrunk | null;
  const story = await tellStory(input, result, {
    ...limitsOf(limits),
    level,
    whole,
    commandWords: null,
    onShrunk: (part) => (shrunk = part),
    onProgress: ({ transactions, checks }) =>
      say({
        kind: 'progress',
        doing: `Shrinking: ${plural(transactions, 'transaction')} left, ${plural(checks, 'check')}`,
        done: 0,
        total: 0,
      }),
  });
  return { story, shrunk };
}

function whyUntold({ input, result }: Checked, level: LevelName): string {
  if (input.kind === 'polygraph') return 'A polygraph has no operations to show.';
  return result.levels[level]?.run?.verdict.status === 'unknown'
    ? 'There is no verdict to explain.'
    : 'The checker names no anomaly in the remaining part.';
}

function howSmall({ input }: Checked, { history, checks, isMinimal }: Shrunk): string {
  const whole = input.prepared.history;
  const part = `${plural(countTransactions(history), 'transaction')} of ${countTransactions(whole)}, ${plural(countOperations(history), 'operation')} of ${countOperations(whole)}`;
  const minimal = isMinimal ? 'the violation needs each of them' : 'may not be minimal';
  return `From ${part}: ${minimal} (${plural(checks, 'check')}).`;
}
