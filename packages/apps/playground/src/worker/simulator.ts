/** Check of one history for programs that have no worker, such as simulators: verdict, story and certificate. */
import { check, findLevel, open } from 'isolab/check';
import { didYouMean, KNOWN_LEVELS } from 'isolab/skin';
import { certificate, story, storyMarkdown } from 'isolab';

export interface Simulated {
  readonly verdict: 'satisfied' | 'violated' | 'unknown';
  /** Reason for an unknown verdict. */
  readonly reason: string | null;
  readonly level: string;
  readonly anomaly: string | null;
  /** Story of the violation as Markdown, from the smallest part of the history that shows it. */
  readonly story: string | null;
  /** Certificate for `isolab verify`. */
  readonly certificate: object | null;
}

export interface SimulatedOptions {
  /** Value of every key before the first write, for a history of transactions; null if absent. */
  readonly initial?: string | number | null;
  /** Limit of the checker's steps, which are the same on all machines. */
  readonly steps?: number;
  /** Leaves out the story of a violation, which takes most of the time. */
  readonly withoutStory?: boolean;
}

/**
 * Checks a history: its text in any format, or the transactions of isolab's own format. A wrong history or level throws
 * an error.
 */
export async function checkInProcess(
  history: string | readonly object[],
  level: string,
  { initial = null, steps, withoutStory = false }: SimulatedOptions = {},
): Promise<Simulated> {
  const asked = findLevel(level)?.level.name;
  if (asked === undefined) {
    const names = KNOWN_LEVELS.map(({ name }) => name);
    throw new RangeError(`There is no level ${level}; ${didYouMean(level, names)}isolab list levels lists them.`);
  }
  const lines = typeof history === 'string' ? [] : [{ isolab: 'history', version: 1, initial }, ...history];
  const text = typeof history === 'string' ? history : lines.map((line) => JSON.stringify(line)).join('\n');
  const input = await open({ text, name: 'history' });
  const options = { place: 'thread', ...(steps !== undefined && { steps }) } as const;
  const result = await check(input, { ...options, level: asked, certify: true });
  const isTold = result.verdict === 'violated' && !withoutStory;
  const told = isTold ? await story(input, result, { ...options, commandWords: null }) : null;
  return {
    verdict: result.verdict,
    reason: result.reason,
    level: asked,
    anomaly: result.anomalies[0]?.name ?? null,
    story: told && storyMarkdown(told),
    certificate: certificate(input, result),
  };
}
