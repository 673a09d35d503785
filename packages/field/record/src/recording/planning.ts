import type { Reason } from '../sql/followed.ts';
import type { Use } from '../sql/catalog.ts';
import type { Planned } from '../sql/planned.ts';
import { opaquePlan } from '../sql/plan.ts';
import type { AskServer } from '../wire/statement.ts';
import type { Plans } from './plans.ts';
import { CHANGED, QUESTION, type Settings } from './settings.ts';
import type { Transaction } from './transaction.ts';

/** Plans the statements of one connection, under its present settings. */
export class Planning {
  readonly #plans: Plans;
  readonly #settings: Settings;
  /** Whether the server has refused the question for the settings. */
  #isRefused = false;

  constructor(plans: Plans, settings: Settings) {
    this.#plans = plans;
    this.#settings = settings;
  }

  plan(
    sql: string,
    use: Use,
    ask: AskServer | null,
    transaction: Transaction | null,
  ): readonly Planned[] | Promise<readonly Planned[]> {
    if (ask !== null && this.#settings.isInDoubt && !this.#isRefused)
      return this.#planAfterAsking(sql, use, ask, transaction);
    const why = this.#settings.obscures(sql);
    if (why === null) return this.#plans.plan(sql, this.#settings, use);
    return [unreadable(why, `${/^\s*\w*/.exec(sql)![0].trim()} …`, sql)];
  }

  /**
   * Asks for the settings once they matter: at the start of a transaction, and before a statement whose names are
   * uncertain. Any other statement of a transaction may have to precede the transaction's first query.
   */
  async #planAfterAsking(
    sql: string,
    use: Use,
    ask: AskServer,
    transaction: Transaction | null,
  ): Promise<readonly Planned[]> {
    if (transaction !== null) {
      const planned = await this.plan(sql, use, null, transaction);
      if (planned[0]?.opaque !== CHANGED) return planned;
    }
    const row = await ask(QUESTION);
    this.#isRefused = row === null;
    const level = row && this.#settings.answers(row);
    if (level && transaction) transaction.level = level;
    return this.plan(sql, use, null, transaction);
  }

  /** Returns the statement as it is now: names may have another meaning since it was prepared. */
  present(statement: Planned): Planned {
    const { does, hidden, place } = statement;
    if (hidden === 0 || place === '') return statement;
    const sources = does.kind === 'select' ? does.sources : 'source' in does ? [does.source] : [];
    const isOutdated =
      (sources.length > 0 && place !== this.#settings.place) ||
      sources.some(({ table }) => this.#settings.hides(table.table));
    return isOutdated ? outdated(statement) : statement;
  }
}

/** A statement that passes unchanged, and whose effects are unknown. */
export const unreadable = (why: Reason, shape: string, sql: string): Planned => ({
  ...opaquePlan(why, shape),
  text: sql,
  added: null,
  literals: [],
  place: '',
});

/** A prepared statement whose names may mean other tables by now: its rows are hidden, but not recorded. */
const outdated = (statement: Planned): Planned => ({
  ...unreadable('a statement prepared under other settings', statement.shape, statement.text),
  added: statement.added,
  hidden: statement.hidden,
  isSilent: statement.isSilent,
  does: { kind: 'other' },
  unsettles: statement.unsettles,
  mayWriteUnseen: statement.does.kind !== 'select' || statement.mayWriteUnseen,
});
