import type { Catalog, Table } from '../sql/catalog.ts';

/** Changed part of a table: the columns of its rows, or also the key that names the rows. */
export type Redefined = 'columns' | 'key';

/** All tables that existed during a recording, and those that changed meanwhile. */
export class Definitions {
  readonly redefined = new Map<string, Redefined>();
  /** Tables whose rows may have come and gone without a trace: made again, truncated, dropped. */
  readonly replaced = new Set<string>();
  readonly #tables = new Map<string, Table>();

  constructor(catalog: Catalog) {
    this.update(catalog);
  }

  /** The catalog was read again. */
  update({ tables }: Catalog): void {
    for (const [name, table] of tables) {
      const known = this.#tables.get(name);
      if (known && known.definition !== table.definition && this.redefined.get(table.name) !== 'key')
        this.redefined.set(table.name, known.key.join('\0') === table.key.join('\0') ? 'columns' : 'key');
      if (known && known.storage !== table.storage) this.replaced.add(table.name);
      this.#tables.set(name, table);
    }
    for (const [name, table] of this.#tables) if (!tables.has(name)) this.replaced.add(table.name);
  }

  /** Table by its name with its schema; a dropped table as it was. */
  tableOf(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  /** Tables whose rows can be followed. */
  get followed(): readonly Table[] {
    return [...this.#tables.values()].filter(({ problem }) => problem === null);
  }
}
