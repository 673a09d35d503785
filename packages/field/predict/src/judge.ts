/**
 * Quick verdicts of checkers on histories of executions, with the transactions on which a violation rests. Every
 * prediction is judged again through the library, with certificates.
 */
import {
  type Checker,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  type SatisfiedCertificate,
  Stop,
  decidedAs,
  defaultsOf,
  indexed,
  userDefinition,
} from '@isolab/contract';
import { type History, type OperationId, transactionOf } from '@isolab/history';
import type { LevelDefinition } from '@isolab/levels';
import { weave } from '@isolab/weave';
import { type CheckResult, check } from 'isolab/check';
import axioms from 'isolab/guided-axioms';

export type Judgement =
  | { readonly status: 'satisfied'; readonly certificate: SatisfiedCertificate | undefined }
  | { readonly status: 'unknown' }
  | ({ readonly status: 'violated' } & Involved);

/** Any part of the history with these transactions violates the level, too. */
export interface Involved {
  readonly transactions: ReadonlySet<number>;
  /** Reads whose sources matter for that; null if that is unknown. */
  readonly reads: ReadonlySet<number> | null;
}

/** Judges a history of any operations through the library. `ends` is a time of `performance.now`. */
export function judgeWhole(history: History, level: LevelName, ends: number): Promise<CheckResult> {
  const limit = ends === Infinity ? {} : { timeMs: Math.max(1, ends - performance.now()), place: 'thread' as const };
  return check(history, { level, allowVacuous: true, ...limit });
}

export class Judge {
  readonly #level: LevelName;
  readonly #definition: LevelDefinition | null;
  readonly #context: RunContext;
  /** Number of histories judged. */
  count = 0;

  /** After `ends`, on the clock of `performance.now`, every judgement is unknown. */
  constructor(level: LevelName | LevelDefinition, ends: number) {
    const isName = typeof level === 'string';
    this.#level = isName ? decidedAs(level) : level.name;
    this.#definition = isName ? userDefinition(this.#level) : level;
    this.#context = {
      certify: true,
      findAll: false,
      stage: () => {},
      count: () => {},
      progress: () => {},
      tick: () => {
        if (performance.now() > ends) throw new Stop('timeout');
      },
    };
  }

  async of(history: History): Promise<Judgement> {
    this.count++;
    const checker = (weave.info.levels.includes(this.#level) ? weave : axioms) as unknown as Checker<
      Record<string, unknown>
    >;
    const definition = this.#definition;
    const input = indexed(history);
    const asked = definition === null ? { ...input, kind: 'history' } : { ...input, kind: 'definition', definition };
    try {
      const verdict = await checker.check(asked as never, this.#level, defaultsOf(checker.info.options), this.#context);
      if (verdict.status === 'unknown') return verdict;
      if (verdict.status === 'satisfied') return { status: 'satisfied', certificate: verdict.certificate };
      return { status: 'violated', ...involvedIn(history, verdict.anomalies[0]!) };
    } catch (error) {
      if (error instanceof Stop) return { status: 'unknown' };
      throw error;
    }
  }
}

/**
 * Returns all transactions that an anomaly or its certificate mentions, and the reads if the certificate has all of
 * them.
 */
function involvedIn(history: History, { transactions, certificate }: FoundAnomaly): Involved {
  const found = new Set<number>(transactions);
  const reads = new Set<number>();
  const isOfEvents = certificate?.kind === 'axioms' && certificate.order === 'events';
  const visit = (data: unknown): void => {
    if (typeof data !== 'object' || data === null) return;
    for (const [name, value] of Object.entries(data)) {
      if (typeof value !== 'number') visit(value);
      else if (OPERATIONS.has(name)) {
        found.add(transactionOf(history, value as OperationId));
        if (name === 'read') reads.add(value);
      } else if (TRANSACTIONS.has(name)) {
        found.add(value);
        if (isOfEvents) found.add(value >> 1);
      }
    }
  };
  visit(certificate);
  return {
    transactions: new Set([...found].filter((t) => t >= 0 && t < history.txnStatus.length)),
    reads: WITH_READS.has(certificate?.kind) ? reads : null,
  };
}

/** Certificates whose edges name the reads that they follow from. */
const WITH_READS: ReadonlySet<string | undefined> = new Set(['cycle', 'cases', 'proof']);
const TRANSACTIONS: ReadonlySet<string> = new Set(['from', 'to', 'first', 'second', 'writer']);
const OPERATIONS: ReadonlySet<string> = new Set(['read', 'write', 'operation']);
