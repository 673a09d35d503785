import { CollectorError, Interrupted } from '@isolab/collector';
import { STATED } from '@isolab/contract';
import { writeFileTo } from '@isolab/formats';
import { open, reproduce } from 'isolab';
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HuntOptions } from './events.ts';
import { FINDING, type Finding } from './finding.ts';
import { statementsOf } from '../draws/space.ts';
import type { HuntSettings } from './options.ts';

/**
 * Runs the minimal part of a finding on the database again, as a schedule of statements, and records in the finding how
 * often the level was violated. If that is impossible, the finding is left unchanged, and the reason is returned.
 */
export async function tryAgain(
  folder: string,
  finding: Finding,
  { database, sessionSetup }: HuntSettings,
  { connectMs, checkMs, signal, onEvent }: HuntOptions,
): Promise<void> {
  const { layout } = finding.trial.draw;
  if (finding.level === STATED) return; // the sessions of a schedule have one level
  const to = join(folder, AGAIN);
  mkdirSync(to, { recursive: true });
  const begun = performance.now();
  const said = await reproduce(await open(join(folder, 'shrunk.jsonl')), {
    database,
    isolation: finding.isolation,
    level: finding.level,
    sessionSetup,
    ...(layout !== null && { layout }),
    connectMs,
    timeMs: checkMs,
    to,
    trials: TRIALS,
    tries: TRIES,
    signal,
    isEnough: () => performance.now() - begun > 1000 * MOST_SECONDS,
    onProgress: ({ done, of }) => void onEvent?.({ kind: 'reproducing', done, of, mostSeconds: MOST_SECONDS }),
  }).then(
    (found) => (found.how === 'nothing' ? 'The smallest part does not violate the level by itself.' : found.result),
    (error: unknown) => {
      if (error instanceof Interrupted || signal.aborted) return null;
      if (error instanceof CollectorError) return `It could not be repeated: ${error.message}`;
      throw error;
    },
  );
  const isMade = readdirSync(to).length > 0;
  if (!isMade) rmdirSync(to);
  if (said === null) return;
  const result = statementsOf(finding.trial.draw).length > 0 ? `${said} ${WITHOUT_STATEMENTS}` : said;
  const noted: Finding = { ...finding, reproduced: result };
  await writeFileTo(join(folder, FINDING), `${JSON.stringify(noted, null, 2)}\n`);
  void onEvent?.({ kind: 'reproduced', folder: isMade ? to : null, said: result });
}

const WITHOUT_STATEMENTS =
  'A schedule has no locking reads, savepoints, changes of no row and early snapshots, but the history had some.';

/** Subfolder of a finding with the files for other users. */
export const AGAIN = 'again';
const TRIALS = 20;
const TRIES = 60;
/** Time after which no further trial begins. */
const MOST_SECONDS = 60;
