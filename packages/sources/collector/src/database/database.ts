import { createRequire } from 'node:module';
import type { DataKind, Isolation } from '@isolab/engines';
import type { Table } from '@isolab/workloads';
import type { Question } from './answers.ts';
import type { Outcomes } from './outcomes.ts';
import { CollectorError } from './errors.ts';
import type { Proxies } from './proxies.ts';
import type { Layout } from './layout.ts';

/** How to speak with one kind of database. To add one, write its file and name it in drivers.ts. */
export interface Driver {
  /** Start of the address: `postgres://…`. */
  readonly schemes: readonly string[];
  readonly title: string;
  /** The optional package that it needs; null where nothing is missing. */
  readonly needs: string | null;
  readonly isolations: readonly Isolation[];
  /** Kinds of data that keys can hold there. */
  readonly data: readonly DataKind[];
  /** Whether sessions can begin with statements of the user's. */
  readonly takesSessionSetup?: true;
  /** SQL that its sessions use; absent where they use another protocol. */
  readonly sql?: SpokenSql;
  /** Whether it can lay out keys in another way than one table by its primary key. */
  readonly takesLayout?: true;
  /** Time that its server may take until it can be connected to, where the driver starts one. */
  readonly startMs?: number;
  /** Downloads the files that the database needs. */
  fetch?(address: string, signal?: AbortSignal, say?: (line: string) => void): Promise<void>;
  open(address: string, limits: Limits): Promise<Database>;
}

/** The statements of a driver as text: for transcripts, and for tests that need no driver. */
export interface SpokenSql {
  /** The package that speaks with the database. */
  readonly client: 'pg' | 'mysql2' | 'better-sqlite3' | '@duckdb/node-api';
  readonly outcomes: Outcomes;
  /** Makes empty tables. */
  tables(data: DataKind, tables?: readonly Table[]): readonly string[];
  /** Statements at the begin of a session. */
  session(isolation: string): readonly string[];
  begin(isolation: string): string;
  request(data: DataKind, request: Question): Promise<readonly string[]>;
}

export interface Limits {
  /** Longest silence of a server while a client connects to it. */
  readonly connectMs: number;
  /** Time limit for the start of a database that lives in the process of its driver; connectMs if absent. */
  readonly startMs?: number;
  /** Ends all waits for the database. */
  readonly signal?: AbortSignal;
  /** Statements that every session begins with. */
  readonly sessionSetup?: readonly string[];
  /** Receives a line for each thing that is fetched or built, which may take minutes. */
  readonly onFetch?: ((line: string) => void) | undefined;
  /** How keys lie in tables; the plain way if absent. */
  readonly layout?: Layout;
  /** Stand between clients and nodes that are reached by TCP. */
  readonly proxies?: Proxies;
  /** Longest wait of a statement for a lock, where a session can set it; a second if absent. */
  readonly lockWaitMs?: number;
}

export type { DataKind, Isolation };
/** Kinds of data that single keys hold. */
export type KeyData = Exclude<DataKind, 'tables'>;

export interface Database {
  /** Name and version, as it says them. */
  readonly description: string;
  /** The kinds of data that it says it has; those of its driver if absent. */
  readonly data?: readonly DataKind[];
  /** SQL of the driver that reaches it. */
  readonly sql?: SpokenSql;
  /** Makes empty tables, ours and those of a workload, or keeps their content for a continued history. */
  prepare(data: DataKind, keep: boolean, tables?: readonly Table[]): Promise<void>;
  /**
   * Gives each of the first `keys` keys a row without a value. The first write of a key then changes a row: at
   * SERIALIZABLE, new rows conflict with transactions that looked for others nearby. Absent where a database cannot do
   * it.
   */
  fill?(keys: number): Promise<void>;
  connect(isolation: Pick<Isolation, 'name'>): Promise<Connection>;
  /**
   * Levels for plain SQL only: other transactions see uncommitted writes there, which a history could not distinguish.
   */
  readonly dirtyIsolations?: readonly string[];
  /** Whether its data are gone when it is closed. */
  readonly isTemporary?: true;
  /** Nodes of the cluster that its address started, this database first. Closing it closes all of them. */
  readonly nodes?: readonly Database[];
  /** Faults of its processes, where isolab started them. */
  readonly faults?: ProcessFaults;
  /** Requests without an answer yet, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
}

/** The servers of a database, which are numbered from 0. */
export interface ProcessFaults {
  readonly nodes: number;
  /** Ends it with kill −9, and its child processes. */
  kill(node: number): Promise<void>;
  /** Starts it again on the data that it left, and waits until it answers. */
  restart(node: number): Promise<void>;
  /** Stops it, and its child processes, in their current state. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
}

/** Connection of one client. Methods fail with Aborted, ConnectionLost or an error of the set-up. */
export interface Connection {
  begin(): Promise<void>;
  /** Returns the raw answer of the database; answers.ts checks it. */
  ask(question: Question): Promise<unknown>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Takes SQL as people write it; absent where the database knows none, or its driver does not offer it. */
  readonly sql?: PlainSql;
  /** Request without an answer yet, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
  /** Ends it at once, whether or not the database answers. Requests under way fail. */
  abandon(): void;
}

/** Plain SQL statements. A caller that uses them makes no other requests on the connection. */
export interface PlainSql {
  /** Statement that begins a transaction at the level of the connection. */
  readonly begin: string;
  /** Statements at the begin of the session that the database accepted. */
  readonly session: readonly string[];
  /** Gives the rows by their columns. Fails as the other methods do. */
  send(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A package that only some drivers need. */
export async function optionalPackage<Module>(name: string): Promise<Module> {
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const [wanted] = /^(@[^/]+\/)?[^/]+/.exec(name)!; // without the part of it that is imported
    const message = `This database needs the package ${wanted}, which is not installed: npm install ${wanted}`;
    throw new CollectorError(message, { cause: error });
  }
  return (await import(name)) as Module;
}

/** The isolation level that a word names, as the database spells it. */
export function isolationNamed({ isolations, title }: Driver, word: string): Isolation {
  const wanted = word.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const found = isolations.find(({ name }) => name.toLowerCase().replaceAll(' ', '-') === wanted);
  if (found) return found;
  const names = isolations.map(({ name }) => name).join(', ');
  throw new CollectorError(`${title} has no isolation level ${word}; expected one of ${names}.`);
}
