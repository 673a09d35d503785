import type { Catalog, Table } from '../sql/catalog.ts';

/** The changed part of a table: the columns of its rows, or also the key that identifies the rows. */
export type Redefined = 'columns' | 'key';

/** All tables that existed during a recording, and the tables that changed meanwhile. */
export class Definitions {
  readonly redefined = new Map<string, Redefined>();
  /** Tables whose rows may have come and gone without a trace: recreated, truncated or dropped tables. */
  readonly replaced = new Set<string>();
  /** Tables that got their primary key during the recording: their earlier rows were not recorded. */
  readonly keyed = new Set<string>();
  readonly #tables = new Map<string, Table>();

  constructor(catalog: Catalog) {
    this.update(catalog);
  }

  /** Takes in the tables of a catalog that was read again. */
  update({ tables }: Catalog): void {
    for (const [name, table] of tables) {
      const known = this.#tables.get(name);
      if (known && known.key.length === 0 && table.key.length > 0) this.keyed.add(table.name);
      else if (known && known.definition !== table.definition && this.redefined.get(table.name) !== 'key')
        this.redefined.set(table.name, layoutOfKey(known) === layoutOfKey(table) ? 'columns' : 'key');
      if (known && known.storage !== table.storage) this.replaced.add(table.name);
      this.#tables.set(name, table);
    }
    for (const [name, table] of this.#tables) if (!tables.has(name)) this.replaced.add(table.name);
  }

  /** Finds a table by its name with schema; a dropped table is returned in its last form. */
  tableOf(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  /** Tables whose rows can be tracked. */
  get followed(): readonly Table[] {
    return [...this.#tables.values()].filter(({ problem }) => problem === null);
  }
}

/** A statement that was planned before a change finds the key by its place among the columns. */
const layoutOfKey = ({ key, columns }: Table): string => {
  const places = key.map((name) => columns.findIndex((column) => column.name === name));
  return JSON.stringify(places.map((at) => [at, columns[at]]));
};
