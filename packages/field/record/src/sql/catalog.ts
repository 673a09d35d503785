import type { Reason } from './followed.ts';

/** The facts about a database's tables from which isolab derives the rows that a statement reads and writes. */
export interface Catalog {
  /** Tables by name with schema, such as `public.accounts`. */
  readonly tables: ReadonlyMap<string, Table>;
  /** The names of user-defined functions, whose effects are unknown. */
  readonly functions: ReadonlySet<string>;
  /** Functions that may change settings or create temporary tables, and functions that may define tables. */
  readonly setters: ReadonlySet<string>;
  readonly definers: ReadonlySet<string>;
  readonly aggregates: ReadonlySet<string>;
  /** The server's version, such as 180004. */
  readonly version: number;
  /** Whether some triggers may be deferred until COMMIT. */
  readonly defersTriggers: boolean;
  /** SQL expression for the number of the current transaction; null if the number is not wanted. */
  readonly xid: string | null;
}

export interface Table {
  /** The table's name in the history: without the schema if that is `public`. */
  readonly name: string;
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in key order; empty if the table has no primary key. */
  readonly key: readonly string[];
  /** Sets of columns on which the database enforces uniqueness. */
  readonly unique: readonly (readonly string[])[];
  /** The reason why the table's rows cannot be tracked, such as a missing primary key. */
  readonly problem: Reason | null;
  /** Side effects of writes to the table: triggers, rules, cascading foreign keys. */
  readonly sideEffect: Reason | null;
  /**
   * Whether an UPDATE at READ COMMITTED may return an old version other than the replaced one: PostgreSQL does so if a
   * BEFORE trigger has waited for another transaction's update.
   */
  readonly returnsStaleOld: boolean;
  /** Whether the history has all initial rows of the table, with all columns. */
  readonly isWhole: boolean;
  /** The reason why the log does not identify the changed rows of the table; null if it does. */
  readonly notInLog: string | null;
  /** Changes when the table's columns are redefined. */
  readonly definition: string;
  /** Changes when the table is recreated, truncated, or written to another file. */
  readonly storage: string;
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * How values of a column are recorded and compared. `opaque` values are texts that only the database can compare.
 * Columns are `left out` if their text depends on the session, as a time depends on its time zone, or if they are
 * computed when read.
 */
export type ColumnType = 'integer' | 'bigint' | 'boolean' | 'text' | 'opaque' | 'left out';

/** The meaning of names in a session. */
export interface Names {
  readonly catalog: Catalog;
  /** The schemas in which unqualified names are looked up. */
  readonly schemas: readonly string[];
  /** The reason why no name is certain, such as a changed role; null if names are certain. */
  readonly doubt: Reason | null;
  /** Temporary tables, which hide other tables of the same name. */
  readonly temporary: ReadonlySet<string>;
  /** Tables that the user may not read: a query for their hidden columns would fail. */
  readonly unreadable: ReadonlySet<string>;
  readonly use: Use;
}

/**
 * How a statement is sent. A `prepared` statement may run at any time, in any format, and while the types of columns
 * change; the results of a query are texts. The other words state how the number of a query's transaction is learned:
 * it is already `numbered`; the rows that the query writes show the number (`numbering`); or else it must be queried.
 */
export type Use = 'prepared' | 'query' | 'numbering query' | 'numbered query';

/** Runs a query that changes nothing. */
export type Ask = (sql: string, parameters?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** `isWhole` states whether the history has all rows of a table. */
export async function readCatalog(ask: Ask, isWhole: (table: string) => boolean, wantsXids: boolean): Promise<Catalog> {
  const tables = await readTables(ask, isWhole, null);
  const functions = (await ask(FUNCTIONS)) as unknown as FunctionRow[];
  const namesOf = (some: (row: FunctionRow) => boolean): ReadonlySet<string> =>
    new Set(functions.filter(some).map(({ name }) => name));
  const [{ version, defersTriggers }] = (await ask(SERVER)) as unknown as [
    { version: number; defersTriggers: boolean },
  ];
  return {
    tables,
    functions: namesOf(({ aggregates }) => !aggregates),
    setters: namesOf(({ sets }) => sets),
    definers: namesOf(({ defines }) => defines),
    aggregates: namesOf(({ aggregates }) => aggregates),
    version,
    defersTriggers,
    xid: wantsXids ? (version >= 130_000 ? XID : XID_BEFORE_13) : null,
  };
}

/** Reads all tables of a database, or only those with the given names, in any schema. */
export async function readTables(
  ask: Ask,
  isWhole: (table: string) => boolean,
  names: readonly string[] | null,
): Promise<ReadonlyMap<string, Table>> {
  const rows = names === null ? ask(tablesWhose(`>= ${FIRST_OF_USERS}`)) : ask(tablesWhose(NAMED), [names]);
  const tables = new Map<string, Table>();
  for (const row of (await rows) as unknown as TableRow[]) {
    const name = historyName(row.schema, row.table);
    tables.set(`${row.schema}.${row.table}`, {
      name,
      schema: row.schema,
      table: row.table,
      columns: row.columns.map(([column, type, isPlain]) => ({ name: column, type: columnType(type, isPlain) })),
      key: row.key ?? [],
      unique: row.unique ?? [],
      problem: problemOf(row),
      sideEffect: sideEffectOf(row),
      returnsStaleOld: row.beforeUpdate,
      isWhole: isWhole(name),
      notInLog: notInLogOf(row),
      definition: JSON.stringify([row.definition, row.columns, row.key]),
      storage: row.storage,
    });
  }
  return tables;
}

interface FunctionRow {
  readonly name: string;
  readonly aggregates: boolean;
  readonly sets: boolean;
  readonly defines: boolean;
}

const XID = 'pg_catalog.pg_current_xact_id_if_assigned()';
const XID_BEFORE_13 = 'pg_catalog.txid_current_if_assigned()';

// A slash would end the table's name within the name of a row.
const historyName = (schema: string, table: string): string =>
  (schema === 'public' ? table : `${schema}.${table}`).replaceAll('/', '_');

interface TableRow {
  readonly schema: string;
  readonly table: string;
  readonly kind: string;
  readonly rules: boolean;
  readonly policies: boolean;
  readonly heirs: boolean;
  readonly triggers: boolean;
  readonly beforeUpdate: boolean;
  readonly cascades: boolean;
  readonly isLogged: boolean;
  readonly identity: string;
  readonly definition: string;
  readonly storage: string;
  /** The type is empty if the column's text depends on the session. */
  readonly columns: readonly (readonly [name: string, type: string, hasPlainCollation: boolean])[];
  readonly key: readonly string[] | null;
  readonly unique: readonly (readonly string[])[] | null;
}

export const WITHOUT_KEY = 'a table without a primary key';

function problemOf({ kind, key, columns, rules, policies, heirs }: TableRow): Reason | null {
  if (kind === 'v' || kind === 'm') return 'a view';
  if (kind === 'f') return 'a foreign table';
  if (kind === 'p') return 'a partitioned table';
  if (rules) return 'a table with rules';
  if (policies) return 'a table with row-level security';
  if (heirs) return 'a table that others inherit from';
  if (key === null) return WITHOUT_KEY;
  const isLeftOut = ([column, type]: TableRow['columns'][number]): boolean => key.includes(column) && type === '';
  return columns.some(isLeftOut) ? 'a primary key whose text depends on the session' : null;
}

function sideEffectOf({ triggers, cascades }: TableRow): Reason | null {
  if (triggers) return 'triggers';
  return cascades ? 'foreign keys that cascade' : null;
}

function notInLogOf({ isLogged, identity }: TableRow): string | null {
  if (!isLogged) return 'an unlogged table';
  return identity === '' ? 'its REPLICA IDENTITY lacks the primary key' : null;
}

function columnType(type: string, hasPlainCollation: boolean): ColumnType {
  switch (type) {
    case '':
      return 'left out';
    case 'int2':
    case 'int4':
      return 'integer';
    case 'int8':
      return 'bigint';
    case 'bool':
      return 'boolean';
    case 'text':
    case 'varchar':
      // Under a nondeterministic collation, different texts may be equal.
      return hasPlainCollation ? 'text' : 'opaque';
    default:
      return 'opaque';
  }
}

/** Types whose text depends on settings of the session, such as its time zone or search path. */
const DEPENDING_ON_SESSION = `
float4 float8 money bytea xml date time timetz timestamp timestamptz interval
daterange tsrange tstzrange datemultirange tsmultirange tstzmultirange
regclass regtype regproc regprocedure regoper regoperator regconfig regdictionary regrole regnamespace regcollation`
  .trim()
  .split(/\s+/)
  .map((name) => `'${name}'`)
  .join();

/** The lowest identity of an object that does not belong to the system. */
const FIRST_OF_USERS = 16_384;

const NAMED = 'in (select oid from pg_class where relname = any($1))';

/** The query for the tables whose identities satisfy a condition. */
const tablesWhose = (identity: string): string => `
select n.nspname as schema, c.relname as table, c.relkind as kind, c.relhasrules as rules,
  c.relrowsecurity as policies, c.relhassubclass as heirs,
  exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
  exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgtype & 19 = 19) as "beforeUpdate",
  exists (select from pg_constraint f where f.confrelid = c.oid and f.contype = 'f'
    and (f.confdeltype in ('c', 'n', 'd') or f.confupdtype in ('c', 'n', 'd'))) as cascades,
  c.relpersistence = 'p' as "isLogged",
  case when c.relreplident in ('d', 'f') or exists (select from pg_index i
    where i.indrelid = c.oid and i.indisreplident and i.indisprimary) then c.relreplident::text else '' end as identity,
  concat_ws(' ', c.relnatts, c.relreplident) as definition,
  concat_ws(' ', c.oid, pg_relation_filenode(c.oid)) as storage,
  coalesce(columns, '[]') as columns, key, "unique"
from pg_class c join pg_namespace n on n.oid = c.relnamespace
  left join (select attrelid, json_agg(json_build_array(a.attname,
      case when e.typname in (${DEPENDING_ON_SESSION}) or e.typtype in ('c', 'd')
          or a.atthasdef and to_jsonb(a)->>'attgenerated' = 'v' then '' else b.typname end,
      coalesce(l.collisdeterministic, true)) order by a.attnum) as columns
    from pg_attribute a join pg_type y on y.oid = a.atttypid
      join pg_type b on b.oid = case when y.typtype = 'd' then y.typbasetype else y.oid end
      join pg_type e on e.oid = case when b.typelem <> 0 and b.typlen = -1 then b.typelem else b.oid end
      left join pg_collation l on l.oid = a.attcollation
    where a.attrelid ${identity} and a.attnum > 0 and not a.attisdropped group by attrelid) of_columns
    on attrelid = c.oid
  left join (select indrelid, json_agg(names) filter (where indisprimary)->0 as key, json_agg(names) as "unique"
    from (select i.indrelid, i.indisprimary, json_agg(a.attname order by k.place) as names
      from pg_index i, unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as k (attnum, place), pg_attribute a
      where i.indrelid ${identity} and i.indisunique and i.indpred is null and i.indexprs is null
        and a.attrelid = i.indrelid and a.attnum = k.attnum group by i.indexrelid) indexes
    group by indrelid) of_indexes
    on indrelid = c.oid
where c.oid ${identity} and c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
  and n.nspname not like 'pg_temp%' and n.nspname not like 'pg_toast%' and not c.relispartition
  and c.relpersistence <> 't'`;

/** Code that may change settings that the proxy relies on, or create temporary tables. */
export const SETS =
  'set_config|search_path|isolation|authorization|\\yrole\\y|client_encoding|conforming_strings|\\yreset\\y|discard|\\ytemp|execute';
/** Code that may define tables. */
export const DEFINES = '\\y(create|alter|drop)\\y';

const FUNCTIONS = `
select p.proname as name, false as aggregates,
  bool_or(p.prosrc ~* '${SETS}' or l.lanname not in ('sql', 'plpgsql', 'c', 'internal')
    or to_jsonb(p)->>'prosqlbody' like '%:funcid 2078 %') as sets,
  bool_or(p.prosrc ~* '${DEFINES}') as defines
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
where p.oid >= ${FIRST_OF_USERS} and p.prokind <> 'a' and n.nspname not in ('pg_catalog', 'information_schema')
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
group by p.proname
union all select proname, true, false, false from pg_aggregate join pg_proc on oid = aggfnoid`;

const SERVER = `
select current_setting('server_version_num')::int as version,
  exists (select from pg_trigger where tgdeferrable and not tgisinternal) as "defersTriggers"`;
