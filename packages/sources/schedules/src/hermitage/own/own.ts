/**
 * Checks whether a user's transactions are safe at a level: whether every schedule has the result of some serial order.
 */
import type { Database } from '@isolab/collector';
import { Interrupted } from '@isolab/engines';
import { type CaseStep, tableNames } from '../cases/case.ts';
import type { CellOutcome } from '../play/cell.ts';
import type { Sent } from '../play/sessions.ts';
import { play } from '../play/play.ts';
import { type Claiming, sessionAt } from '../play/run.ts';
import { countInterleavings, interleavings } from './interleavings.ts';
import type { Transactions } from './read-file.ts';

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

type Player = (steps: readonly CaseStep[]) => Promise<readonly Sent[]>;

/** Returns a function that plays steps on new tables and fails if their effects are unknown. */
const playerOf =
  (database: Database, { tables }: Transactions, isolation: string, { waitMs, signal }: OwnOptions): Player =>
  async (steps) => {
    const final = tableNames(tables).map((table) => `SELECT * FROM ${table}`);
    const { sent, givenUp } = await play({ case: { tables, steps, final }, database, isolation }, { waitMs, signal });
    const why = givenUp ?? sent.map(unclear).find((one) => one !== null);
    if (why !== undefined) throw new Unclear(why, sent);
    return sent;
  };

function unclear({ session, sql, answer, isCleanUp }: Sent): string | null {
  if (isCleanUp) return null; // the transaction may already be undone
  if (answer.kind === 'none') return `${session}, ${sql}: no answer`;
  return answer.kind === 'failed' ? `${session}, ${sql}: ${answer.why}` : null;
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
  const player = playerOf(database, given, name, options);
  const serial = new SerialOutcomes(given, player);
  try {
    await serial.insistOnSteady();
    for (const steps of schedules) {
      last = await player(steps);
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

/** Error of steps with unknown effects. */
class Unclear extends Error {
  readonly sent: readonly Sent[];

  constructor(why: string, sent: readonly Sent[]) {
    super(why);
    this.sent = sent;
  }
}

/** Reads and final rows of the transactions in every serial order, as the database itself shows them. */
class SerialOutcomes {
  readonly #given: Transactions;
  readonly #player: Player;
  readonly #found = new Map<string, Promise<string | null>>();

  constructor(given: Transactions, player: Player) {
    this.#given = given;
    this.#player = player;
  }

  /**
   * Fails if statements give different answers each time, such as the time of day, because every schedule would look
   * wrong.
   */
  async insistOnSteady(): Promise<void> {
    const order = [...this.#given.steps.keys()];
    const [once, again] = [await this.#play(order), await this.#play(order)];
    if (once !== again)
      throw new Unclear(
        'two serial runs of the transactions gave different rows; do they use a clock or random numbers?',
        [],
      );
  }

  async has(committed: readonly string[], outcome: string): Promise<boolean> {
    for (const order of permutations(committed)) {
      const key = order.join();
      const found = this.#found.get(key) ?? this.#play(order);
      this.#found.set(key, found);
      if ((await found) === outcome) return true;
    }
    return false;
  }

  /** Returns null if the database refuses a serial order, for example because of a constraint. */
  async #play(order: readonly string[]): Promise<string | null> {
    const sent = await this.#player(order.flatMap((name) => this.#given.steps.get(name)!));
    return committedIn(sent).length === order.length ? outcomeOf(sent) : null;
  }
}

/** Ignores transactions that roll back deliberately: they leave no effects, and their reads do not count. */
const committedIn = (sent: readonly Sent[]): readonly string[] =>
  sent
    .filter(({ kind, answer }) => kind === 'commit' && answer.kind === 'rows')
    .map(({ session }) => session)
    .toSorted();

/** Returns the reads of the committed transactions and the final rows, independent of row order. */
function outcomeOf(sent: readonly Sent[]): string {
  const seen = new Set([...committedIn(sent), 'afterwards']);
  const reads = sent.flatMap(({ session, read, answer }) =>
    read !== undefined && seen.has(session) && answer.kind === 'rows'
      ? [[read, answer.rows.map((row) => JSON.stringify(row)).toSorted()] as const]
      : [],
  );
  return JSON.stringify(reads.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function permutations(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [[]];
  return names.flatMap((name) => permutations(names.filter((one) => one !== name)).map((rest) => [name, ...rest]));
}
