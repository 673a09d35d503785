import { type History, TxnStatus } from '@isolab/history';
import { isOutcome, outcomeIn, sessionIn } from '../stream/lines.ts';

/** Outcomes that arrive after their transactions were forgotten and had been assumed to have happened or not. */
export class LateOutcomes {
  /** Expected outcomes, by session. */
  readonly #happened = new Map<string, boolean>();

  /** Expects the outcome of the session's latest transaction, even if an earlier transaction is forgotten later. */
  expect(line: Uint8Array, happened: boolean): void {
    const session = sessionIn(line);
    if (!this.#happened.has(session)) this.#happened.set(session, happened);
  }

  /** Takes a line about a forgotten transaction and returns its information; null for any other line. */
  take(line: Uint8Array): { readonly isContradiction: boolean; readonly end: bigint | null } | null {
    if (this.#happened.size === 0) return null;
    const session = sessionIn(line);
    const happened = this.#happened.get(session);
    if (happened === undefined) return null;
    this.#happened.delete(session);
    if (!isOutcome(line, 0)) return null;
    const { outcome, end } = outcomeIn(line);
    return { isContradiction: happened !== (outcome === 'committed'), end: happened ? end : null };
  }

  clear(): void {
    this.#happened.clear();
  }

  save(): SavedOutcomes {
    return [...this.#happened];
  }

  restore(saved: SavedOutcomes): void {
    for (const [session, happened] of saved) this.#happened.set(session, happened);
  }
}

export type SavedOutcomes = readonly (readonly [session: string, happened: boolean])[];

/** Returns whether the outcome of a transaction is unknown and may still arrive. */
export const mayHaveOutcomeYet = ({ txnStatus, txnSession, sessionStart }: History, t: number): boolean =>
  txnStatus[t] === TxnStatus.Unknown && t + 1 === sessionStart[txnSession[t]! + 1];
