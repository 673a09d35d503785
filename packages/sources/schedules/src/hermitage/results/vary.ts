/** Varies templates: indexes, kinds of statements, further statements and transactions, savepoints. */
import type { Random } from '@isolab/workloads';
import { type Transactions, stepsOf } from '../cases/transactions.ts';
import { TABLES, type Template } from './templates.ts';

export interface Variant {
  readonly template: Template;
  readonly transactions: Transactions;
  /** Kind of each statement that was drawn, by its text. */
  readonly kinds: ReadonlyMap<string, string>;
}

/**
 * Changes a template, or leaves it as it is. Leaves out the kinds of statements and indexes in `refused`, which the
 * database does not support.
 */
export function variantOf(template: Template, random: Random, refused: ReadonlySet<string>, isPlain: boolean): Variant {
  const draw = new Draw(random, refused, template.name);
  const transactions = template.transactions.map((statements) => [...statements]);
  for (const statement of transactions.flat()) draw.kinds.set(statement, template.name);
  if (template.index !== undefined) {
    draw.indexes.push(template.index);
    draw.kinds.set(template.index, template.name);
  }
  const changes = isPlain ? 0 : random.pick([0, 1, 1, 2, 3]);
  for (let i = 0; i < changes; i++) draw.change(transactions);
  const steps = transactions.map((statements, i) => [`T${i + 1}`, stepsOf(`T${i + 1}`, statements)] as const);
  return {
    template,
    transactions: { tables: [...TABLES, ...draw.indexes], steps: new Map(steps) },
    kinds: draw.kinds,
  };
}

class Draw {
  readonly #random: Random;
  readonly #kinds: readonly Kind[];
  readonly #index: readonly string[];
  readonly kinds = new Map<string, string>();
  readonly indexes: string[] = [];

  constructor(random: Random, refused: ReadonlySet<string>, template: string) {
    this.#random = random;
    this.#kinds = KINDS.filter(({ name }) => !refused.has(name) && name !== template);
    this.#index = INDEXES.filter((index) => !refused.has(index));
  }

