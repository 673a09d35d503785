import { byText, row } from './outcomes.ts';

/** The words that Redis' errors begin with. */
export const REDIS_OUTCOMES = byText(
  'Redis',
  row('loading ', 'lost', 'unknown', 'it reads its data after a start'),
  row('execabort', 'aborted', 'aborted', 'a command before EXEC was refused, so that EXEC did nothing'),
);
