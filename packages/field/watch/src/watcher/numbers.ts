import { FormatError } from '@isolab/formats';
import { parseExactly } from './header.ts';
import { sessionIn } from '../stream/lines.ts';

/** The latest numbers of a session: of its last transaction, and of its last outcome. */
interface Latest {
  transaction: number;
  outcome: number;
}

/**
 * Recognizes duplicate lines, for example from a sender that received no answer: `"number"` counts the transactions of
 * a session, and an outcome has the number of its transaction. Lines without a number are always accepted.
 */
export class Numbers {
  readonly #latest = new Map<string, Latest>(); // by session, as spelled in the lines

  /** Returns whether a line is a duplicate. Throws if a line before it is missing. */
  isAgain(line: Uint8Array, name: string, place: number): boolean {
    const text = Buffer.from(line.buffer, line.byteOffset, line.length);
    if (!text.includes(FIELD)) return false;
    const { number, outcome } = fieldsOf(text.toString());
    if (number === null) return false;
    const session = sessionIn(line);
    const latest = this.#latest.get(session);
    const isOutcome = outcome !== undefined;
    if (latest !== undefined) {
      if (number <= (isOutcome ? latest.outcome : latest.transaction)) return true;
      const expected = isOutcome ? latest.transaction : latest.transaction + 1;
      if (number !== expected)
        throw new FormatError(
          name,
          `line ${place}`,
          `found ${isOutcome ? 'the outcome of ' : ''}transaction ${number} of session ${session} after transaction ${latest.transaction}, expected ${expected}; send the lines of a session one after the other, and repeat each line until it is accepted`,
        );
    }
    if (isOutcome) {
      if (latest !== undefined) latest.outcome = number;
    } else if (latest === undefined) this.#latest.set(session, { transaction: number, outcome: number - 1 });
    else latest.transaction = number;
    return false;
  }

  save(): SavedNumbers {
    return Array.from(this.#latest, ([session, { transaction, outcome }]) => [session, transaction, outcome] as const);
  }

  restore(saved: SavedNumbers): void {
    this.#latest.clear();
    for (const [session, transaction, outcome] of saved) this.#latest.set(session, { transaction, outcome });
  }
}

export type SavedNumbers = readonly (readonly [session: string, transaction: number, outcome: number])[];

/** Null if a line has no number of its own, or a number that the line's reader rejects. */
function fieldsOf(text: string): { readonly number: number | null; readonly outcome: unknown } {
  try {
    const { number, outcome } = parseExactly(text) as Record<string, unknown>;
    return { number: typeof number === 'number' && Number.isSafeInteger(number) ? number : null, outcome };
  } catch {
    return { number: null, outcome: undefined };
  }
}

const FIELD = '"number"';