  /** Changes the transactions in one place. */
  change(transactions: string[][]): void {
    const random = this.#random;
    const own = random.pick(transactions);
    const end = own.at(-1) === 'ROLLBACK' ? own.length - 1 : own.length;
    const at = random.below(end + 1);
    switch (random.pick(['index', 'add', 'add', 'replace', 'another', 'savepoint', 'snapshot', 'constant'] as const)) {
      case 'index':
        return this.#addIndex();
      case 'add':
        return void own.splice(at, 0, this.#statement());
      case 'replace':
        return void own.splice(Math.min(at, end - 1), 1, this.#statement());
      case 'another':
        if (transactions.length < MOST_TRANSACTIONS)
          transactions.push(Array.from({ length: random.between(1, 3) }, () => this.#statement()));
        return;
      case 'savepoint':
        if (!own.includes(SAVEPOINT) && this.#kinds.includes(SAVEPOINTS))
          own.splice(
            at,
            0,
            this.#noted(SAVEPOINTS.name, SAVEPOINT),
            this.#statement(),
            this.#noted(SAVEPOINTS.name, BACK),
          );
        return;
      case 'snapshot':
        return void own.unshift(`SELECT COUNT(*) FROM ${random.pick(['isolab_t', 'isolab_u'])}`);
      case 'constant':
        return this.#increment(own);
    }
  }

  #addIndex(): void {
    if (this.#index.length === 0) return;
    const index = this.#random.pick(this.#index);
    if (!this.indexes.includes(index)) this.indexes.push(index);
    this.kinds.set(index, index);
  }

  /** Turns `SET a = 12` into `SET a = a + 12`. */
  #increment(own: string[]): void {
    const at = own.findIndex((sql) => CONSTANT.test(sql));
    if (at >= 0) own[at] = this.#noted(this.kinds.get(own[at]!)!, own[at]!.replace(CONSTANT, 'SET $1 = $1 + $2'));
  }

  #statement(): string {
    const { name, sql } = this.#random.pick(this.#kinds.filter((kind) => kind !== SAVEPOINTS));
    return this.#noted(name, sql(this.#random));
  }

  #noted(kind: string, sql: string): string {
    this.kinds.set(sql, kind);
    return sql;
  }
}

const MOST_TRANSACTIONS = 3;
const CONSTANT = /SET (\w) = (\d+)/;

interface Kind {
  readonly name: string;
  readonly sql: (random: Random) => string;
}

const table = (random: Random): string => random.pick(['isolab_t', 'isolab_t', 'isolab_u']);
const id = (random: Random): number => random.between(1, 5);
const some = (random: Random): string =>
  random.pick(['a >= 20', 'a < 25', 'b = 2', 'b <= 2', 'a = 20', 'id > 1', 'a % 3 = 0', 'b IN (1, 3)']);

const SAVEPOINT = 'SAVEPOINT isolab_s';
const BACK = 'ROLLBACK TO SAVEPOINT isolab_s';
const SAVEPOINTS: Kind = { name: 'savepoint', sql: () => SAVEPOINT };

/** Kinds of statements; a database refuses those that it does not support. */
const KINDS: readonly Kind[] = [
  SAVEPOINTS,
  { name: 'read', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE id = ${id(r)}` },
  { name: 'search', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE ${some(r)}` },
  { name: 'count', sql: (r) => `SELECT COUNT(*), MAX(a), SUM(b) FROM ${table(r)} WHERE ${some(r)}` },
  { name: 'extremes', sql: (r) => `SELECT MIN(a), MAX(b) FROM ${table(r)}` },
  { name: 'first', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE ${some(r)} ORDER BY a, id LIMIT 1` },
  { name: 'join', sql: () => 'SELECT t.id, t.a, u.a FROM isolab_t t LEFT JOIN isolab_u u ON u.id = t.b' },
  {
    name: 'subquery',
    sql: (r) => `SELECT id FROM isolab_t WHERE b IN (SELECT id FROM isolab_u WHERE ${some(r)})`,
  },
  { name: 'for update', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE ${some(r)} FOR UPDATE` },
  { name: 'for share', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE id = ${id(r)} FOR SHARE` },
  { name: 'lock in share mode', sql: (r) => `SELECT id, a, b FROM ${table(r)} WHERE ${some(r)} LOCK IN SHARE MODE` },
  { name: 'set', sql: (r) => `UPDATE ${table(r)} SET a = ${r.between(1, 60)} WHERE id = ${id(r)}` },
  { name: 'increment', sql: (r) => `UPDATE ${table(r)} SET a = a + 1 WHERE id = ${id(r)}` },
  { name: 'increments', sql: (r) => `UPDATE ${table(r)} SET b = b + 1 WHERE ${some(r)}` },
  { name: 'exchange', sql: (r) => `UPDATE ${table(r)} SET a = b, b = a WHERE ${some(r)}` },
  {
    name: 'set by subquery',
    sql: (r) => `UPDATE isolab_t SET a = (SELECT MAX(a) FROM isolab_u) + 1 WHERE ${some(r)}`,
  },
  { name: 'set the key', sql: (r) => `UPDATE ${table(r)} SET id = id + 10 WHERE id = ${id(r)}` },
  { name: 'update nothing', sql: (r) => `UPDATE ${table(r)} SET a = 0 WHERE id = 99` },
  { name: 'delete', sql: (r) => `DELETE FROM ${table(r)} WHERE id = ${id(r)}` },
  { name: 'deletes', sql: (r) => `DELETE FROM ${table(r)} WHERE ${some(r)}` },
  { name: 'delete nothing', sql: (r) => `DELETE FROM ${table(r)} WHERE id = 99` },
  { name: 'insert', sql: (r) => `INSERT INTO ${table(r)} (id, a, b) VALUES (${id(r)}, ${r.between(1, 60)}, 2)` },
  {
    name: 'insert by query',
    sql: (r) => `INSERT INTO isolab_u (id, a, b) SELECT id + 20, a + 1, b FROM isolab_t WHERE ${some(r)}`,
  },
  {
    name: 'insert the next',
    sql: (r) => `INSERT INTO isolab_t (id, a, b) SELECT COALESCE(MAX(id), 0) + 1, ${r.between(1, 60)}, 2 FROM isolab_t`,
  },
  {
    name: 'upsert',
    sql: (r) =>
      `INSERT INTO isolab_t (id, a, b) VALUES (${id(r)}, 7, 2) ON CONFLICT (id) DO UPDATE SET a = isolab_t.a + 1`,
  },
  {
    name: 'insert if absent',
    sql: (r) => `INSERT INTO isolab_t (id, a, b) VALUES (${id(r)}, 7, 2) ON CONFLICT (id) DO NOTHING`,
  },
  {
    name: 'on duplicate key',
    sql: (r) => `INSERT INTO isolab_t (id, a, b) VALUES (${id(r)}, 7, 2) ON DUPLICATE KEY UPDATE a = a + 1`,
  },
  { name: 'replace', sql: (r) => `REPLACE INTO isolab_t (id, a, b) VALUES (${id(r)}, 7, 2)` },
];

const INDEXES: readonly string[] = [
  'CREATE INDEX isolab_i ON isolab_t (a)',
  'CREATE INDEX isolab_j ON isolab_t (b, a)',
  'CREATE UNIQUE INDEX isolab_k ON isolab_t (a, id)',
  'CREATE INDEX isolab_l ON isolab_u (b, a, id)',
];
