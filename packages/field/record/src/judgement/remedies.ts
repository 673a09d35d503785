import { originOf } from '../sql/origin.ts';

/** The remedies of one framework in its own words. */
export interface Framework {
  readonly name: string;
  /** How to lock a row when it is read. */
  readonly lock: string;
  /** How to let the UPDATE compute the new value. */
  readonly compute: string;
  /** How to run a transaction at a level, for example SERIALIZABLE. */
  readonly level: (level: string) => string;
  /** Statements that only this framework writes. */
  readonly writes: RegExp | null;
}

const pascal = (level: string): string =>
  level.replaceAll(/(\w)(\w*) ?/g, (_, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase());
const snake = (level: string): string => level.toLowerCase().replaceAll(' ', '_');

/** The frameworks whose words the advice knows; of two whose statements look alike, the more specific comes first. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'prisma',
    lock: 'await tx.$queryRaw`SELECT … FOR UPDATE`',
    compute: 'update({ data: { n: { decrement: 1 } } })',
    level: (level) => `prisma.$transaction(…, { isolationLevel: '${pascal(level)}' })`,
    writes: /\bAND 1=1\b|\bWHERE 1=1\b|"public"\."\w+"\."\w+"/,
  },
  {
    name: 'hibernate',
    lock: 'em.find(Item.class, id, LockModeType.PESSIMISTIC_WRITE), or @Version on the entity',
    compute: '@Query("update Item i set i.n = i.n - 1 where i.id = :id")',
    level: (level) => `@Transactional(isolation = Isolation.${snake(level).toUpperCase()})`,
    writes: /\b[a-z]+\d+_\d+\.\w+/,
  },
  {
    name: 'django',
    lock: 'Item.objects.select_for_update().get(pk=id)',
    compute: "Item.objects.filter(pk=id).update(n=F('n') - 1)",
    level: (level) =>
      `DATABASES['default']['OPTIONS'] = {'isolation_level': IsolationLevel.${snake(level).toUpperCase()}}`,
    writes: /^(SELECT|UPDATE|INSERT INTO) .*"\w+_\w+"(\."\w+"| SET )/s,
  },
  {
    name: 'sqlalchemy',
    lock: 'session.get(Item, id, with_for_update=True), or select(…).with_for_update()',
    compute: 'item.n = Item.n - 1',
    level: (level) => `session.connection(execution_options={"isolation_level": "${level}"})`,
    writes: /\bAS \w+_\w+ ?\nFROM |^SELECT [\w., ]+ \nFROM |^UPDATE \w+ SET \w+=/,
  },
  {
    name: 'typeorm',
    lock: "findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })",
    compute: "repository.decrement({ id }, 'n', 1)",
    level: (level) => `dataSource.transaction('${level}', …)`,
    writes: /"(\w+)"\."(\w+)" AS "\1_\2"/,
  },
  {
    name: 'sequelize',
    lock: 'Item.findByPk(id, { transaction: t, lock: t.LOCK.UPDATE })',
    compute: "item.decrement('n', { transaction: t })",
    level: (level) =>
      `sequelize.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.${snake(level).toUpperCase()} }, …)`,
    writes: /\bAS "\w+" WHERE "\w+"\."\w+" = |^UPDATE "\w+" SET "\w+"=\$?/,
  },
  {
    name: 'activerecord',
    lock: 'item.with_lock { … }, or Item.lock.find(id)',
    compute: "Item.where(id: id).update_all('n = n - 1')",
    level: (level) => `Item.transaction(isolation: :${snake(level)}) { … }`,
    writes: /^SELECT "(\w+)"\.\* FROM "\1" WHERE "\1"\."\w+" = .* LIMIT /s,
  },
  {
    name: 'drizzle',
    lock: "tx.select().from(items).where(…).for('update')",
    compute: 'tx.update(items).set({ n: sql`${items.n} - 1` })',
    level: (level) => `db.transaction(…, { isolationLevel: '${level.toLowerCase()}' })`,
    writes: /^select .* from "(\w+)" where "\1"\."\w+" = |^update "(\w+)" set .* where "\2"\."\w+" = /s,
  },
  {
    name: 'knex',
    lock: "trx('items').where({ id }).forUpdate().first()",
    compute: "trx('items').where({ id }).decrement('n', 1)",
    level: (level) => `knex.transaction(…, { isolationLevel: '${level.toLowerCase()}' })`,
    writes: /^(select|update) .*"\w+".* where "\w+" = /s,
  },
  {
    name: 'sqlc',
    lock: '-- name: GetItemForUpdate :one, with SELECT … FOR UPDATE',
    compute: '-- name: DecrementItem :exec, with UPDATE … SET n = n - 1',
    level: (level) => `db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.Level${pascal(level)}})`,
    writes: /^-- name: \w+ :(one|many|exec)/,
  },
];

export const frameworkNamed = (name: string): Framework | undefined =>
  FRAMEWORKS.find((each) =>
    name
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
      .startsWith(each.name),
  );

/** Finds the framework that wrote the statements, by their comments or by their form. */
export function frameworkOf(statements: readonly string[]): Framework | null {
  for (const sql of statements) {
    const { framework } = originOf(sql);
    const named = framework === null ? undefined : frameworkNamed(framework);
    if (named) return named;
  }
  const bare = statements.map((sql) => originOf(sql).sql);
  return FRAMEWORKS.find(({ writes }) => writes && bare.some((sql) => writes.test(sql))) ?? null;
}
