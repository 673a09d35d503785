import { PRIVATE } from '@isolab/formats';
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpokenSql } from '@isolab/collector';
import type { Schedule } from '../../schedule/schedule.ts';
import type { Account } from './account.ts';
import { isolationSpec } from './isolation-spec.ts';
import { libraryTest } from './library-test.ts';
import { nodeTest } from './node-test.ts';
import { transcript } from './transcript.ts';

/** Writes the results of a reproduction into an existing folder. Returns the names of the files. */
export function writeFolder(folder: string, account: Account, sql: SpokenSql | undefined, history: string): string[] {
  const files: Record<string, string> = {
    'schedule.json': `${JSON.stringify(asData(account), null, 2)}\n`,
    'transcript.md': transcript(account),
  };
  if (sql?.client === 'pg') files['schedule.spec'] = isolationSpec(account);
  // Only a checker can see a violation under load whose replies differ in each trial.
  const isTold = account.load === 0 || account.tally.asTold > 0;
  files['schedule.test.mjs'] = sql && isTold ? nodeTest(account, sql) : libraryTest(account);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: PRIVATE });
  copyFileSync(history, join(folder, 'history.jsonl'));
  chmodSync(join(folder, 'history.jsonl'), PRIVATE);
  return [...Object.keys(files), 'history.jsonl'];
}

/** Returns the data in the form of schema/schedule.schema.json. */
export function asData(account: Account): object {
  const { schedule, script, observed, expected, database, isolation, levelName, tally, alike, load } = account;
  const { data, setup, transactions, differs }: Schedule = schedule;
  return {
    isolab: 'schedule',
    version: 1,
    database,
    isolation,
    level: levelName,
    tally,
    alike,
    load,
    differs,
    data,
    setup,
    transactions,
    steps: schedule.steps.map((step, i) => ({
      ...step,
      ...(script.isSql && { sql: script.steps[i] }),
      observed: observed[i],
      expected: expected[i],
    })),
  };
}
