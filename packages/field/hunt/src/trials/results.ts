/** Trials of schedules in SQL: plays them, keeps their result in the folder of the hunt, and writes findings. */
import { type Counts, type Database, type Isolation, withoutSecrets } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import { PRIVATE, writeFileTo } from '@isolab/formats';
import { shellWord } from '@isolab/history';
import { type WrongResult, fileText, playResults, sentLines } from '@isolab/schedules';
import { Random } from '@isolab/workloads';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING, type Finding } from './finding.ts';
import type { HuntSettings, TrialRecord } from './options.ts';

/** Parameters of one trial, except for its draw. */
export interface Trial {
  readonly isolation: Isolation;
  /** Level to check. */
  readonly level: LevelName;
  readonly seed: string;
  readonly path: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/**
 * Plays schedules for a few seconds, and writes the wrong result, or null, to the path of the trial. `played` has the
 * names of the templates that earlier trials at the level have played.
 */
export async function playInto(
  database: Database,
  { isolation, level, seed, path, seconds, signal, played }: Trial & { readonly played: Set<string> },
  onProgress: (counts: Counts) => void,
): Promise<Counts> {
  const begun = performance.now();
  const countsOf = ({ committed, aborted }: { readonly committed: number; readonly aborted: number }): Counts => ({
    loaded: 0,
    committed,
    aborted,
    unknown: 0,
    seconds: (performance.now() - begun) / 1000,
    wanted: committed,
  });
  const { counts, wrong } = await playResults(database, {
    isolation: isolation.name,
    level,
    random: new Random(seed),
    seconds,
    waitMs: WAIT_MS,
    signal,
    played,
    onPlayed: (now) => onProgress(countsOf(now)),
  });
  const kept: Kept | null = wrong && {
    ...wrong,
    transactions: fileText(wrong.transactions),
    sent: sentLines(wrong.sent),
  };
  writeFileSync(path, JSON.stringify({ isolab: 'results', ...counts, wrong: kept }), { mode: PRIVATE });
  return countsOf(counts);
}

/** The part of a trial's file that findings need. */
type Kept = Omit<WrongResult, 'transactions' | 'sent'> & {
  readonly transactions: string;
  readonly sent: readonly string[];
};
interface Results {
  readonly schedules: number;
  readonly wrong: Kept | null;
}

export const readResults = (path: string): Results => JSON.parse(readFileSync(path, 'utf8')) as Results;

/** Writes a wrong result as transactions that `isolab hermitage` reads, and as a page. */
export async function keepWrong(
  folder: string,
  record: TrialRecord,
  { template, transactions, sent, differs }: Kept,
  { settings, description }: { readonly settings: HuntSettings; readonly description: string },
): Promise<Finding> {
  mkdirSync(folder, { recursive: true });
  const { isolation, level, draw } = record;
  const count = transactions.match(/^-- T\d$/gm)?.length ?? 1;
  const words = [
    ...settings.database.map(withoutSecrets).map(shellWord),
    '--isolation',
    shellWord(isolation),
    '--workload',
    draw.workload,
  ];
  const finding: Finding = {
    isolab: 'finding',
    version: 1,
    database: settings.database.map(withoutSecrets),
    description,
    isolation,
    level,
    checker: null,
    anomaly: null,
    summary: `${count === 1 ? 'A transaction' : `${count} transactions`} in SQL committed with results that ${level} forbids. ${differs.join('; ')}.`,
    satisfies: [],
    violates: [level],
    transactions: record.committed,
    shrunkTo: count,
    notMinimal: null,
    trial: record,
    hunt: { seed: settings.seed, drawing: settings.drawing },
    foundAfter: record.atSeconds,
    command: `isolab hunt ${words.join(' ')} --level ${level} --seed ${settings.seed}`,
    reproduced: null,
    at: new Date().toISOString(),
  };
  const page = [
    `## Wrong results: ${level} is violated`,
    finding.summary,
    `Drawn from “${template.name}” (${template.source}). [transactions.sql](transactions.sql) has the transactions; \`isolab hermitage transactions.sql\` plays all orders of their statements.`,
    `\`\`\`text\n${sent.join('\n')}\n\`\`\``,
  ];
  await writeFileTo(join(folder, TRANSACTIONS), transactions);
  await writeFileTo(join(folder, 'story.md'), `${page.join('\n\n')}\n`);
  await writeFileTo(join(folder, FINDING), `${JSON.stringify(finding, null, 2)}\n`);
  return finding;
}

/** The file of a finding with its transactions in SQL, in the place of a history. */
export const TRANSACTIONS = 'transactions.sql';

/** Time without an answer after which a statement waits for another session. */
const WAIT_MS = 50;
