import { createRequire } from 'node:module';
import type { DataKind, Isolation } from '@isolab/engines';
import type { StatementRequest, Table } from '@isolab/workloads';
import type { Question } from './answers.ts';
import type { Outcomes } from './outcomes.ts';
import { CollectorError } from './errors.ts';
import type { Proxies } from './proxies.ts';
import type { Layout } from './layout.ts';
import { mixedOf } from './mixed.ts';

/** Driver for one kind of database. To add a driver, write its file and name it in drivers.ts. */
export interface Driver {
  /** Schemes of its addresses, such as `postgres`. */
  readonly schemes: readonly string[];
  readonly title: string;
  /** Missing optional package that the driver needs; null if it can run. */
  readonly needs: string | null;
  readonly isolations: readonly Isolation[];
  /** Kinds of data that its databases can store. */
  readonly data: readonly DataKind[];
  /** Whether users can specify statements for the start of each session. */
  readonly takesSessionSetup?: true;
  /** SQL of its sessions; absent for other protocols. */
  readonly sql?: SpokenSql;
  /** Startup time of a server that the driver starts itself. */
  readonly startMs?: number;
  fetch?(address: string, signal?: AbortSignal, say?: (line: string) => void): Promise<void>;
  open(address: string, limits: Limits): Promise<Database>;
}

/** Statements of a driver as text, for transcripts and for tests without a driver. */
export interface SpokenSql {
  readonly client: 'pg' | 'mysql2' | 'better-sqlite3' | '@duckdb/node-api';
  readonly outcomes: Outcomes;
  /** Returns statements that create empty tables. */
  tables(data: DataKind, tables?: readonly Table[], layout?: Layout): readonly string[];
  /** Returns statements for the start of a session. */
  session(isolation: string): readonly string[];
  begin(isolation: string): string;
  request(data: DataKind, request: Question, layout?: Layout): Promise<readonly string[]>;
}

export interface Limits {
  /** Longest wait for a new connection. */
  readonly connectMs: number;
  /** Time limit for the start of a database inside the driver's process; connectMs if absent. */
  readonly startMs?: number;
  /** Signal that ends all waits for the database. */
  readonly signal?: AbortSignal;
  /** Statements for the start of every session. */
  readonly sessionSetup?: readonly string[];
  /** Receives a line for each download or build, which may take minutes. */
  readonly onFetch?: ((line: string) => void) | undefined;
  /** Proxies between clients and nodes, for nodes reached through TCP. */
  readonly proxies?: Proxies;
  /** Lock timeout, where a session can set it; one second if absent. */
  readonly lockWaitMs?: number;
}

export type { DataKind, Isolation };
export type KeyData = Exclude<DataKind, 'tables' | 'counters'>;

export interface Database {
  /** Name and version that the database reports. */
  readonly description: string;
  /** Kinds of data that the database reports; those of its driver if absent. */
  readonly data?: readonly DataKind[];
  readonly sql?: SpokenSql;
  /** Shows whether keys can have layouts other than one table with a text as primary key. */
  readonly takesLayout?: true;
  /** Shows whether the driver can send savepoints and the other statements of workloads, which a database may refuse. */
  readonly takesStatements?: true;
  /** Shows whether reads can take locks. */
  readonly takesLocks?: true;
  /**
   * Creates empty tables, both isolab's and the workload's, or keeps their content for a continued history. Keys have
   * the plain layout if it is absent.
   */
  prepare(data: DataKind, keep: boolean, tables?: readonly Table[], layout?: Layout): Promise<void>;
  connect(isolation: Pick<Isolation, 'name'>): Promise<Connection>;
  /**
   * Levels for plain SQL only: they show uncommitted writes of other transactions, which a history could not
   * distinguish.
   */
  readonly dirtyIsolations?: readonly string[];
  /** Whether its data disappear when it is closed. */
  readonly isTemporary?: true;
  /** Nodes of a cluster that isolab started, this database first. A close of this database closes all of them. */
  readonly nodes?: readonly Database[];
  /** Process faults, where isolab started the servers. */
  readonly faults?: ProcessFaults;
  /** Describes the requests without an answer, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
}

/** Faults of the servers of a database, which are numbered from 0. */
export interface ProcessFaults {
  readonly nodes: number;
  /** Kills the server and its child processes with SIGKILL. */
  kill(node: number): Promise<void>;
  /** Restarts the server on its data and waits until it answers. */
  restart(node: number): Promise<void>;
  /** Suspends the server and its child processes. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
}

/** Connection of one client. Methods fail with Aborted, ConnectionLost or a setup error. */
export interface Connection {
  begin(): Promise<void>;
  /** Returns the raw answer of the database. `answerTo` checks it. */
  ask(question: Question): Promise<unknown>;
  /** Executes a statement without an answer; absent where the database or its driver does not support it. */
  perform?(request: StatementRequest): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Plain SQL; absent where the database or its driver does not support it. */
  readonly sql?: PlainSql;
  /** Describes the request without an answer, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
  /** Closes the connection immediately, even if the database does not answer. Pending requests fail. */
  abandon(): void;
}

/** Plain SQL statements. A caller that uses them makes no other requests on the connection. */
export interface PlainSql {
  readonly begin: string;
  /** Statements for the start of the session that the database accepted. */
  readonly session: readonly string[];
  /** Returns rows as objects with a member per column. Fails like the other methods. */
  send(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Imports a package that only some databases or sources need. */
export async function optionalPackage<Module>(name: string, what = 'This database'): Promise<Module> {
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const [wanted] = /^(@[^/]+\/)?[^/]+/.exec(name)!; // without the path inside the package
    const message = `${what} needs the package ${wanted}, which is not installed: npm install ${wanted}`;
    throw new CollectorError(message, { cause: error });
  }
  return (await import(name)) as Module;
}

/** Finds the isolation level with a name, in the spelling of the database. */
export function isolationNamed({ isolations, title }: Driver, word: string): Isolation {
  const wanted = word.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const found = isolations.find(({ name }) => name.toLowerCase().replaceAll(' ', '-') === wanted);
  if (found) return found;
  const names = isolations.map(({ name }) => name).join(', ');
  throw new CollectorError(`${title} has no isolation level ${word}; expected one of ${names}.`);
}

/** Finds the level with a name, or the mixed levels of the database, which only a collection supports. */
export const isolationToCollect = (driver: Driver, word: string): Isolation =>
  (word.toLowerCase() === 'mixed' ? mixedOf(driver.isolations) : null) ?? isolationNamed(driver, word);
