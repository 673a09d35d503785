import { shellWord, visibleLine } from 'isolab/skin';
import { type LevelName, LEVELS } from 'isolab/check';
import { rmdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CollectorError, type EmbeddedServer, lock, startEmbedded } from '@isolab/collector';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, table } from '../terminal/print.ts';
import type { CommandModule, RunLine } from '../terminal/options.ts';

/** Folder for the histories of the tour. */
const FOLDER = 'isolab-tour';

/** Levels of PostgreSQL, each with a level that it does not keep. */
const ISOLATIONS: readonly (readonly [name: string, allowed: LevelName | null])[] = [
  ['read committed', 'read-atomic'],
  ['repeatable read', 'serializable'],
  ['serializable', null],
];
const MOST_SEEDS = 5;

/** Well-known levels for the table. */
const SHOWN: readonly LevelName[] = [
  'read-committed',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
  'strict-serializable',
];

export const command: CommandModule = {
  examples: ['isolab tour', 'isolab tour --output json'],
  options: [],
  run: (_flags: object, printer: Printer, run: RunLine) => tour(run, printer),
};

/**
 * `npm start`: collects a history from a real database at each of its isolation levels, checks all of them, and
 * compares the checkers.
 */
export async function tour(run: RunLine, printer: Printer): Promise<number> {
  const server = await begun(printer);
  if (server === null) return ExitCode.Failed;
  try {
    return await inFolder(server, run, printer);
  } finally {
    await server.database.close();
  }
}

/** Starts the server; if that fails, prints the reason and returns null. */
async function begun(printer: Printer): Promise<EmbeddedServer | null> {
  printer.out('Starting a PostgreSQL server …');
  try {
    return await startEmbedded();
  } catch (error) {
    if (!(error instanceof CollectorError)) throw error;
    printer.note(`isolab: ${visibleLine(error.message)}`);
    printer.note('The tour needs a server and ends here. To use your own: npx isolab run h.jsonl --db postgres://…');
    return null;
  }
}

/** Creates the folder and runs the tour in it; only one tour at a time can use the folder. */
async function inFolder(server: EmbeddedServer, run: RunLine, printer: Printer): Promise<number> {
  await mkdir(FOLDER, { recursive: true });
  const held = await alone(printer);
  if (held === null) return ExitCode.Unknown;
  const leave = (): void => {
    held.release();
    try {
      rmdirSync(FOLDER);
    } catch {
      // The folder is not empty if it holds histories, and these stay.
    }
  };
  process.once('exit', leave); // if a signal ends the process
  try {
    return await show(server, run, printer);
  } finally {
    process.off('exit', leave);
    leave();
  }
}

/** Waits for another tour in this folder; returns null if the wait was interrupted. */
async function alone(printer: Printer): Promise<ReturnType<typeof lock> | null> {
  const take = (): ReturnType<typeof lock> | CollectorError => {
    try {
      return lock(join(FOLDER, 'tour'), 'isolab tour');
    } catch (error) {
      if (error instanceof CollectorError && IS_RUNNING.test(error.message)) return error;
      throw error;
    }
  };
  const first = take();
  if (!(first instanceof CollectorError)) return first;
  printer.note(`${visibleLine(first.message)} Waiting for it to end …`);
  return printer.interruptible(async (interrupted) => {
    while (!interrupted.aborted) {
      await sleep(WAIT_MS, undefined, { signal: interrupted }).catch(() => {});
      const next = take();
      if (!(next instanceof CollectorError)) return next;
    }
    return null;
  });
}

const IS_RUNNING = /^Another isolab tour \(process \d+\)/;
const WAIT_MS = 300;

async function show(server: EmbeddedServer, run: RunLine, printer: Printer): Promise<number> {
  const { bold, dim } = printer.style;
  printer.out(`${visibleLine(server.database.description)}; 8 clients concurrently update a few accounts.`);
  const say = async (quiet: boolean, ...args: readonly string[]): Promise<{ code: number; json: unknown }> => {
    const said: string[] = [];
    // The address is valid only during the tour, and its password is not printed.
    const shown = args.map((word) => (word === server.address ? 'embedded' : shellWord(word)));
    printer.out(`\n${dim('$')} ${bold(`isolab ${shown.join(' ')}`)}`);
    const out = quiet ? (text: string): void => void said.push(text) : printer.out;
    // A violation that the levels of PostgreSQL allow does not count as a violation of the tour.
    const code = await run(quiet ? [...args, '--output', 'json'] : args, { ...printer, out, judged: () => {} });
    return { code, json: quiet ? JSON.parse(said.join('')) : null };
  };

  const found: Record<string, Readonly<Record<string, string>>> = {};
  for (const [isolation, allowed] of ISOLATIONS) {
    const path = join(FOLDER, `${isolation.replace(' ', '-')}.jsonl`);
    // Timing decides whether the clients provoke an allowed anomaly; usually the first seed does.
    for (let seed = 1; seed <= MOST_SEEDS; seed++) {
      const options = ['--isolation', isolation, '--force', ...(seed > 1 ? ['--seed', String(seed)] : [])];
      await say(false, 'collect', path, '--db', server.address, ...options);
      const { json } = await say(true, 'check', path, '--level', 'all');
      found[isolation] = (json as { levels: Record<string, string> }).levels;
      if (allowed === null || found[isolation][allowed] === 'violated') break;
    }
  }

  printer.out(`\nLevels that PostgreSQL kept at each of its isolation levels, as its clients observed:\n`);
  printer.out(verdictTable(found, printer));
  await say(
    false,
    'check',
    join(FOLDER, 'serializable.jsonl'),
    '--level',
    'serializable',
    '--checker',
    'all',
    '--time',
    '20s',
  );
  const isShown = found['repeatable read']?.['serializable'] === 'violated';
  printer.out(
    isShown
      ? `\nWhy REPEATABLE READ is not serializable:`
      : `\nThis time no clients conflicted in a way that shows why REPEATABLE READ is not serializable:`,
  );
  const { code } = await say(false, 'check', join(FOLDER, 'repeatable-read.jsonl'), '--level', 'serializable');
  printer.out(
    `\nThe histories are in ${FOLDER}. Try your own: npx isolab check FILE --level LEVEL, or npx isolab run FILE --db ADDRESS.`,
  );

  const kept = found['serializable']?.['serializable'] === 'satisfied';
  return kept && code !== ExitCode.Failed ? ExitCode.Satisfied : ExitCode.Failed;
}

function verdictTable(found: Readonly<Record<string, Readonly<Record<string, string>>>>, { style }: Printer): string {
  const cell = (status: string | undefined): string =>
    status === 'satisfied' ? 'yes' : status === 'violated' ? 'NO' : '?';
  const isolations = Object.keys(found);
  const rows = SHOWN.map((level) => [
    LEVELS.find(({ name }) => name === level)!.title,
    ...isolations.map((isolation) => cell(found[isolation]![level])),
  ]);
  const [head, ...body] = table([['', ...isolations.map((name) => name.toUpperCase())], ...rows]).split('\n');
  return [style.bold(head!), ...body.map((line) => line.replaceAll(/\bNO\b/g, style.red('NO')))].join('\n');
}
