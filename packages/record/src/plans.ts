import { type Ask, type Catalog, type Names, readCatalog } from './sql/catalog.ts';
import type { LiteralAt } from './sql/condition.ts';
import { inserted } from './sql/edit.ts';
import { type Literals, literalsOf, valueOfLiteral } from './sql/literals.ts';
import type { Parser } from './sql/parser.ts';
import { planOf, unchangedPlan, xidQuery } from './sql/plan.ts';
import type { Plan, Planned } from './sql/planned.ts';

const MOST_KEPT = 5_000;

/** The plans of the statements of a query string, and the part of it that each of them is. */
interface Template {
  readonly plans: readonly Plan[];
  readonly parts: readonly Part[];
}

interface Part {
  readonly start: number;
  readonly end: number;
}

const SEARCH_PATH = `select set_config('search_path', (select string_agg(quote_ident(s), ', ') from unnest($1::text[]) s), false)`;
const NO_LITERALS = { starts: [], ends: [] };

export interface PlansOptions {
  readonly parser: Parser;
  readonly ask: Ask;
  readonly catalog: Catalog;
  /** Of which tables the history has all rows. */
  readonly isWhole: (table: string) => boolean;
  /** Told of the catalog when it was read again, because definitions may have changed. */
  readonly onCatalog: (catalog: Catalog) => void;
}

/** How statements are sent. Those that differ in their literals alone are thought over once. */
export class Plans {
  readonly #parser: Parser;
  readonly #ask: Ask;
  readonly #isWhole: (table: string) => boolean;
  readonly #onCatalog: (catalog: Catalog) => void;
  #catalog: Catalog;
  #isOld = false;
  #trials = 0;
  #reading: Promise<void> | null = null;
  /** By what names mean and the query string without its literals. */
  readonly #templates = new Map<
    string,
    { readonly template: Template; readonly literals: Literals | null; readonly sql: string }
  >();

  constructor({ parser, ask, catalog, isWhole, onCatalog }: PlansOptions) {
    this.#parser = parser;
    this.#ask = ask;
    this.#catalog = catalog;
    this.#isWhole = isWhole;
    this.#onCatalog = onCatalog;
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** `meaning` names what the session's names mean, `namesOf` says it. */
  plan(
    sql: string,
    meaning: string,
    namesOf: (catalog: Catalog) => Names,
  ): readonly Planned[] | Promise<readonly Planned[]> {
    if (this.#isOld) return this.#readAgain().then(() => this.plan(sql, meaning, namesOf));
    const literals = literalsOf(sql);
    const key = `${meaning}\0${literals?.key ?? sql}`;
    const known = this.#templates.get(key);
    if (known) return this.#filledIn(known.template, known.literals, sql, literals);
    const names = namesOf(this.#catalog);
    const template = this.#think(sql, literals, names);
    const keep = (accepted: Template): readonly Planned[] => {
      if (this.#templates.size >= MOST_KEPT) this.#templates.delete(this.#templates.keys().next().value!);
      this.#templates.set(key, { template: accepted, literals, sql });
      return this.#filledIn(accepted, literals, sql, literals);
    };
    if (template.plans.every(({ insertion }) => insertion === null)) return keep(template);
    return this.#accepted(sql, template, names.schemas).then(keep);
  }

  #filledIn(...template: Parameters<typeof filledIn>): readonly Planned[] {
    const planned = filledIn(...template);
    const { xid } = this.#catalog;
    if (xid === null) return planned;
    return planned.flatMap((plan) =>
      plan.canAskBehind && plan.mayWriteUnseen && !plan.tellsXid ? [plan, xidQuery(xid)] : [plan],
    );
  }

  /** Definitions of tables have changed. */
  forget(): void {
    this.#isOld = true;
  }

  #think(sql: string, literals: Literals | null, names: Names): Template {
    const texts = this.#parser.split(sql) ?? [sql];
    const parts: Part[] = [];
    for (let i = 0, start = 0; i < Math.max(1, texts.length); i++) {
      const end = start + (texts[i]?.length ?? sql.length);
      parts.push({ start, end });
      start = end;
    }
    const plans = parts.map(({ start, end }) =>
      planOf(this.#parser, sql.slice(start, end), names, literalAt(sql, start, literals)),
    );
    return { plans, parts };
  }

  /** Whether the database takes the changed statements; one that it refuses is sent as it is. */
  async #accepted(sql: string, { plans, parts }: Template, schemas: readonly string[] | null): Promise<Template> {
    const asked: Plan[] = [];
    for (const [i, plan] of plans.entries()) {
      const text = sql.slice(parts[i]!.start, parts[i]!.end);
      const isFine = plan.insertion === null || (await this.#isTaken(inserted(text, plan.insertion), schemas));
      asked.push(isFine ? plan : unchangedPlan(plan));
    }
    return { plans: asked, parts };
  }

  async #isTaken(text: string, schemas: readonly string[] | null): Promise<boolean> {
    const name = `isolab_trial_${++this.#trials}`;
    try {
      if (schemas) await this.#ask(SEARCH_PATH, [schemas]);
      await this.#ask(`PREPARE ${name} AS ${text}`);
      await this.#ask(`DEALLOCATE ${name}`);
      return true;
    } catch {
      return false;
    }
  }

  async #readAgain(): Promise<void> {
    const wantsXids = this.#catalog.xid !== null;
    this.#reading ??= readCatalog(this.#ask, this.#isWhole, wantsXids).then((catalog) => {
      this.#catalog = catalog;
      this.#onCatalog(catalog);
      this.#isOld = false;
      this.#reading = null;
      this.#templates.clear();
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

/** A template with the literals of a query string. Columns are inserted where they were in the first one. */
function filledIn(
  { plans, parts }: Template,
  first: Literals | null,
  sql: string,
  literals: Literals | null,
): readonly Planned[] {
  const { starts, ends } = literals ?? NO_LITERALS;
  const values = starts.map((start, i) => valueOfLiteral(sql, start, ends[i]!));
  const { starts: firstStarts, ends: firstEnds } = first ?? NO_LITERALS;
  const moved = (place: number): number => {
    let at = place;
    for (let i = 0; i < firstStarts.length && firstEnds[i]! <= place; i++)
      at += ends[i]! - starts[i]! - (firstEnds[i]! - firstStarts[i]!);
    return at;
  };
  return plans.map((plan, i) => {
    const [start, end] = [moved(parts[i]!.start), i === plans.length - 1 ? sql.length : moved(parts[i]!.end)];
    const text = sql.slice(start, end);
    const { insertion } = plan;
    const at = insertion && moved(parts[i]!.start + insertion.at) - start;
    const added = insertion && { at: at!, length: insertion.text.length };
    return {
      ...plan,
      text: insertion ? inserted(text, { at: at!, text: insertion.text }) : text,
      added,
      literals: values,
    };
  });
}
