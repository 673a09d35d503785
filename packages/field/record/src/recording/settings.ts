import type { Catalog, Names } from '../sql/catalog.ts';
import { levelNamed } from '../sql/commands.ts';
import type { Doing, Level } from '../sql/planned.ts';
import type { SessionFacts } from '../wire/statement.ts';

type Change = Extract<Doing, { readonly kind: 'level' | 'names' | 'reset' | 'definition' }>;

interface State {
  readonly level: Level;
  /** Null if the schemas are unknown. */
  readonly schemas: readonly string[] | null;
  /** Whether the current user may differ from the connection's first user. */
  readonly isOtherUser: boolean;
  /** The names of temporary tables, which hide other tables. */
  readonly temporary: readonly string[];
}

const UNKNOWN: State = { level: 'read committed', schemas: null, isOtherUser: true, temporary: [] };

/** The level of a connection's transactions, and the meaning of the names in its statements. */
export class Settings {
  readonly #user: string;
  readonly #unreadable: ReadonlySet<string>;
  readonly #first: State;
  #state: State;
  /** The state when the transaction began. */
  #before: State;
  /** A key that is equal for connections in which names have the same meaning. */
  meaning = '';

  constructor({ user, settings }: SessionFacts, unreadable: ReadonlySet<string>) {
    this.#user = user;
    this.#unreadable = unreadable;
    const level = levelNamed(settings['level'] ?? '') ?? 'read committed';
    const schemas = JSON.parse(settings['schemas'] ?? '["public"]') as string[];
    this.#first = this.#state = this.#before = { level, schemas, isOtherUser: false, temporary: [] };
    this.#set(this.#first);
  }

  get level(): Level {
    return this.#state.level;
  }

  names(catalog: Catalog): Names {
    const { schemas, isOtherUser, temporary } = this.#state;
    return { catalog, schemas, isOtherUser, temporary: new Set(temporary), unreadable: this.#unreadable };
  }

  change(change: Change): void {
    const state = this.#state;
    switch (change.kind) {
      case 'level':
        if (change.level !== null)
          this.#set({ ...state, level: change.level === 'initial' ? this.#first.level : change.level });
        break;
      case 'names':
        if (change.of === 'any') this.#set(UNKNOWN);
        else if (change.of === 'user') this.#set({ ...state, isOtherUser: !change.isInitial });
        else this.#set({ ...state, schemas: change.isInitial ? this.#first.schemas : null });
        break;
      case 'reset':
        if (change.discards) this.#set(this.#first);
        else this.#set({ ...state, level: this.#first.level, schemas: this.#first.schemas });
        break;
      case 'definition':
        if (change.temporary !== null) this.#set({ ...state, temporary: [...state.temporary, change.temporary] });
    }
  }

  begin(): void {
    this.#before = this.#state;
  }

  /** Restores the settings from before the transaction. */
  rollback(): void {
    if (this.#state !== this.#before) this.#set(this.#before);
  }

  /** Restores the settings from before a savepoint, which are not stored separately. */
  rollbackTo(): void {
    if (this.#state !== this.#before) this.#set(UNKNOWN);
  }

  #set(state: State): void {
    this.#state = state;
    const { schemas, isOtherUser, temporary } = state;
    this.meaning = JSON.stringify([this.#user, schemas, isOtherUser, temporary]);
  }
}
