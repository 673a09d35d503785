/**
 * Checks whether a user's transactions are safe at a level: whether every schedule has the result of some serial order.
 */
import type { Database } from '@isolab/collector';
import { Interrupted } from '@isolab/engines';
import type { Transactions } from '../cases/transactions.ts';
import type { CellOutcome } from '../play/cell.ts';
import type { Sent } from '../play/sessions.ts';
import { type Claiming, sessionAt } from '../play/run.ts';
import { countInterleavings, interleavings } from '../results/interleavings.ts';
import { SerialOutcomes, Unclear, committedIn, outcomeOf } from '../results/outcomes.ts';
import { playerOn } from '../results/player.ts';

export interface OwnLevel extends Claiming {
  readonly outcome: CellOutcome;
  /** Number of schedules that were played, and of all schedules. */
  readonly played: number;
  readonly of: number;
  /** Number of schedules in which a transaction was refused or a statement waited. */
  readonly refused: number;
  readonly waited: number;
  readonly why: readonly string[];
  /** Statements of the decisive schedule, or else of the last schedule. */
  readonly sent: readonly Sent[];
}

export interface OwnReport {
  readonly isolab: 'hermitage-transactions';
  readonly version: 1;
  readonly database: string;
  /** Engine that isolab started, with its options; absent for an existing database. */
  readonly engine?: string;
  readonly waitMs: number;
  readonly tables: readonly string[];
  readonly levels: readonly OwnLevel[];
}

export interface OwnOptions {
  readonly levels: readonly Claiming[];
  readonly waitMs: number;
  /** Largest number of schedules to play at a level. */
  readonly most: number;
  readonly engine?: string;
  readonly signal?: AbortSignal;
  onSchedule?(done: number, of: number): void;
}

/** Plays schedules of the transactions at each level, until the result of a schedule matches no serial order. */
export async function playTransactions(
  database: Database,
  given: Transactions,
  options: OwnOptions,
): Promise<OwnReport> {
  const levels: OwnLevel[] = [];
  for (const level of options.levels) {
    if (levels.length === 0) await sessionAt(database, level.name); // the database must support SQL
    levels.push(await levelOf(database, given, level, options, levels.length));
  }
  const { engine, waitMs } = options;
  return {
    isolab: 'hermitage-transactions',
    version: 1,
    database: database.description,
    ...(engine !== undefined && { engine }),
    waitMs,
    tables: given.tables,
    levels,
  };
}

async function levelOf(
  database: Database,
  given: Transactions,
  { name, claims }: Claiming,
  options: OwnOptions,
  at: number,
): Promise<OwnLevel> {
  const transactions = [...given.steps.values()];
  const schedules = interleavings(transactions, options.most);
  const of = countInterleavings(transactions.map(({ length }) => length - 1));
  const tally = { played: 0, refused: 0, waited: 0 };
  let last: readonly Sent[] = [];
  const ended = (outcome: CellOutcome, ...why: readonly string[]): OwnLevel => {
    return { name, claims, outcome, of, ...tally, why, sent: last };
  };
  const player = playerOn(database, name, options);
  const serial = new SerialOutcomes(given, player);
  try {
    await serial.insistOnSteady();
    for (const steps of schedules) {
      last = await player(given, steps);
      tally.played++;
      if (last.some(({ answer, isCleanUp }) => answer.kind === 'aborted' && !isCleanUp)) tally.refused++;
      if (last.some(({ waited }) => waited)) tally.waited++;
      options.onSchedule?.(at * schedules.length + tally.played, options.levels.length * schedules.length);
      const committed = committedIn(last);
      if (!(await serial.has(committed, outcomeOf(last)))) return ended('possible', wrongIn(committed));
    }
    return ended('prevented');
  } catch (error) {
    if (error instanceof Interrupted) return ended('unknown', 'interrupted');
    if (!(error instanceof Unclear)) throw error;
    last = error.sent;
    return ended('unknown', error.message);
  }
}

const wrongIn = (committed: readonly string[]): string =>
  committed.length === 0
    ? 'no transaction committed, but some effects remain'
    : `${committed.join(', ')} committed, but no serial order gives these reads and this final state`;
