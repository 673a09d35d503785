import type * as Mysql from 'mysql2/promise';
import { Type } from '../wire/values.ts';
import { type LogPlace, type RawConnection, dumpLog } from '../binlog/dump.ts';
import type { RowImage } from '../binlog/events.ts';
import { type Table, type TableColumn, kindOf, nameOf } from '../binlog/table.ts';
import { RecordError } from '../../sql/errors.ts';
import { FOREIGN } from '../binlog/definitions.ts';

type Row = Readonly<Record<string, string | null>>;
type Connection = Mysql.Connection;

/** The tables of a server when the recording began. */
export interface Ground {
  readonly version: string;
  readonly place: LogPlace;
  readonly tables: readonly { readonly table: Table; readonly rows: readonly RowImage[] | null }[];
  /** Tables that are not followed, with the reasons. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The settings without which the log lacks rows, with the values that they need. */
const NEEDED = { log_bin: 'ON', binlog_format: 'ROW', binlog_row_image: 'FULL', binlog_row_metadata: 'FULL' };

const TABLE_CHANGED = 1412;
const MOST_TRIES = 10;

/** The recorder's own connection to a server. */
export class Server {
  readonly #connection: Connection;
  readonly #open: () => Promise<Connection>;
  readonly host: string;
  readonly port: number;
  readonly database: string;

  private constructor(connection: Connection, open: () => Promise<Connection>, { host, port, database }: Address) {
    this.#connection = connection;
    this.#open = open;
    this.host = host;
    this.port = port;
    this.database = database;
  }

  static async connect(url: string): Promise<Server> {
    const address = addressOf(url);
    const { host, port } = address;
    const { createConnection } = await import('mysql2/promise').catch((): never => {
      throw new RecordError('To record MariaDB, isolab needs the package mysql2: npm install mysql2');
    });
    // Values stay the texts that the server sends.
    const options = {
      ...address,
      charset: 'utf8mb4',
      typeCast: (field: { string(): string | null }) => field.string(),
    };
    const open = async (): Promise<Connection> => {
      const connection = await createConnection(options as Mysql.ConnectionOptions);
      connection.on('error', () => {}); // failed queries report themselves
      return connection;
    };
    const connection = await open().catch((error: Error): never => {
      throw new RecordError(`Found no database at ${host}:${port} (${error.message}); start it, or name another one.`);
    });
    return new Server(connection, open, address);
  }

  async ask(sql: string): Promise<readonly Row[]> {
    const [rows] = await this.#connection.query(sql);
    return rows as unknown as Row[];
  }

  async end(): Promise<void> {
    await this.#connection.end().catch(() => {});
  }

  /** Checks that the log has all rows, and reads the tables in one snapshot. */
  async ground(mostRows: number): Promise<Ground> {
    const settings = await this.ask(
      `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${[...Object.keys(NEEDED), 'version'].map((name) => `'${name}'`).join()})`,
    );
    const valueOf = new Map(settings.map((row) => [row['Variable_name']!, row['Value']!]));
    const version = valueOf.get('version') ?? '';
    if (!version.includes('MariaDB'))
      throw new RecordError(`The server is MySQL ${version}; isolab records PostgreSQL and MariaDB.`);
    const missing = Object.entries(NEEDED).filter(([name, value]) => valueOf.get(name) !== value);
    if (missing.length > 0)
      throw new RecordError(
        `isolab reads the rows that transactions write from the binary log, which needs ${missing.map(([name, value]) => `${name}=${value}`).join(', ')}.`,
      );
    await this.ask('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    for (let tries = 1; ; tries++)
      try {
        const snapshot = await this.#snapshot(mostRows);
        await this.#checkLog(snapshot.place);
        return { version: version.split('-')[0]!, ...snapshot };
      } catch (error) {
        // Another client defines a table meanwhile.
        if ((error as { readonly errno?: number }).errno !== TABLE_CHANGED || tries === MOST_TRIES) throw error;
      }
  }

  async #checkLog(place: LogPlace): Promise<void> {
    await this.readLog(place, () => {}).catch((error: Error): never => {
      throw new RecordError(
        `The binary log cannot be read (${error.message}); GRANT REPLICATION SLAVE ON *.* TO the user.`,
      );
    });
  }

