import { existsSync } from 'node:fs';
import { type Counts, type Isolation, collect as collectHistory, driverFor, isolationNamed } from '@isolab/collector';
import { resolveParameters } from '@isolab/workloads';
import { parseOptions } from '../checkers.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { type Printer, count, percent, toJson } from '../print.ts';
import { progressLine } from '../progress.ts';
import { wholeNumber, workloadNamed } from '../words.ts';

export interface CollectFlags {
  readonly db: string;
  readonly isolation?: string;
  readonly workload: string;
  readonly set: readonly string[];
  readonly sessions: string;
  readonly transactions: string;
  readonly seed: string;
  readonly retry?: boolean;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly output: string;
}

/** `isolab collect`: runs a workload against a database and records what it was answered. */
export async function collect(path: string, flags: CollectFlags, printer: Printer): Promise<number> {
  const { counts, isolation, interrupted } = await collected(path, flags, printer);
  if (flags.output === 'json')
    printer.out(toJson({ path, ...counts, isolation: isolation.name, claims: isolation.claims }));
  else printer.out(`${path}: ${summary(counts)}`);
  if (interrupted) printer.note(`Interrupted; --resume continues it.`);
  return interrupted ? ExitCode.Unknown : ExitCode.Satisfied;
}

export interface Collected {
  readonly counts: Counts;
  readonly isolation: Isolation;
  readonly interrupted: boolean;
}

export async function collected(path: string, flags: CollectFlags, printer: Printer): Promise<Collected> {
  const workload = workloadNamed(flags.workload);
  const parameters = resolveParameters(workload, parseOptions(flags.set, '--set'));
  const sessions = wholeNumber('--sessions', flags.sessions);
  const transactions = wholeNumber('--transactions', flags.transactions);
  if (!flags.resume && !flags.force && existsSync(path))
    throw new UsageError(`${path} is there already; --resume continues it, --force begins it anew.`);
  if (flags.resume && !existsSync(path)) throw new UsageError(`${path} is not there, so that it cannot be continued.`);

  const driver = await driverFor(flags.db);
  if (!driver.data.includes(parameters['lists'] === true ? 'lists' : workload.data))
    throw new UsageError(`${driver.title} cannot hold what ${workload.name} needs (${workload.data}).`);
  const isolation = flags.isolation === undefined ? driver.isolations.at(-1)! : isolationNamed(driver, flags.isolation);
  if (isolation.warning) printer.note(`${isolation.name}: ${isolation.warning}`);
  // Once it is interrupted, what is under way ends; what was recorded stays.
  return printer.interruptible(async (interrupted) => {
    const database = await driver.open(flags.db);
    const line = progressLine((done, wanted) => `collecting: ${done} of ${wanted} transactions`);
    try {
      const counts = await collectHistory({
        database,
        isolation,
        workload,
        parameters,
        sessions,
        transactions,
        seed: flags.seed,
        path,
        resume: flags.resume === true,
        retry: flags.retry === true,
        signal: interrupted,
        onProgress: ({ committed, wanted }) => line.show(committed, wanted),
      });
      return { counts, isolation, interrupted: interrupted.aborted };
    } finally {
      line.clear();
      await database.close();
    }
  });
}

export function summary({ committed, aborted, unknown, seconds }: Counts): string {
  const parts = [count(committed, 'committed transaction')];
  if (aborted > 0) parts.push(`${aborted} aborted (${percent(aborted / (aborted + committed))})`);
  if (unknown > 0) parts.push(`${unknown} of unknown outcome`);
  return `${parts.join(', ')}, in ${seconds.toFixed(1)} s (${Math.round(committed / seconds)} a second)`;
}
