import { type Outcomes, row } from './outcomes.ts';

/** What a program of one's own answers instead of a result. */
export const EXEC_OUTCOMES: Outcomes = {
  database: 'The program',
  keysOf: (kind) => [kind],
  rows: [
    row('aborted', 'aborted', 'aborted', 'the database undid the transaction'),
    row('lost', 'lost', 'unknown', 'the database no longer answers'),
    row('error', 'failed', 'unknown', 'the set-up is wrong'),
  ],
};
