/** Confirms predictions on a database: by replays of their reads and writes, or by runs of a command. */
import { mkdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Confirmation, type Predictions, CommandRuns, confirm, freshDatabase } from '@isolab/predict';
import { writeFileTo } from 'isolab/formats';
import { certificate, open } from 'isolab';
import type { LevelName } from 'isolab/check';
import { runCommand, throughProxy, upstreamOf } from '../terminal/application.ts';
import { parseTime } from '../terminal/limits.ts';
import type { Printer } from '../terminal/print.ts';

/** Time that an interrupted command has to end by itself. */
const PATIENCE_MS = 3_000;

interface ConfirmFlags {
  readonly db: readonly string[];
  readonly connectTimeout: string;
  readonly sessionSetup: readonly string[];
  readonly out?: string;
}

export interface Confirmed {
  readonly outcomes: readonly Confirmation[];
  /** Error that ended the replays; null for none. */
  readonly failure: unknown;
}

/** Replays the predictions one after the other, until an error or Ctrl-C; the others are not replayed. */
export async function confirmAll(
  { predictions: all }: Predictions,
  { isolation, stronger }: { readonly isolation: string; readonly stronger: LevelName },
  flags: ConfirmFlags,
  printer: Printer,
): Promise<Confirmed> {
  const connectMs = parseTime(flags.connectTimeout, '--connect-timeout');
  const { db: database, sessionSetup, out } = flags;
  const outcomes: Confirmation[] = [];
  let failure: unknown = null;
  await printer.interruptible(async (signal) => {
    try {
      for (const [i, each] of all.entries()) {
        if (signal.aborted) return;
        const to = out === undefined ? undefined : join(out, `${i + 1}.replay`);
        if (to !== undefined) mkdirSync(to, { recursive: true });
        // A signal of its own, because each server adds its listeners.
        const own = AbortSignal.any([signal]);
        const options = { database, isolation, sessionSetup, connectMs, signal: own, ...(to !== undefined && { to }) };
        outcomes.push(await confirm(each, stronger, options));
      }
    } catch (error) {
      if (!signal.aborted) failure = error;
    }
  });
  return completed(outcomes, all.length, failure);
}

/** Runs a command again and again, and delays its statements so that the predictions come about. */
export async function confirmByCommand(
  { predictions: all }: Predictions,
  { path, words, stronger }: { readonly path: string; readonly words: readonly string[]; readonly stronger: LevelName },
  flags: ConfirmFlags,
  printer: Printer,
): Promise<Confirmed> {
  const outcomes: Confirmation[] = [];
  let failure: unknown = null;
  await printer.interruptible(async (signal) => {
    if (all.length === 0 || signal.aborted) return;
    const database = await upstreamOf(flags.db[0]!);
    let runs: CommandRuns | null = null;
    let [used, runsOfCommand] = [0, 0];
    try {
      const command = {
        database: () =>
          database.isOurs ? freshDatabase(database.url, `run_${++used}`) : Promise.resolve(database.url),
        through: (upstream: string, port: number) => throughProxy(upstream, '127.0.0.1', port),
        run: (upstream: string, port: number, interrupted: AbortSignal) =>
          runCommand(words, throughProxy(upstream, '127.0.0.1', port), {
            tellsCallers: false,
            output: ++runsOfCommand === 1 ? 'errors' : 'ignore',
            interrupted,
            patienceMs: PATIENCE_MS,
          }),
      };
      runs = await CommandRuns.begin({ command, recording: path, stronger, signal });
      for (const [i, each] of all.entries()) {
        if (signal.aborted) return;
        const outcome = await runs.confirm(each, async (recording, result) => {
          if (flags.out === undefined) return;
          const name = join(flags.out, `${i + 1}.run`);
          await copyFile(recording, `${name}.jsonl`);
          await writeFileTo(`${name}.json`, JSON.stringify(certificate(await open(recording), result)));
        });
        if (signal.aborted && outcome.outcome !== 'happened') return;
        outcomes.push(outcome);
      }
    } catch (error) {
      if (!signal.aborted) failure = error;
    } finally {
      runs?.end();
      await database.end();
    }
  });
  return completed(outcomes, all.length, failure);
}

/** Adds the outcomes of the predictions that an error or a signal left over. */
function completed(outcomes: readonly Confirmation[], length: number, failure: unknown): Confirmed {
  const why = failure === null ? 'a signal ended the replays' : 'an error ended the replays';
  const left = Array.from({ length: length - outcomes.length }, (): Confirmation => ({ outcome: 'not replayed', why }));
  return { outcomes: [...outcomes, ...left], failure };
}
