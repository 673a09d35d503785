import { type Outcomes, row } from './outcomes.ts';

/** What a program of one's own answers instead of a result. */
export const EXEC_OUTCOMES: Outcomes = {
  database: 'The program',
  keysOf: (kind) => [kind],
  rows: [
    row('aborted', 'aborted', 'aborted', 'the database undid the transaction'),
    row('lost', 'lost', 'unknown', 'the database does not answer any more'),
    row('error', 'failed', 'unknown', 'something is wrong with the set-up'),
  ],
};
