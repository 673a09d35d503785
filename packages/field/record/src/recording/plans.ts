import { type Ask, type Catalog, type Names, type Use, readCatalog, readTables } from '../sql/catalog.ts';
import type { LiteralAt } from '../sql/condition.ts';
import { inserted } from '../sql/edit.ts';
import { type Literals, literalsOf } from '../sql/literals.ts';
import type { Parser } from '../sql/parser.ts';
import { EMPTY_PLAN, planOf, unchangedPlan, xidQuery } from '../sql/plan.ts';
import type { Doing, Plan, Planned, PlannedNames } from '../sql/planned.ts';
import { CHANGED, DEFINED } from './settings.ts';
import { Template, type TemplatePart } from './templates.ts';

/** Limit for the total length of the cached query strings without their literals. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Maximum wait for the lock on a table. */
const LOCKED_MS = 200;
/** SQLSTATEs of errors that would also occur with other constants and at another time. */
const REFUSALS = /^(0A|42)/;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export interface PlansOptions {
  readonly parser: Parser;
  readonly ask: Ask;
  readonly catalog: Catalog;
  readonly isWhole: (table: string) => boolean;
  /** Receives the catalog after it was read again because definitions may have changed. */
  readonly onCatalog: (catalog: Catalog) => void;
}

/** The names of a session's statements. */
export interface Meaning {
  /** A key that is equal if names have the same meaning. */
  readonly meaning: string;
  readonly path: string;
  names(catalog: Catalog): Omit<Names, 'use'>;
}

/** The cache key of a query string with its constants. Other keys never begin with a zero character. */
const ownKey = (sql: string): string => `\0${sql}`;

/** Templates by the query string without its literals, for one meaning of names. */
type Templates = Readonly<Record<Use, Map<string, Template>>>;

const USES: readonly Use[] = ['prepared', 'query', 'numbering query', 'numbered query'];

const noTemplates = (): Templates => Object.fromEntries(USES.map((use) => [use, new Map()])) as unknown as Templates;

/** Plans how statements are sent. Statements that differ only in their literals are planned once. */
export class Plans {
  catalog: Catalog;
  readonly #options: PlansOptions;
  /** Number of times that definitions have changed, and that number when the catalog was read. */
  #changes = 0;
  #changesRead = 0;
  /** Number of changes that may have created or dropped schemas. */
  schemaChanges = 0;
  /** The tables whose definitions changed since then; null stands for any table. */
  readonly #outdated = new Set<string | null>();
  #trials = 0;
  #reading: Promise<void> | null = null;
  /** Templates by the meaning of names. */
  readonly #templates = new Map<string, Templates>();
  #kept = 0;

  constructor(options: PlansOptions) {
    this.#options = options;
    this.catalog = options.catalog;
  }

  /** `settings` resolve the session's names. */
  plan(sql: string, settings: Meaning, use: Use): readonly Planned[] | Promise<readonly Planned[]> {
    if (!this.isOutdated) return this.#planNow(sql, settings, use);
    return this.readAgain().then(() => this.#planNow(sql, settings, use));
  }

  get isOutdated(): boolean {
    return this.#changesRead !== this.#changes;
  }

  #planNow(sql: string, settings: Meaning, use: Use): readonly Planned[] | Promise<readonly Planned[]> {
    const { catalog } = this;
    const { meaning } = settings;
    const literals = literalsOf(sql);
    const key = literals?.key ?? sql;
    const templates = this.#templates.get(meaning);
    const templateFor = (each: Use): Template | undefined =>
      templates?.[each].get(key) ?? templates?.[each].get(ownKey(sql));
    const known = templateFor(use);
    if (known) return known.filledIn(sql, literals);
    const names = { ...settings.names(catalog), use };
    const parts = this.#think(sql, literals, names);
    const keep = (accepted: readonly TemplatePart[], isFinal: boolean): readonly Planned[] => {
      const template = new Template(sql, literals, accepted, plannedNames(settings, catalog));
      const needsConstants = accepted.some(({ plan }) => plan.needsConstants);
      if (isFinal && catalog === this.catalog) this.#keep(meaning, use, needsConstants ? ownKey(sql) : key, template);
      return template.filledIn(sql, literals);
    };
    // The columns that are added for another use differ only in casts.
    const others = USES.map(templateFor);
    const isTaken = ({ plan }: TemplatePart, i: number): boolean =>
      plan.insertion === null || others.some((other) => other?.hasColumns(i));
    if (parts.every(isTaken)) return keep(parts, true);
    return this.#accepted(sql, parts, names).then(({ asked, isFinal }) => keep(asked, isFinal));
  }

  /** Returns a prepared statement as it would be planned now. */
  planAgain(sql: string, settings: Meaning): Planned | undefined {
    const literals = literalsOf(sql);
    const parts = this.#think(sql, literals, { ...settings.names(this.catalog), use: 'prepared' });
    return new Template(sql, literals, parts, plannedNames(settings, this.catalog)).filledIn(sql, literals)[0];
  }

