import { CollectorError, type Driver } from './database.ts';

/** All drivers by the schemes of their addresses, each loaded when it is asked for. */
const DRIVERS: Readonly<Record<string, () => Promise<Driver>>> = {
  embedded: async () => (await import('./drivers/embedded-postgres.ts')).embeddedPostgres,
  postgres: async () => (await import('./drivers/postgres.ts')).postgres,
  postgresql: async () => (await import('./drivers/postgres.ts')).postgres,
  mysql: async () => (await import('./drivers/mysql.ts')).mysql,
  mariadb: async () => (await import('./drivers/mysql.ts')).mysql,
  sqlite: async () => (await import('./drivers/sqlite.ts')).sqlite,
  duckdb: async () => (await import('./drivers/duckdb.ts')).duckdb,
  mongodb: async () => (await import('./drivers/mongodb.ts')).mongodb,
  'mongodb+srv': async () => (await import('./drivers/mongodb.ts')).mongodb,
  exec: async () => (await import('./drivers/exec.ts')).exec,
};

export async function driverFor(address: string): Promise<Driver> {
  const scheme = /^([a-z+]+)(?=:|$)/.exec(address)?.[1] ?? '';
  const load = DRIVERS[scheme];
  if (load) return load();
  throw new CollectorError(
    `There is no driver for ${address}. An address begins with ${Object.keys(DRIVERS).join(':, ')}: or is the word embedded.`,
  );
}
