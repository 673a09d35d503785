import { type RunContext, Stop, UNCERTIFIED, type UnknownReason } from '@isolab/contract';
import {
  ModelError,
  type OperationHistory,
  type OperationLevel,
  type OperationVerdict,
  type SequentialModel,
} from '@isolab/operations';
import { checkLinearizable } from '@isolab/porcupine';
import { checkSequential } from '@isolab/objects/sequential';
import type { Story } from '@isolab/story';
import { MOST_PART_STEPS, verifyOperations } from '@isolab/verifier';
import { operationStory } from '@isolab/explain';
import { type LimitedContext, limited } from './judge-limits.ts';
import { shrinkToPart } from './shrink-part.ts';

export interface JudgeOptions {
  readonly level: OperationLevel;
  readonly timeMs?: number;
  readonly steps?: number;
  /** Whether to create a story. */
  readonly told?: boolean;
}

/** A verdict about operations on an object, as plain data. */
export interface OperationResult {
  readonly model: string;
  readonly level: OperationLevel;
  readonly verdict: 'satisfied' | 'violated' | 'unknown';
  readonly reason?: UnknownReason;
  readonly detail?: string;
  readonly operations: number;
  readonly pending: number;
  readonly failed: number;
  /** Number of configurations that the search entered. */
  readonly configurations: number;
  readonly ms: number;
  /** Verified proof of the verdict; null if there is none. */
  readonly certificate: Exclude<OperationVerdict, { status: 'unknown' }>['certificate'];
  /** Reason why there is no certificate, as the end of a sentence. */
  readonly uncertified: string | null;
  /** Reason why a smaller violating part may exist, such as a limit; null if all parts were tried. */
  readonly stopped: string | null;
  /** Sentence that describes the violation. */
  readonly summary: string | null;
  readonly story: Story | null;
}

type Check = (history: OperationHistory, model: SequentialModel, context: RunContext) => OperationVerdict;

const CHECKS: Readonly<Record<OperationLevel, Check>> = {
  linearizable: checkLinearizable,
  sequential: checkSequential,
};

/** Checks a history in this thread. Errors of a model are thrown, because they are not verdicts. */
export function judgeOperations(
  history: OperationHistory,
  model: SequentialModel,
  { level, timeMs, steps, told = false }: JudgeOptions,
): OperationResult {
  const begin = performance.now();
  const context = limited({ ...(timeMs !== undefined && { timeMs }), ...(steps !== undefined && { steps }) });
  const check = CHECKS[level];
  const pending = history.operations.filter(({ return: returned }) => returned === null).length;
  const result = (part: Partial<OperationResult> & Pick<OperationResult, 'verdict'>): OperationResult => ({
    model: model.name,
    level,
    operations: history.operations.length,
    pending,
    failed: history.numFailed,
    configurations: context.configurations(),
    ms: performance.now() - begin,
    certificate: null,
    uncertified: null,
    stopped: null,
    summary: null,
    story: null,
    ...part,
  });
  if (pending === history.operations.length)
    return result({ verdict: 'unknown', reason: 'nothing-to-judge', detail: 'no operation returned' });
  try {
    const verdict = check(history, model, context);
    if (verdict.status === 'unknown')
      return result({ verdict: 'unknown', reason: verdict.reason, detail: verdict.detail });
    const isViolated = verdict.status === 'violated';
    const work = context.configurations();
    const shrunk = isViolated
      ? shrinkToPart(history, model, { level, check, stuck: verdict.stuck, work, limits: context.left() })
      : null;
    const certificate = shrunk === null ? verdict.certificate : shrunk.certificate;
    const proof = verifyOperations(history, model, level, verdict.status, certificate, proofSteps(context));
    const isLarge = !proof.ok && isViolated && proof.problem.includes('too large to verify');
    if (!proof.ok && !isLarge)
      return result({ verdict: 'unknown', reason: 'certificate-refused', detail: proof.problem });
    const story = told || isViolated ? operationStory(history, model, level, verdict, certificate) : null;
    return result({
      verdict: verdict.status,
      certificate: isLarge ? null : certificate,
      uncertified: isLarge ? UNCERTIFIED.search : null,
      stopped: shrunk?.stopped ?? null,
      summary: story?.summary ?? null,
      story: told ? story : null,
    });
  } catch (error) {
    if (error instanceof Stop) return result({ verdict: 'unknown', reason: error.reason, detail: error.message });
    if (error instanceof ModelError) return result({ verdict: 'unknown', reason: 'crashed', detail: error.message });
    throw error;
  }
}

/** Returns the step limit for the verification of a part, from the remaining time plus about a second. */
const proofSteps = (context: LimitedContext): number =>
  Math.min(MOST_PART_STEPS, LEAST_PROOF_STEPS + context.left().timeMs * PROOF_STEPS_A_MS);

const LEAST_PROOF_STEPS = 1_000_000;
const PROOF_STEPS_A_MS = 1000;
