import { CORE_LEVELS, builtInLevel, comparesTimes } from '@isolab/levels';
import type { LevelName } from '@isolab/contract';
import { type History, type TransactionId, showTransaction } from '@isolab/history';
import { decide, decideDefinition } from '@isolab/oracle';
import { verifyEvidence } from '@isolab/verifier';
import type { Report } from '../suite/suite.ts';
import type { Json } from './mutate.ts';

/** A certificate with its claimed verdict. */
export interface Claim {
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: Json;
  readonly passedOver?: Json;
}

/** Decides by brute force whether a history satisfies a level; null if the oracle cannot decide. */
export class Truth {
  readonly history: History;
  readonly #known = new Map<LevelName, boolean | null>();

  constructor(history: History) {
    this.history = history;
  }

  at(level: LevelName): boolean | null {
    let holds = this.#known.get(level);
    if (holds === undefined) this.#known.set(level, (holds = this.#decide(level)));
    return holds;
  }

  #decide(level: LevelName): boolean | null {
    try {
      if ((CORE_LEVELS as readonly string[]).includes(level)) return decide(this.history, level).satisfied;
      return decideDefinition(this.history, builtInLevel(level)!).satisfied;
    } catch (error) {
      if (error instanceof RangeError) return null; // the history is too large, or has operations that the oracle does not accept
      throw error;
    }
  }
}

export type Result = 'accepted' | 'accepted in part' | 'rejected';

/** Checks the verifier's result for a claim, and returns it. */
export function judge(truth: Truth, level: LevelName, claim: Claim, report: Report): Result {
  const { history } = truth;
  const holds = truth.at(level);
  const isFalse = holds !== null && holds !== (claim.verdict === 'satisfied');
  const kind = `${kindOf(history, claim)}${isFalse ? ', false' : ''}`;
  const { result, problem } = verified(history, level, claim);
  const wrong =
    problem ??
    (result === 'accepted' && isFalse ? 'it was accepted, but is wrong by brute force' : null) ??
    (result === 'accepted' && claim.verdict === 'satisfied' ? whyNot(history, level) : null);
  if (wrong === null) report.survived(kind);
  else report.failed(kind, `${wrong}\n  ${level}, ${JSON.stringify(claim)}\n${textOf(history)}`);
  report.counted(`claims ${result}`, 1);
  return result;
}

function verified(history: History, level: LevelName, { verdict, ...evidence }: Claim) {
  try {
    // The evidence is passed unchecked, as from a file.
    const found = verifyEvidence(history, level, verdict, evidence as unknown as Parameters<typeof verifyEvidence>[3]);
    const isMute = found.result === 'rejected' && found.problem.length === 0;
    return { result: found.result, problem: isMute ? 'it was refused without a message' : null };
  } catch (error) {
    return { result: 'rejected' as const, problem: `the verifier crashed: ${String(error)}` };
  }
}

/** Reason why all levels, or all real-time levels, must be rejected. */
function whyNot({ source, txnBegin, txnEnd }: History, level: LevelName): string | null {
  if (source.notes['cutOffAfterLine'] !== undefined) return 'it was accepted for a history that was cut off';
  if (txnBegin !== null || txnEnd !== null) return null;
  return comparesTimes(builtInLevel(level)!) ? 'it was accepted for a history without times' : null;
}

/** Kind of a certificate, and whether it concerns aggregates or at least rows. */
function kindOf({ scans }: History, { certificate }: Claim): string {
  const { kind, rows } = (certificate ?? {}) as { readonly kind?: Json; readonly rows?: Json };
  const name = String(KINDS.find((each) => each === kind) ?? 'no kind');
  if (name === 'aggregates' || rows !== undefined) return `${name}, aggregates`;
  return scans.table.length > 0 ? `${name}, rows` : name;
}

const KINDS: readonly Json[] =
  'inspection commit-order event-order version-orders each-key internal lists updates cycle cases proof aggregates axioms timestamps'.split(
    ' ',
  );

export const textOf = (history: History): string =>
  Array.from(
    history.txnStatus,
    (_, t) => `${history.txnSession[t]}: ${showTransaction(history, t as TransactionId)}`,
  ).join('\n');
