import type { Catalog, Table } from './sql/catalog.ts';

/** What became other than it was: the columns of its rows, or also what names them. */
export type Redefined = 'columns' | 'key';

/** All tables that there were while something was recorded, and which of them did not stay what they were. */
export class Definitions {
  readonly redefined = new Map<string, Redefined>();
  /** Those whose rows may have come and gone without a trace: made anew, truncated, dropped. */
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

  /** By its name with its schema; of a table that was dropped, what it was. */
  tableOf(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  /** Those whose rows can be followed. */
  get followed(): readonly Table[] {
    return [...this.#tables.values()].filter(({ problem }) => problem === null);
  }
}
