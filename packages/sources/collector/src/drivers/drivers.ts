import { didYouMean } from '@isolab/contract';
import { ENGINES, Interrupted, isEngineAddress, nameOf, within } from '@isolab/engines';
import type { Connection, Database, Driver, Limits } from '../database/database.ts';
import type { EmbeddedServer } from './engine.ts';
import { Aborted, CollectorError, ConnectionLost } from '../database/errors.ts';
import { secretsHider, withoutSecrets } from '../database/secrets.ts';

/** Drivers by the schemes of their addresses, each loaded on demand. */
const DRIVERS: ReadonlyMap<string, (address: string) => Promise<Driver>> = new Map(
  Object.entries({
    engine: async (address: string) => (await import('./engine.ts')).engineDriver(address, driverFor),
    postgres: async () => (await import('./postgres.ts')).postgres,
    postgresql: async () => (await import('./postgres.ts')).postgres,
    mysql: async () => (await import('./mysql.ts')).mysql,
    mariadb: async () => (await import('./mysql.ts')).mysql,
    sqlite: async () => (await import('./sqlite.ts')).sqlite,
    duckdb: async () => (await import('./duckdb.ts')).duckdb,
    mongodb: async () => (await import('./mongodb.ts')).mongodb,
    'mongodb+srv': async () => (await import('./mongodb.ts')).mongodb,
    exec: async () => (await import('./exec.ts')).exec,
    module: async (address: string) => (await import('./module.ts')).moduleDriver(address),
  }),
);

/** Returns the driver for an address. Its errors never show a password of the address. */
export async function driverFor(address: string): Promise<Driver> {
  if (MODULE_FILE.test(address)) return driverFor(`module:${address}`);
  const scheme = isEngineAddress(address) ? 'engine' : (/^([a-z+]+)(?=:|$)/.exec(address)?.[1] ?? '');
  const load = DRIVERS.get(scheme);
  if (load) {
    const driver = load(address).catch((error: unknown) => {
      throw masked(error, secretsHider(address));
    });
    return guarded(await driver);
  }
  // The rest may contain a password at an unknown position.
  const isWord = scheme === address;
  const found = scheme === '' ? 'that address' : isWord ? scheme : `${scheme}:`;
  const schemes = [...DRIVERS.keys()].filter((name) => name !== 'engine');
  const known = schemes.join(':, ');
  const near =
    scheme === '' || isWord
      ? didYouMean(address, ['embedded', ...ENGINES.map(({ name }) => name), ...ENGINES.map(nameOf)])
      : didYouMean(scheme, schemes);
  const expected = `Expected an address that begins with ${known}:, the file of a driver such as ./my-driver.mjs, the word embedded, or an engine such as ${nameOf(ENGINES[0]!)}; isolab list engines names them all.`;
  // A secret that a CI system does not have becomes an empty word.
  if (address.trim() === '')
    throw new CollectorError(`The address of the database is empty; is a variable unset? ${expected}`);
  throw new CollectorError(`There is no driver for ${found}${near === '' ? '.' : `; ${near.trimEnd()}`} ${expected}`);
}

/** File of a user's module, perhaps with options: `./my-driver.mjs?host=here`. */
const MODULE_FILE = /^(?![a-z+]+:)[^?]*\.[cm]?[jt]s(?:\?|$)/s;

/** Adds time limits to a driver and hides secrets in its errors. */
const guarded = (driver: Driver): Driver => ({
  ...driver,
  async open(address, limits) {
    const hide = secretsHider(address);
    if (limits.sessionSetup?.length && !driver.takesSessionSetup)
      throw new CollectorError(`${driver.title} does not support statements at the start of sessions.`);
    const late = (): Error => new CollectorError(`${withoutSecrets(address)} ${silent(limits)}`);
    await driver.fetch?.(address, limits.signal, limits.onFetch);
    const reached = (await limits.proxies?.through(address)) ?? address;
    const opening = driver.open(reached, limits);
    try {
      const patience = limits.connectMs + (limits.startMs ?? driver.startMs ?? STARTING_MS);
      const bare = await within(patience, opening, late, limits.signal);
      const opened = hidden(bare, hide, withoutSecrets(address) === address);
      return driver.sql && !opened.sql ? { ...opened, sql: driver.sql } : opened;
    } catch (error) {
      void opening.then((database) => database.close()).catch(() => {});
      // Users do not know the port of the proxy.
      const known = (text: string): string => hide(text.replaceAll(reached, address));
      throw asCollectorError(`${driver.title} did not open`, masked(error, known));
    }
  },
});