  async #snapshot(mostRows: number): Promise<Omit<Ground, 'version'>> {
    await this.ask('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    const status = await this.ask("SHOW STATUS LIKE 'binlog_snapshot_%'");
    const [file, position] = ['Binlog_snapshot_file', 'Binlog_snapshot_position'].map(
      (name) => status.find((row) => row['Variable_name'] === name)?.['Value'],
    );
    const leftOut = new Map<string, string>();
    const tables: { table: Table; rows: RowImage[] | null }[] = [];
    for (const table of await this.#tables(leftOut)) {
      const name = `\`${quoted(table.schema)}\`.\`${quoted(table.table)}\``;
      const columns = table.columns.map((column) => `\`${quoted(column.name)}\``);
      const [rows] = await this.#connection.query({
        sql: `SELECT ${columns.join()} FROM ${name} LIMIT ${mostRows + 1}`,
        rowsAsArray: true,
      });
      const images = (rows as unknown as (string | null)[][]).map((row) =>
        row.map((value, i) => (table.columns[i]!.kind === 'left out' ? undefined : value)),
      );
      tables.push({ table, rows: images.length > mostRows ? null : images });
    }
    await this.ask('COMMIT');
    return { place: { file: file!, position: Number(position) }, tables, leftOut };
  }

  async #tables(leftOut: Map<string, string>): Promise<Table[]> {
    const named = `c.table_schema NOT IN ('mysql','information_schema','performance_schema','sys')`;
    const columns = await this.ask(`SELECT c.table_schema AS s, c.table_name AS t, c.column_name AS n, c.data_type AS d,
      c.column_type AS ct, c.column_key AS k, c.extra AS e, l.id AS collation, t.engine AS engine
      FROM information_schema.columns c
      JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
      LEFT JOIN information_schema.collations l ON l.collation_name = c.collation_name
      WHERE ${named} AND t.table_type = 'BASE TABLE' ORDER BY c.table_schema, c.table_name, c.ordinal_position`);
    const keys = await this.ask(`SELECT table_schema AS s, table_name AS t, column_name AS n, sub_part AS p
      FROM information_schema.statistics WHERE index_name = 'PRIMARY' ORDER BY table_schema, table_name, seq_in_index`);
    for (const row of await this.ask(`SELECT constraint_schema AS s, table_name AS t FROM information_schema.referential_constraints
      WHERE delete_rule IN ('CASCADE','SET NULL','SET DEFAULT') OR update_rule IN ('CASCADE','SET NULL','SET DEFAULT')`))
      leftOut.set(`${row['s']}.${row['t']}`, FOREIGN);
    const all = new Map<string, { schema: string; table: string; columns: TableColumn[] }>();
    for (const row of columns) {
      const [schema, table] = [row['s']!, row['t']!];
      const name = nameOf({ schema, table });
      if (row['engine']?.toLowerCase() !== 'innodb') leftOut.set(name, `its engine is ${row['engine']}`);
      const known = all.get(name) ?? { schema, table, columns: [] };
      all.set(name, known);
      known.columns.push(columnOf(row));
    }
    return [...all].flatMap(([name, each]) => {
      const parts = keys.filter(({ s, t }) => s === each.schema && t === each.table);
      const key = parts.map(({ n }) => each.columns.findIndex((column) => column.name === n));
      if (key.length === 0) leftOut.set(name, 'it has no primary key');
      else if (parts.some(({ p }) => p !== null)) leftOut.set(name, 'its key has prefixes of columns');
      else if (key.some((i) => each.columns[i]!.kind === 'left out'))
        leftOut.set(name, 'the type of its key is not supported');
      return leftOut.has(name) ? [] : [{ ...each, key }];
    });
  }

  /** For each table, the sets of columns on which the server enforces uniqueness. */
  async unique(): Promise<ReadonlyMap<string, readonly (readonly string[])[]>> {
    const rows =
      await this.ask(`SELECT table_schema AS s, table_name AS t, group_concat(column_name SEPARATOR '\\0') AS c
      FROM information_schema.statistics WHERE non_unique = 0 GROUP BY table_schema, table_name, index_name`);
    const unique = new Map<string, (readonly string[])[]>();
    for (const { s, t, c } of rows) {
      const name = `${s}.${t}`;
      unique.set(name, [...(unique.get(name) ?? []), c!.split('\0')]);
    }
    return unique;
  }

  /** Reads the events of the log from a place to its present end, on a connection that the server closes afterwards. */
  async readLog(from: LogPlace, onEvent: (event: Buffer) => void): Promise<void> {
    const reading = await this.#open();
    try {
      const [rows] = await reading.query('SELECT @@global.binlog_checksum AS sum');
      const [{ sum } = { sum: 'NONE' }] = rows as Row[];
      await reading.query('SET @mariadb_slave_capability=4, @master_binlog_checksum=@@global.binlog_checksum');
      const checksum = sum === 'NONE' ? 0 : 4;
      const { connection } = reading as unknown as { connection: RawConnection };
      await dumpLog(connection, from, (event) => onEvent(event.subarray(0, event.length - checksum)));
    } finally {
      reading.destroy();
    }
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

function addressOf(url: string): Address {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

const quoted = (name: string): string => name.replaceAll('`', '``');

const TYPES: Readonly<Record<string, number>> = {
  tinyint: Type.tiny,
  smallint: Type.short,
  mediumint: Type.int24,
  int: Type.long,
  bigint: Type.longlong,
  decimal: Type.newdecimal,
  date: Type.date,
  datetime: Type.datetime2,
  enum: Type.enum,
  varchar: Type.varchar,
  char: Type.string,
  tinytext: Type.blob,
  text: Type.blob,
  mediumtext: Type.blob,
  longtext: Type.blob,
};

function columnOf({ n, d, ct, e, collation }: Row): TableColumn {
  const type = TYPES[d ?? ''] ?? -1;
  // The log may lack the values of generated columns.
  const isGenerated = /GENERATED/i.test(e ?? '') && !/DEFAULT_GENERATED/i.test(e ?? '');
  const kind = isGenerated ? 'left out' : kindOf(type, Number(collation ?? 0));
  return { name: n!, type, metadata: 0, isUnsigned: /unsigned/.test(ct ?? ''), kind, values: [] };
}
