/** Connections of isolab's own to a PostgreSQL or MariaDB. */

export interface Client {
  /** Throws an error with the `code` of the database. */
  execute(text: string, parameters: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
}

export async function connect(address: string): Promise<Client> {
  return /^(mysql|mariadb):/.test(address) ? connectMariadb(address) : connectPostgres(address);
}

async function connectPostgres(connectionString: string): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return {
    async execute(text, parameters) {
      const result = parameters.length === 0 ? client.query(text) : client.query(text, [...parameters]);
      return (await result).rows ?? [];
    },
    end: () => client.end(),
  };
}

async function connectMariadb(address: string): Promise<Client> {
  const { default: mysql } = await import('mysql2/promise');
  const client = await mysql.createConnection({ uri: address.replace(/^mariadb:/, 'mysql:') });
  client.on('error', () => {});
  return {
    async execute(text, parameters) {
      const [rows] =
        parameters.length === 0 ? await client.query(text) : await client.execute(text, [...parameters] as never);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    },
    end: () => client.end(),
  };
}

const WAITS = {
  postgres: `select count(*) as waits from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  mariadb: `select count(*) as waits from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`,
};

/** Returns whether a transaction waits for a lock, as far as the user may know it. */
export async function waitsForLock(client: Client, address: string): Promise<boolean> {
  const query = /^(mysql|mariadb):/.test(address) ? WAITS.mariadb : WAITS.postgres;
  const [row] = await client.execute(query, []).catch(() => []);
  return Number(row?.['waits'] ?? 0) > 0;
}

/** Returns the name and version of the database. */
export async function descriptionOf(client: Client, address: string): Promise<string> {
  const [row] = await client.execute('select version() as version', []);
  const version = String(row?.['version'] ?? '');
  return /^(mysql|mariadb):/.test(address)
    ? `MariaDB ${/^[\d.]+/.exec(version)?.[0] ?? version}`
    : (/^PostgreSQL [\d.]+/.exec(version)?.[0] ?? version);
}
