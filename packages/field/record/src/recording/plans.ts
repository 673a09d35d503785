import { type Ask, type Catalog, type Names, readCatalog } from '../sql/catalog.ts';
import type { LiteralAt } from '../sql/condition.ts';
import { inserted } from '../sql/edit.ts';
import { type Literals, literalsOf } from '../sql/literals.ts';
import type { Parser } from '../sql/parser.ts';
import { EMPTY_PLAN, planOf, unchangedPlan, xidQuery } from '../sql/plan.ts';
import type { Plan, Planned } from '../sql/planned.ts';
import { Template, type TemplatePart } from './templates.ts';

/** Limit for the query strings without their literals. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Time that it may take until a table can be examined, and the error where it takes longer. */
const LOCKED_MS = 200;
/** SQLSTATEs of errors in a statement that other constants, and another time, would not fix. */
const REFUSALS = /^(0A|42)/;

const SEARCH_PATH = `select set_config('search_path', (select string_agg(quote_ident(s), ', ') from unnest($1::text[]) s), false)`;

export interface PlansOptions {
  readonly parser: Parser;
  readonly ask: Ask;
  readonly catalog: Catalog;
  /** Whether the history has all rows of a table. */
  readonly isWhole: (table: string) => boolean;
  /** Receives the catalog when it was read again, because definitions may have changed. */
  readonly onCatalog: (catalog: Catalog) => void;
}

/** The key of a query string with its constants. No other key begins with a zero. */
const ownKey = (sql: string): string => `\0${sql}`;

/** How statements are sent. Those that differ in their literals alone are thought over once. */
export class Plans {
  catalog: Catalog;
  readonly #options: PlansOptions;
  #isOld = false;
  #trials = 0;
  #reading: Promise<void> | null = null;
  /** Templates by the meaning of names, and by the query string without its literals. */
  readonly #templates = new Map<string, Map<string, Template>>();
  #kept = 0;

  constructor(options: PlansOptions) {
    this.#options = options;
    this.catalog = options.catalog;
  }

  /** `meaning` and `namesOf` resolve the session's names. */
  plan(
    sql: string,
    meaning: string,
    namesOf: (catalog: Catalog) => Names,
  ): readonly Planned[] | Promise<readonly Planned[]> {
    if (this.#isOld) return this.#readAgain().then(() => this.plan(sql, meaning, namesOf));
    const literals = literalsOf(sql);
    const key = literals?.key ?? sql;
    const templates = this.#templates.get(meaning);
    const known = templates?.get(key) ?? templates?.get(ownKey(sql));
    if (known) return known.filledIn(sql, literals);
    const names = namesOf(this.catalog);
    const parts = this.#think(sql, literals, names);
    const keep = (accepted: readonly TemplatePart[], isFinal: boolean): readonly Planned[] => {
      const template = new Template(sql, literals, accepted);
      const needsConstants = accepted.some(({ plan }) => plan.needsConstants);
      if (isFinal) this.#keep(meaning, needsConstants ? ownKey(sql) : key, template);
      return template.filledIn(sql, literals);
    };
    if (parts.every(({ plan }) => plan.insertion === null)) return keep(parts, true);
    return this.#accepted(sql, parts, names.schemas).then(({ asked, isFinal }) => keep(asked, isFinal));
  }

  /** Where there are too many, all are forgotten, and those that are in use soon come back. */
  #keep(meaning: string, key: string, template: Template): void {
    this.#kept += key.length;
    if (this.#kept > MOST_CHARACTERS) {
      this.#templates.clear();
      this.#kept = key.length;
    }
    const templates = this.#templates.get(meaning);
    if (templates) templates.set(key, template);
    else this.#templates.set(meaning, new Map([[key, template]]));
  }

  /** Definitions of tables have changed. */
  forget(): void {
    this.#isOld = true;
  }

  #think(sql: string, literals: Literals | null, names: Names): readonly TemplatePart[] {
    const texts = this.#options.parser.split(sql) ?? [sql];
    if (texts.length === 0) return [{ plan: EMPTY_PLAN, start: 0, end: sql.length, behind: null }];
    let end = 0;
    return texts.map((text) => {
      const start = end;
      end += text.length;
      const plan = planOf(this.#options.parser, text, names, literalAt(sql, start, literals));
      return { plan, start, end, behind: this.#askedBehind(plan) };
    });
  }

  #askedBehind({ canAskBehind, mayWriteUnseen, tellsXid }: Plan): Planned | null {
    const { xid } = this.catalog;
    return xid !== null && canAskBehind && mayWriteUnseen && !tellsXid ? xidQuery(xid) : null;
  }

  /** Whether the database takes the changed statements; one that it refuses is sent as it is. */
  async #accepted(
    sql: string,
    parts: readonly TemplatePart[],
    schemas: readonly string[] | null,
  ): Promise<{ readonly asked: readonly TemplatePart[]; readonly isFinal: boolean }> {
    const asked: TemplatePart[] = [];
    let isFinal = true;
    for (const part of parts) {
      const { plan, start, end } = part;
      const text = sql.slice(start, end);
      const isTaken = plan.insertion === null || (await this.#isTaken(inserted(text, plan.insertion), schemas));
      if (isTaken === null) isFinal = false;
      if (isTaken) asked.push(part);
      else {
        const unchanged = unchangedPlan(plan);
        asked.push({ ...part, plan: unchanged, behind: this.#askedBehind(unchanged) });
      }
    }
    return { asked, isFinal };
  }

  /** Null where it is not certain. A table may be locked, and the holder of the lock may itself wait for the result. */
  async #isTaken(text: string, schemas: readonly string[] | null): Promise<boolean | null> {
    const name = `isolab_trial_${++this.#trials}`;
    const { ask } = this.#options;
    try {
      if (schemas) await ask(SEARCH_PATH, [schemas]);
      await ask(`SET lock_timeout = ${LOCKED_MS}`);
      await ask(`PREPARE ${name} AS ${text}`);
      await ask(`DEALLOCATE ${name}`);
      return true;
    } catch (error) {
      return REFUSALS.test((error as { readonly code?: string }).code ?? '') ? false : null;
    }
  }

  async #readAgain(): Promise<void> {
    const { ask, isWhole, onCatalog } = this.#options;
    this.#reading ??= readCatalog(ask, isWhole, this.catalog.xid !== null).then((catalog) => {
      this.catalog = catalog;
      onCatalog(catalog);
      this.#isOld = false;
      this.#reading = null;
      this.#templates.clear();
      this.#kept = 0;
    });
    await this.#reading;
  }
}

/** The literals of a part are counted over the whole query string. */
function literalAt(sql: string, start: number, literals: Literals | null): LiteralAt {
  if (literals === null) return () => null;
  return (place) => {
    const at = place + start;
    const isNegative = sql[at] === '-';
    const literal = literals.starts.findIndex((each) => (isNegative ? each > at : each === at));
    return literal < 0 ? null : { literal, sign: isNegative ? '-' : '' };
  };
}
