import type { Reason } from '../sql/followed.ts';
import type { Table, Use } from '../sql/catalog.ts';
import type { Plan, Planned } from '../sql/planned.ts';
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
  /** The changes of schemas by all sessions that the settings have taken into account. */
  #schemaChanges: number;
  /** Prepared statements as they were last planned again. */
  readonly #presented = new WeakMap<Planned, Planned>();

  constructor(plans: Plans, settings: Settings) {
    this.#plans = plans;
    this.#settings = settings;
    this.#schemaChanges = plans.schemaChanges;
  }

  plan(
    sql: string,
    use: Use,
    ask: AskServer | null,
    transaction: Transaction | null,
  ): readonly Planned[] | Promise<readonly Planned[]> {
    this.#noteSchemas();
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
      if (planned[0]?.plan.opaque !== CHANGED) return planned;
    }
    await this.#learns(ask, transaction);
    return this.plan(sql, use, null, transaction);
  }

  async #learns(ask: AskServer | null, transaction: Transaction | null): Promise<void> {
    const [row] = await Promise.all([ask?.(QUESTION), this.#plans.readAgain()]);
    if (row === undefined) return;
    this.#isRefused = row === null;
    const level = row && this.#settings.answers(row);
    if (level && transaction) transaction.level = level;
  }

  #noteSchemas(): void {
    if (this.#schemaChanges === this.#plans.schemaChanges) return;
    this.#schemaChanges = this.#plans.schemaChanges;
    this.#settings.mayHaveOtherSchemas();
  }

  /** Returns a prepared statement as it is now: its names may mean other tables since it was planned. */
  present(statement: Planned, ask: AskServer | null, transaction: Transaction | null): Planned | Promise<Planned> {
    if (statement.names === null) return statement;
    this.#noteSchemas();
    if (this.#isPresent(statement)) return statement;
    const asks = ask !== null && this.#settings.isInDoubt && !this.#isRefused ? ask : null;
    if (asks === null && !this.#plans.isOutdated) return this.#presentNow(statement);
    return this.#learns(asks, transaction).then(() => this.#presentNow(statement));
  }

  #isPresent({ names }: Planned): boolean {
    return (
      names !== null &&
      names.meaning === this.#settings.meaning &&
      names.catalog === this.#plans.catalog &&
      !this.#plans.isOutdated
    );
  }

  #presentNow(statement: Planned): Planned {
    const last = this.#presented.get(statement) ?? statement;
    if (this.#isPresent(last)) return last;
    const now = this.#plans.isOutdated ? undefined : this.#plans.planAgain(statement.text, this.#settings);
    if (now?.added?.text !== statement.added?.text || this.#isHidden(last, now!)) return outdated(statement);
    this.#presented.set(statement, now!);
    return now!;
  }

  /**
   * Returns whether a new table hides one that a statement uses: PostgreSQL looks up the names again only if the search
   * path or the used tables change, or at any later time.
   */
  #isHidden(last: Planned, now: Planned): boolean {
    if (last.names!.path !== this.#settings.path) return false;
    const tables = tablesOf(now);
    const isHidden = ({ schema, table }: Table, i: number): boolean =>
      tables[i]!.schema !== schema && this.#plans.catalog.tables.has(`${schema}.${table}`);
    return tablesOf(last).some(isHidden);
  }
}

const tablesOf = ({ plan: { does } }: Planned): readonly Table[] => {
  if (does.kind === 'select') return does.sources.map(({ table }) => table);
  return 'source' in does ? [does.source.table] : [];
};

/** A statement that passes unchanged, and whose effects are unknown. */
export const unreadable = (why: Reason, shape: string, sql: string): Planned => {
  const plan = opaquePlan(why, shape);
  return { plan, hidden: 0, isSilent: false, commits: false, text: sql, added: null, literals: [], names: null };
};

/** A prepared statement whose names may mean other tables by now: its rows are hidden, but not recorded. */
function outdated({ plan, text, added, hidden, isSilent }: Planned): Planned {
  const now: Plan = {
    ...opaquePlan('a statement prepared under other settings', plan.shape),
    does: { kind: 'other' },
    unsettles: plan.unsettles,
    mayWriteUnseen: plan.does.kind !== 'select' || plan.mayWriteUnseen,
  };
  return { plan: now, text, added, hidden, isSilent, commits: false, literals: [], names: null };
}
