import { lowBits, wholeNumber } from '../recorded/xids.ts';
import { type Ask, type Catalog, type Table, readCatalog } from '../sql/catalog.ts';

export interface Ground {
  readonly catalog: Catalog;
  /** The names of the tables that had too many rows to read them all. */
  readonly partial: ReadonlySet<string>;
  readonly version: string;
  /**
   * Whether a version, given its writer's number, certainly existed already. A snapshot says nothing about a
   * subtransaction while older transactions are running.
   */
  readonly isInitial: (xmin: number) => boolean;
  /** Returns the number of a later transaction, given its lower 32 bits. */
  readonly wholeNumber: (xmin: number) => string;
  /** Whether a transaction was committed when the recording began. */
  readonly hasSeen: (xid: number) => boolean;
  /** The lowest possible number of a transaction that was committed later. */
  readonly oldestXid: number;
  readonly counters: Counters;
}

export type Counters = ReadonlyMap<string, Counter>;

interface Counter {
  /** Identity of the table: a table that was dropped and recreated has a new identity. */
  readonly oid: number;
  /** Identity of the file with the table's rows, which TRUNCATE replaces. */
  readonly file: number;
  /** Number of row updates and deletions since the table was created. */
  readonly changes: number;
}

/** Receives every row of a table that is small enough. */
export type TellRow = (table: Table, columns: string, writer: string) => void;

const ROWS_AT_ONCE = 5_000;

/**
 * Reads the tables of a database in one snapshot. Passes on every row of tables with at most `mostRows` rows, so that
 * the rows that a condition excluded are known.
 */
export async function readGround(
  ask: Ask,
  { mostRows, wantsXids }: { readonly mostRows: number; readonly wantsXids: boolean },
  tellRow: TellRow,
): Promise<Ground> {
  await ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const [{ snapshot, version }] = (await ask(
    `select pg_current_snapshot()::text as snapshot, current_setting('server_version') as version`,
  )) as unknown as [{ snapshot: string; version: string }];
  const partial = new Set<string>();
  const { tables } = await readCatalog(ask, () => false, wantsXids);
  for (const table of tables.values())
    if (table.problem === null) {
      if (await isSmall(ask, table, mostRows)) await tellRows(ask, table, tellRow);
      else partial.add(table.name);
    }
  const catalog = await readCatalog(ask, (name) => !partial.has(name), wantsXids);
  await ask('COMMIT');
  const counters = await readCounters(ask, catalog);
  const oldestXid = lowBits(snapshot.split(':')[0]!);
  return { catalog, partial, version: version.split(' ')[0]!, oldestXid, ...visibleIn(snapshot), counters };
}

async function isSmall(ask: Ask, table: Table, mostRows: number): Promise<boolean> {
  const rows = await ask(`select from ${nameInSql(table)} limit ${mostRows + 1}`);
  return rows.length <= mostRows;
}

async function tellRows(ask: Ask, table: Table, tellRow: TellRow): Promise<void> {
  await ask(
    `DECLARE isolab_rows NO SCROLL CURSOR FOR select xmin::text as w, (t.*)::text as c from ${nameInSql(table)} t`,
  );
  for (;;) {
    const rows = (await ask(`FETCH ${ROWS_AT_ONCE} FROM isolab_rows`)) as unknown as { w: string; c: string }[];
    for (const { w, c } of rows) tellRow(table, c, w);
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await ask('CLOSE isolab_rows');
}

const nameInSql = ({ schema, table }: Table): string =>
  [schema, table].map((name) => `"${name.replaceAll('"', '""')}"`).join('.');

/** A snapshot is `oldest:next:running,…`; rows store only the lower 32 bits of these numbers. */
function visibleIn(snapshot: string): Pick<Ground, 'isInitial' | 'wholeNumber' | 'hasSeen'> {
  const [oldest, next, list] = snapshot.split(':') as [string, string, string];
  const [oldestNumber, nextNumber] = [lowBits(oldest), lowBits(next)];
  const running = new Set(list === '' ? [] : list.split(',').map(lowBits));
  return {
    // Numbers below 3 belong to versions that are older than all others; the other numbers wrap around.
    isInitial: (xmin) => xmin < 3 || ((xmin - oldestNumber) | 0) < 0,
    wholeNumber: (xmin) => wholeNumber(xmin, next),
    hasSeen: (xid) => ((xid - nextNumber) | 0) < 0 && !running.has(xid),
  };
}

export async function readCounters(ask: Ask, { tables }: Catalog): Promise<Counters> {
  const rows = (await ask(`
    select schemaname || '.' || relname as name, relid::int8 as oid, pg_relation_filenode(relid)::int8 as file,
      n_tup_upd + n_tup_del as changes
    from pg_stat_user_tables`)) as unknown as ({ name: string } & Record<keyof Counter, string>)[];
  const counters = new Map<string, Counter>();
  for (const { name, oid, file, changes } of rows) {
    const table = tables.get(name);
    if (table) counters.set(table.name, { oid: Number(oid), file: Number(file), changes: Number(changes) });
  }
  return counters;
}

/** Returns whether the table has exactly the recorded number of changes, so that no other client changed it. */
export function isUndisturbed(
  table: string,
  { partial, counters }: Ground,
  after: Counters,
  recorded: number,
): boolean {
  const [first, last] = [counters.get(table), after.get(table)];
  if (partial.has(table) || last === undefined) return false;
  // A new table had no changes before; a recreated table has lost its rows.
  if (first === undefined) return last.changes === recorded;
  return first.oid === last.oid && first.changes + recorded === last.changes && first.file === last.file;
}
