import type { FoundAnomaly } from '@isolab/contract';
import { type Told, shrunk, storyOf } from '@isolab/cli';
import type { ShrinkOptions } from '@isolab/explain';
import type { History } from '@isolab/history';
import type { Story } from '@isolab/story';
import { type CheckResult, originOf } from './check.ts';

export type TellOptions = Pick<ShrinkOptions, 'maxChecks' | 'signal' | 'onProgress'>;

export interface Shrunk {
  /** What is left. */
  readonly history: History;
  /** What is wrong with it, by the numbers of that history. */
  readonly anomaly: FoundAnomaly | null;
  /** For each of its transactions, the one of the whole history that it was. */
  readonly txnOf: Int32Array;
  /** Whether the violation was seen to go away without any single transaction or operation of it. */
  readonly isMinimal: boolean;
}

/** The smallest part of a history that still violates the level, found with the checker that found the violation. */
export async function shrink(result: CheckResult, options: TellOptions = {}): Promise<Shrunk> {
  if (result.status !== 'violated')
    throw new RangeError(`The verdict is ${result.status}; only what violates a level can be shrunk.`);
  const { history, anomaly, txnOf, isMinimal } = await shrunk(told(result, options));
  return { history, anomaly, txnOf, isMinimal };
}

/**
 * The story of a violation, shrunk, or of the order that explains a satisfied history: for `drawSvg`, `drawDot`, `viewHtml`
 * and `storyMarkdown`. Null if there is none to tell: the verdict is unknown, or the order longer than anybody looks at.
 */
export const explain = (result: CheckResult, options: TellOptions = {}): Promise<Story | null> =>
  storyOf(told(result, options));

function told(result: CheckResult, shrinking: TellOptions): Told {
  const { prepared, engine } = originOf(result);
  const path = prepared.history.source.files[0] ?? 'a history';
  return { path, prepared, engine, report: result.report, shrinking };
}
