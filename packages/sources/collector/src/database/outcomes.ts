import { type Outcomes, type Phase, outcomeOf } from '@isolab/engines';
import { Aborted, CollectorError, ConnectionLost } from './errors.ts';

export { type Outcomes, type Phase, byCode, row } from '@isolab/engines';

/** Returns the phase of a statement that a user wrote. */
export const phaseOf = (statement: string): Phase => (/^\s*COMMIT\b/i.test(statement) ? 'commit' : 'statement');

/**
 * Returns the error that a driver must throw. A code without a row is a setup error or, at COMMIT, an unknown outcome.
 */
export function meaningOf(outcomes: Outcomes, code: string, phase: Phase, error: Error): Error {
  const said = `${outcomes.database} says ${code}: ${error.message}`;
  const outcome = outcomeOf(outcomes, code, phase);
  if (outcome === 'aborted') return new Aborted(said, { cause: error });
  if (outcome === 'lost') return new ConnectionLost(said, { cause: error });
  return new CollectorError(said, { cause: error });
}

/** Makes a function that awaits an answer and translates its errors. */
export const answering =
  (meaning: (error: Error, phase: Phase) => Error) =>
  async <T>(answer: Promise<T> | (() => Promise<T>), phase: Phase = 'statement'): Promise<T> => {
    try {
      return await (typeof answer === 'function' ? answer() : answer);
    } catch (error) {
      throw meaning(error as Error, phase);
    }
  };