/** A server that the driver starts takes a while to accept connections. */
const STARTING_MS = 30_000;

const silent = ({ connectMs }: Limits): string => `did not answer within ${connectMs / 1000} seconds.`;

/** Returns an error with a one-line message unchanged. Turns any other error into a failure of the step. */
export function asCollectorError(what: string, error: unknown): Error {
  if (error instanceof CollectorError || error instanceof Interrupted) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new CollectorError(error instanceof ConnectionLost ? why : `${what}: ${why}`, { cause: error });
}

/** Connections whose errors show no secrets of an address. */
const HIDDEN = new WeakSet<Connection>();

/** Hides secrets in the errors of a database. `isPlain` states that its own address has none. */
function hidden(database: Database, hide: (text: string) => string, isPlain: boolean): Database {
  const guard = <Args extends readonly unknown[], T>(method: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> =>
      method(...args).catch((error: unknown) => {
        throw masked(error, hide);
      });
  };
  const guarding = (connection: Connection): Connection => ({
    begin: guard(() => connection.begin()),
    ask: guard((question) => connection.ask(question)),
    ...(connection.perform && { perform: guard((request) => connection.perform!(request)) }),
    commit: guard(() => connection.commit()),
    rollback: guard(() => connection.rollback()),
    ...(connection.sql && { sql: { ...connection.sql, send: guard((text) => connection.sql!.send(text)) } }),
    ...(connection.underWay && { underWay: () => hide(connection.underWay!() ?? '') || null }),
    close: guard(() => connection.close()),
    abandon: () => connection.abandon(),
  });
  const hiddenIn = (connection: Connection): Connection => {
    if (isPlain && HIDDEN.has(connection)) return connection;
    const one = guarding(connection);
    HIDDEN.add(one);
    return one;
  };
  return {
    description: hide(database.description),
    ...(database.data && { data: database.data }),
    ...(database.sql && { sql: database.sql }),
    ...(database.dirtyIsolations && { dirtyIsolations: database.dirtyIsolations }),
    ...(database.isTemporary && { isTemporary: true }),
    ...(database.underWay && { underWay: () => hide(database.underWay!() ?? '') || null }),
    ...(database.takesLayout && { takesLayout: true }),
    ...(database.takesStatements && { takesStatements: true }),
    ...(database.takesLocks && { takesLocks: true }),
    prepare: guard((data, keep, tables, layout) => database.prepare(data, keep, tables, layout)),
    ...(database.nodes && { nodes: database.nodes.map((node) => hidden(node, hide, isPlain)) }),
    ...(database.faults && { faults: database.faults }),
    connect: guard(async (isolation) => hiddenIn(await database.connect(isolation))),
    close: guard(() => database.close()),
  };
}

/** Hides secrets in the message and causes of an error. */
function masked(error: unknown, hide: (text: string) => string): unknown {
  // Databases abort many transactions. A stack takes long, and repeats the message above the places in the files.
  const isFrequent = error instanceof Aborted;
  for (let one = error; one instanceof Error; one = one.cause) {
    const message = hide(one.message);
    if (isFrequent && message === one.message) continue;
    const { stack } = one;
    one.message = message;
    if (stack !== undefined) one.stack = hide(stack);
  }
  return error;
}

/** Starts the embedded PostgreSQL with custom settings, for callers that need its address. */
export const startEmbedded = async (
  limits: Limits = { connectMs: 10_000 },
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedServer> => (await import('./engine.ts')).startEmbedded(driverFor, limits, settings);
