/**
 * Searches for wrong results: plays varied templates in random orders of their statements, and compares every row that
 * the committed transactions read, and the final rows, with those of the same statements in one session.
 */
import type { Database } from '@isolab/collector';
import { type LevelName, implies } from '@isolab/contract';
import type { Random } from '@isolab/workloads';
import type { CaseStep } from '../cases/case.ts';
import { type Transactions, stepsOf } from '../cases/transactions.ts';
import { Pool } from '../play/play.ts';
import type { Sent } from '../play/sessions.ts';
import { interleavings } from './interleavings.ts';
import {
  type Outcomes,
  type Player,
  SerialOutcomes,
  SnapshotOutcomes,
  Unclear,
  committedIn,
  outcomeOf,
} from './outcomes.ts';
import { playerOn } from './player.ts';
import { TEMPLATES, type Template } from './templates.ts';
import { type Variant, variantOf } from './vary.ts';

export interface ResultsOptions {
  /** The database's own name of the isolation level, and the level that it claims. */
  readonly isolation: string;
  readonly level: LevelName;
  readonly random: Random;
  readonly seconds: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /**
   * Names of the templates that were played before, which the search extends. It plays the others and ends, or, if none
   * is left, plays variants until its time is over.
   */
  readonly played?: Set<string>;
  onPlayed?(counts: PlayedCounts): void;
}

export interface PlayedCounts {
  readonly schedules: number;
  readonly committed: number;
  readonly aborted: number;
}

/** A schedule with a result that the level forbids. */
export interface WrongResult {
  readonly template: Template;
  readonly transactions: Transactions;
  /** Statements with their answers, in the order of sending. */
  readonly sent: readonly Sent[];
  /** Reads that differ from those of the nearest permitted result, in words. */
  readonly differs: readonly string[];
}

/** Returns whether results at a level can be compared: weaker levels permit reads of several states. */
export const isComparable = (level: LevelName): boolean =>
  implies(level, 'plain-serializable') || implies(level, 'adya-snapshot-isolation');

/** Plays schedules for a time, until a result is wrong. */
export async function playResults(
  database: Database,
  options: ResultsOptions,
): Promise<{ readonly counts: PlayedCounts; readonly wrong: WrongResult | null }> {
  const end = performance.now() + 1000 * options.seconds;
  const pool = new Pool();
  const search = new Search(database, options, pool);
  const playsVariants = !search.hasTemplates;
  let wrong: WrongResult | null = null;
  try {
    while (wrong === null && performance.now() < end && !options.signal?.aborted && !search.isExhausted) {
      if (!playsVariants && !search.hasTemplates) break;
      wrong = await search.next(end);
    }
  } finally {
    await pool.close();
  }
  return { counts: search.counts, wrong };
}

class Search {
  readonly #options: ResultsOptions;
  readonly #player: Player;
  readonly #refused = new Set<string>();
  readonly #played: Set<string>;
  counts: PlayedCounts = { schedules: 0, committed: 0, aborted: 0 };
  /** Shows whether the database refuses all templates. */
  isExhausted = false;

  constructor(database: Database, options: ResultsOptions, pool: Pool) {
    this.#options = options;
    this.#played = options.played ?? new Set();
    this.#player = playerOn(database, options.isolation, { ...options, pool });
  }

  /** States whether templates are left that were not played. */
  get hasTemplates(): boolean {
    return TEMPLATES.some(({ name }) => !this.#isDone(name));
  }

  #isDone(name: string): boolean {
    return this.#refused.has(name) || this.#played.has(name);
  }

