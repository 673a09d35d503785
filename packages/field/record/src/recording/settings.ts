import type { Catalog, Names } from '../sql/catalog.ts';
import { levelNamed } from '../sql/commands.ts';
import type { Reason } from '../sql/followed.ts';
import type { Level } from '../sql/planned.ts';
import type { SessionFacts } from '../wire/statement.ts';

/** Settings that the server does not report, as one row of texts. */
export const QUESTION = `SELECT pg_catalog.current_setting('default_transaction_isolation'),
  pg_catalog.current_setting('transaction_isolation'), pg_catalog.to_json(pg_catalog.current_schemas(false)),
  CURRENT_USER::text, (SELECT pg_catalog.json_agg(relname) FROM pg_catalog.pg_class
    WHERE relnamespace OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema())`;

export type Row = readonly (string | null)[];

/** The level of a connection's transactions, and the meaning of the texts and names in its statements. */
export class Settings {
  readonly #user: string;
  readonly #unreadable: ReadonlySet<string>;
  readonly #reported = new Map<string, string>();
  #level: Level;
  #schemas: readonly string[];
  /** Whether the current user may differ from the connection's first user. */
  #isOtherUser = false;
  /** Temporary tables, which hide other tables. */
  #temporary: readonly string[] = [];
  /** Whether a statement may have changed settings since they were last known. */
  #mayHaveChanged = false;
  /** Number of unanswered statements that may change settings. */
  #underWay = 0;
  /** Whether the transaction has defined tables, which other connections do not see yet. */
  #definesTables = false;
  /** Whether the end of the transaction may change settings. */
  #endUnsettles = false;
  /** Equal for connections in which names have the same meaning, and for those with the same search path. */
  meaning = '';
  path = '';

  constructor({ user, settings, reported }: SessionFacts, unreadable: ReadonlySet<string>) {
    this.#user = user;
    this.#unreadable = unreadable;
    this.#level = levelNamed(settings['level'] ?? '') ?? 'read committed';
    this.#schemas = JSON.parse(settings['schemas'] ?? '["public"]') as string[];
    for (const [name, value] of Object.entries(reported)) this.#reported.set(name, value);
    this.#changed();
  }

  get isInDoubt(): boolean {
    return this.#mayHaveChanged || this.#underWay > 0;
  }

  /** An uncertain level is treated as the weakest level. */
  get level(): Level {
    return this.isInDoubt ? 'read committed' : this.#level;
  }

  names(catalog: Catalog): Omit<Names, 'use'> {
    const [schemas, doubt] = [this.#schemas, this.#doubt];
    return { catalog, schemas, doubt, temporary: new Set(this.#temporary), unreadable: this.#unreadable };
  }

  /** Returns the reason why a text is not parsed, such as another meaning to the server; null if there is none. */
  obscures(sql: string): Reason | null {
    if (sql.length > LONGEST) return 'a text of more than 100,000 characters';
    const isStandard = this.#reported.get('standard_conforming_strings') !== 'off';
    if (this.#isUnicode && isStandard && !this.isInDoubt) return null;
    if ((!this.#isUnicode || this.isInDoubt) && BEYOND_ASCII.test(sql)) return ENCODING;
    return (!isStandard || this.isInDoubt) && sql.includes('\\') ? STRINGS : null;
  }

  /** Notes that another connection may have created or dropped a schema of the search path. */
  mayHaveOtherSchemas(): void {
    this.#mayHaveChanged = true;
    this.#changed();
  }

  /** Notes that a statement was sent that may change settings, or define tables. */
  mayChange(): void {
    this.#underWay++;
    this.#changed();
  }

  /** Notes the answer to such a statement; null if it failed. */
  hasChanged(what: 'settings' | 'definitions' | null): void {
    this.#underWay--;
    if (what !== null) this.#endUnsettles = this.#mayHaveChanged = true;
    this.#definesTables ||= what === 'definitions';
    this.#changed();
  }

  createsTemporary(name: string): void {
    this.#endUnsettles = true;
    this.#temporary = [...this.#temporary, name];
    this.#changed();
  }

  /** Takes in the answer to QUESTION and returns the level of the present transaction. */
  answers(row: Row): Level | null {
    const [level, present, schemas, user, temporary] = row;
    this.#level = levelNamed(level ?? '') ?? 'read committed';
    this.#schemas = JSON.parse(schemas ?? '[]') as string[];
    this.#isOtherUser = user !== this.#user;
    this.#temporary = JSON.parse(temporary ?? '[]') as string[];
    this.#mayHaveChanged = false;
    this.#changed();
    return levelNamed(present ?? '');
  }

  reports(name: string, value: string): void {
    if (name === 'search_path' && this.#reported.get(name) !== value) this.#mayHaveChanged = true;
    this.#reported.set(name, value);
    this.#changed();
  }

  /** Settings return to their former values if the transaction, or a part of it, is rolled back. */
  ends(): void {
    if (!this.#endUnsettles) return;
    this.#mayHaveChanged = true;
    this.#definesTables = this.#endUnsettles = false;
    this.#changed();
  }

  rollbackTo(): void {
    if (!this.#endUnsettles) return;
    this.#mayHaveChanged = true;
    this.#changed();
  }

  get #isUnicode(): boolean {
    const [client, server] = [this.#reported.get('client_encoding'), this.#reported.get('server_encoding')];
    // Without a conversion, clients get the bytes of the database.
    if (client === 'SQL_ASCII') return server === 'UTF8' || server === 'SQL_ASCII';
    return client === undefined || client === 'UTF8';
  }

  get #doubt(): Reason | null {
    if (!this.#isUnicode) return ENCODING;
    if (this.#definesTables) return DEFINED;
    if (this.isInDoubt) return CHANGED;
    return this.#isOtherUser ? 'a changed role' : null;
  }

  #changed(): void {
    this.path = JSON.stringify(this.#schemas);
    this.meaning = JSON.stringify([this.#user, this.path, this.#doubt, this.#temporary]);
  }
}

const BEYOND_ASCII = /\P{ASCII}/u;
const LONGEST = 100_000;
const ENCODING = 'a client_encoding other than UTF8';
const STRINGS = 'a backslash without standard_conforming_strings';
export const DEFINED = 'a definition before it in the transaction';
export const CHANGED = 'a setting that may have changed before it';