  /** Empties the cache when it is full; templates in use soon return. */
  #keep(meaning: string, use: Use, key: string, template: Template): void {
    this.#kept += key.length;
    if (this.#kept > MOST_CHARACTERS) {
      this.#templates.clear();
      this.#kept = key.length;
    }
    const templates = this.#templates.get(meaning) ?? noTemplates();
    templates[use].set(key, template);
    this.#templates.set(meaning, templates);
  }

  /** Forgets all templates because definitions of tables have changed. */
  forget(tables: ReadonlySet<string | null>): void {
    this.#changes++;
    if (tables.has(null)) this.schemaChanges++;
    for (const table of tables) this.#outdated.add(table);
  }

  #think(sql: string, literals: Literals | null, names: Names): readonly TemplatePart[] {
    const texts = this.#options.parser.split(sql) ?? [sql];
    if (texts.length === 0) return [{ plan: EMPTY_PLAN, start: 0, end: sql.length, behind: null }];
    let end = 0;
    let present = names;
    return texts.map((text) => {
      const start = end;
      end += text.length;
      const plan = planOf(this.#options.parser, text, present, literalAt(sql, start, literals));
      const behind = this.#askedBehind(plan, present);
      present = namesAfter(plan, present);
      return { plan, start, end, behind };
    });
  }

  #askedBehind({ canAskBehind, mayWriteUnseen, tellsXid }: Plan, { use }: Names): Planned | null {
    const { xid } = this.catalog;
    const isUnknown = xid !== null && use !== 'numbered query' && tellsXid === null;
    return isUnknown && canAskBehind && mayWriteUnseen ? xidQuery(xid) : null;
  }

  /** Returns whether the database accepts the changed statements; a refused statement is sent unchanged. */
  async #accepted(
    sql: string,
    parts: readonly TemplatePart[],
    names: Names,
  ): Promise<{ readonly asked: readonly TemplatePart[]; readonly isFinal: boolean }> {
    const asked: TemplatePart[] = [];
    let isFinal = true;
    for (const part of parts) {
      const { plan, start, end } = part;
      const text = sql.slice(start, end);
      const isTaken = plan.insertion === null || (await this.#isTaken(inserted(text, plan.insertion), names.schemas));
      if (isTaken === null) isFinal = false;
      if (isTaken) asked.push(part);
      else {
        const unchanged = unchangedPlan(plan);
        asked.push({ ...part, plan: unchanged, behind: this.#askedBehind(unchanged, names) });
      }
    }
    return { asked, isFinal };
  }

  /**
   * Null if the answer is uncertain. A table may be locked, and the holder of the lock may itself wait for the result.
   */
  async #isTaken(text: string, schemas: readonly string[]): Promise<boolean | null> {
    const name = `isolab_trial_${++this.#trials}`;
    const { ask } = this.#options;
    try {
      await ask(
        `SET search_path = ${schemas.map(quoted).join() || "''"}; SET lock_timeout = ${LOCKED_MS};
        PREPARE ${name} AS ${text}\n; DEALLOCATE ${name}`,
      );
      return true;
    } catch (error) {
      return REFUSALS.test((error as { readonly code?: string }).code ?? '') ? false : null;
    }
  }

  /** Reads the catalog again until it shows all present changes. */
  async readAgain(): Promise<void> {
    const changes = this.#changes;
    while (this.#changesRead < changes) await (this.#reading ??= this.#read());
  }

  async #read(): Promise<void> {
    const changes = this.#changes;
    const outdated = [...this.#outdated];
    this.#outdated.clear();
    try {
      this.catalog = await this.#catalogWith(outdated);
    } catch (error) {
      for (const table of outdated) this.#outdated.add(table);
      throw error;
    } finally {
      this.#reading = null;
    }
    this.#options.onCatalog(this.catalog);
    this.#changesRead = changes;
    this.#templates.clear();
    this.#kept = 0;
  }

  async #catalogWith(outdated: readonly (string | null)[]): Promise<Catalog> {
    const { ask, isWhole } = this.#options;
    const names = outdated.filter((name) => name !== null);
    // An event trigger may have defined other tables.
    if (names.length < outdated.length || this.catalog.definers.size > 0)
      return readCatalog(ask, isWhole, this.catalog.xid !== null);
    const tables = await readTables(ask, isWhole, names);
    return { ...this.catalog, tables: new Map([...this.catalog.tables, ...tables]) };
  }
}

const plannedNames = ({ meaning, path }: Meaning, catalog: Catalog): PlannedNames => ({ meaning, path, catalog });

/** Returns the names that the later statements of a query string have. */
function namesAfter({ unsettles, does, mayWriteUnseen }: Plan, before: Names): Names {
  // Another statement may begin or end a transaction, or set a savepoint.
  const isPlain = WITH_ROWS.has(does.kind) && !mayWriteUnseen;
  const names: Names = isPlain || before.use === 'prepared' ? before : { ...before, use: 'query' };
  if (unsettles !== null) return { ...names, doubt: unsettles === 'settings' ? CHANGED : DEFINED };
  if (does.kind !== 'definition' || does.temporary === null) return names;
  return { ...names, temporary: new Set([...names.temporary, does.temporary]) };
}

const WITH_ROWS: ReadonlySet<Doing['kind']> = new Set(['select', 'insert', 'update', 'delete']);

/** The literals of a part are numbered within the whole query string. */
function literalAt(sql: string, start: number, literals: Literals | null): LiteralAt {
  if (literals === null) return () => null;
  return (place) => {
    const at = place + start;
    const isNegative = sql[at] === '-';
    const literal = literals.starts.findIndex((each) => (isNegative ? each > at : each === at));
    return literal < 0 ? null : { literal, sign: isNegative ? '-' : '' };
  };
}
