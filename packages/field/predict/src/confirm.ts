/**
 * Replays a prediction on a database: its reads and writes by key, as a schedule of statements in the predicted order.
 * It needs a database that has the isolation level, and replaces the tables of earlier schedules there.
 */
import type { LevelName } from '@isolab/contract';
import { type ReproduceOptions, type Reproduced, reproduce } from 'isolab';
import type { Confirmation } from './command/outcome.ts';
import type { Prediction } from './prediction.ts';

export async function confirm(
  { replayable }: Prediction,
  stronger: LevelName,
  options: Pick<ReproduceOptions, 'database' | 'isolation' | 'sessionSetup' | 'connectMs' | 'to' | 'signal'>,
): Promise<Confirmation> {
  if (typeof replayable === 'string') return { outcome: 'not replayed', why: replayable };
  const found = await reproduce(replayable, { ...options, level: stronger, trials: TRIALS, tries: TRIES });
  if (found.how === 'nothing') return { outcome: 'not replayed', why: `the replayed part satisfies ${stronger}` };
  const { database, tally, tried } = found;
  const trials = tally.trials + tried;
  if (found.how === 'once') return { outcome: 'happened', times: 1, trials, database };
  if (tally.violated > 0) return { outcome: 'happened', times: tally.violated, trials: tally.trials, database };
  const by = refusalIn(found);
  if (by === null || tally.aborted < tally.trials) return { outcome: 'did not come about', trials, database };
  return { outcome: 'prevented', by, trials, database };
}

/** Returns the first error of the shown trial; null if there is none. */
function refusalIn({ shown }: Reproduced): string | null {
  return shown.trial.observed.find(({ error }) => error !== undefined)?.error ?? null;
}

const TRIALS = 5;
const TRIES = 20;
