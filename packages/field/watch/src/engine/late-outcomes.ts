import { type History, TxnStatus } from '@isolab/history';
import { isOutcome, outcomeIn, sessionIn } from '../stream/lines.ts';

/** Outcomes that come after their transactions were forgotten, which was then taken to have happened or not. */
export class LateOutcomes {
  /** Expected outcomes, by session. */
  readonly #happened = new Map<string, boolean>();

  /** The outcome of a session's latest transaction may come, also where an earlier one is forgotten later. */
  expect(line: Uint8Array, happened: boolean): void {
    const session = sessionIn(line);
    if (!this.#happened.has(session)) this.#happened.set(session, happened);
  }

  /** Information of a line on a transaction that was forgotten; null if it is not about one. */
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

/** Returns whether the outcome of a transaction is not known, and may come. */
export const mayHaveOutcomeYet = ({ txnStatus, txnSession, sessionStart }: History, t: number): boolean =>
  txnStatus[t] === TxnStatus.Unknown && t + 1 === sessionStart[txnSession[t]! + 1];