  /** Plays some schedules of one variant. The first variants of a template are the template itself. */
  async next(end: number): Promise<WrongResult | null> {
    const { random, signal } = this.#options;
    const open = TEMPLATES.filter(({ name }) => !this.#refused.has(name));
    if (open.length === 0) {
      this.isExhausted = true;
      return null;
    }
    const left = open.filter(({ name }) => !this.#isDone(name));
    const isPlain = left.length > 0;
    const drawn = random.pick(isPlain ? left : open);
    const variant = variantOf(drawn, random, this.#refused, isPlain);
    const { transactions, template } = variant;
    const outcomes = this.#outcomesOf(transactions);
    try {
      for (const steps of interleavings([...transactions.steps.values()], SCHEDULES, random)) {
        if (performance.now() > end || signal?.aborted) return null;
        const sent = await this.#play(transactions, steps);
        if (await isRight(outcomes, sent)) continue;
        return { template, ...(await this.#shrunk(await wrongOf(transactions, outcomes, sent), steps)) };
      }
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.#refuse(variant, error);
    }
    this.#played.add(template.name);
    return null;
  }

  #outcomesOf(given: Transactions): Outcomes {
    const isSerial = implies(this.#options.level, 'plain-serializable');
    return new (isSerial ? SerialOutcomes : SnapshotOutcomes)(given, this.#player);
  }

  async #play(given: Transactions, steps: readonly CaseStep[]): Promise<readonly Sent[]> {
    const sent = await this.#player(given, steps);
    const { schedules, committed, aborted } = this.counts;
    const done = committedIn(sent).length;
    this.counts = {
      schedules: schedules + 1,
      committed: committed + done,
      aborted: aborted + given.steps.size - done,
    };
    this.#options.onPlayed?.(this.counts);
    return sent;
  }

  /** Leaves out the kind of a statement that the database does not support. */
  #refuse({ kinds, template }: Variant, { sent, message }: Unclear): void {
    const failed = sent.find(({ answer }) => answer.kind === 'failed' || answer.kind === 'none');
    const index = [...kinds].find(([sql, kind]) => sql === kind && message.includes(sql));
    const kind = failed === undefined ? index?.[1] : kinds.get(failed.sql);
    this.#refused.add(kind ?? template.name);
  }

  /** Removes transactions, statements and indexes as long as the result stays wrong. */
  async #shrunk(wrong: Wrong, steps: readonly CaseStep[]): Promise<Wrong> {
    let [smallest, best] = [wrong, { given: wrong.transactions, steps }];
    const tries = async (next: Scheduled): Promise<void> => {
      const found = await this.#again(next).catch((error: unknown) => {
        if (error instanceof Unclear) return null;
        throw error;
      });
      if (found !== null) [smallest, best] = [found, next];
    };
    for (const name of best.given.steps.keys()) await tries(without(best, (step) => step.session === name));
    for (const step of steps.toReversed())
      if (step.kind === 'statement')
        await tries(without(best, ({ session, sql }) => session === step.session && sql === step.sql));
    for (const index of best.given.tables.filter((sql) => sql.includes(' INDEX ')))
      await tries({ ...best, given: { ...best.given, tables: best.given.tables.filter((sql) => sql !== index) } });
    return smallest;
  }

  async #again({ given, steps }: Scheduled): Promise<Wrong | null> {
    const outcomes = this.#outcomesOf(given);
    const sent = await this.#play(given, steps);
    return (await isRight(outcomes, sent)) ? null : wrongOf(given, outcomes, sent);
  }
}

type Wrong = Omit<WrongResult, 'template'>;

const wrongOf = async (transactions: Transactions, outcomes: Outcomes, sent: readonly Sent[]): Promise<Wrong> => ({
  transactions,
  sent,
  differs: await differencesOf(outcomes, sent),
});

const SCHEDULES = 6;

const isRight = (outcomes: Outcomes, sent: readonly Sent[]): Promise<boolean> =>
  outcomes.has(committedIn(sent), outcomeOf(sent));

interface Scheduled {
  readonly given: Transactions;
  readonly steps: readonly CaseStep[];
}

/** Removes steps; a transaction without statements is removed whole. Reads get new numbers. */
function without({ given, steps }: Scheduled, isOut: (step: CaseStep) => boolean): Scheduled {
  const left = [...given.steps].flatMap(([name, own]) => {
    const kept = own.filter((step) => !isOut(step) && step.kind !== 'begin' && step.kind !== 'commit');
    const sql = kept.map((step) => step.sql);
    return sql.some((one) => one !== 'ROLLBACK') ? [[name, stepsOf(name, sql)] as const] : [];
  });
  const next = new Map(left);
  const at = new Map<string, number>();
  const order = steps.filter((step) => !isOut(step) && next.has(step.session));
  const renewed = order.map(({ session }) => {
    const position = at.get(session) ?? 0;
    at.set(session, position + 1);
    return next.get(session)![position]!;
  });
  return { given: { ...given, steps: next }, steps: renewed };
}

/** Compares a result with the nearest permitted one, read by read. */
async function differencesOf(outcomes: Outcomes, sent: readonly Sent[]): Promise<readonly string[]> {
  const parsed = (text: string): ReadonlyMap<string, readonly string[]> =>
    new Map(JSON.parse(text) as [string, string[]][]);
  const own = parsed(outcomeOf(sent));
  const differing = (one: ReadonlyMap<string, readonly string[]>): string[] =>
    [...own].flatMap(([read, rows]) => {
      const expected = one.get(read) ?? [];
      return rows.join() === expected.join() ? [] : [`${read}: ${shown(rows)} instead of ${shown(expected)}`];
    });
  const all = (await outcomes.of(committedIn(sent))).map((text) => differing(parsed(text)));
  const [nearest] = all.toSorted((a, b) => a.length - b.length);
  return nearest ?? ['no order of the committed transactions is possible'];
}

const shown = (rows: readonly string[]): string =>
  rows.length === 0 ? 'no row' : rows.map((row) => `(${row.slice(1, -1)})`).join(' ');
