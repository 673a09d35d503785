import { createRequire } from 'node:module';
import type { DataKind, Isolation } from '@isolab/engines';
import type { Table } from '@isolab/workloads';
import type { Question } from './answers.ts';
import type { Outcomes } from './drivers/outcomes.ts';
import { CollectorError } from './errors.ts';
import type { Proxies } from './faults/proxies.ts';
import type { Layout } from './layout.ts';

/** How to speak with one kind of database. To add one, write its file and name it in drivers.ts. */
export interface Driver {
  /** What the address begins with: `postgres://…`. */
  readonly schemes: readonly string[];
  readonly title: string;
  /** The package that it needs, which is installed only by those who want it; null where nothing is missing. */
  readonly needs: string | null;
  readonly isolations: readonly Isolation[];
  /** What keys can hold there. */
  readonly data: readonly DataKind[];
  /** Whether sessions can begin with statements of the user's. */
  readonly takesSessionSetup?: true;
  /** What its sessions say in SQL; absent where they say it in another way. */
  readonly sql?: SpokenSql;
  /** Whether it can lay out keys in another way than one table by its primary key. */
  readonly takesLayout?: true;
  /** How long its server may take until it can be connected to, where the driver starts one. */
  readonly startMs?: number;
  /** Gets what the database needs from where it is published, which takes as long as the network does. */
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
  /** What a session begins with. */
  session(isolation: string): readonly string[];
  begin(isolation: string): string;
  request(data: DataKind, request: Question): Promise<readonly string[]>;
}

export interface Limits {
  /** For how long a server may be silent while it is connected to. */
  readonly connectMs: number;
  /** For how long a database that lives in the process of its driver may take to begin; connectMs if absent. */
  readonly startMs?: number;
  /** Nobody waits for the database any more. */
  readonly signal?: AbortSignal;
  /** Statements that every session begins with. */
  readonly sessionSetup?: readonly string[];
  /** Hears what is fetched and built, a line at a time: that may take minutes. */
  readonly onFetch?: ((line: string) => void) | undefined;
  /** How keys lie in tables; the plain way if absent. */
  readonly layout?: Layout;
  /** Stand between clients and nodes that are reached by TCP. */
  readonly proxies?: Proxies;
  /** For how long a statement may wait for a lock, where a session can say so; a second if absent. */
  readonly lockWaitMs?: number;
}

export type { DataKind, Isolation };
/** What single keys hold. */
export type KeyData = Exclude<DataKind, 'tables'>;

export interface Database {
  /** Name and version, as it says them. */
  readonly description: string;
  /** The kinds of data that it says it has; those of its driver if absent. */
  readonly data?: readonly DataKind[];
  /** That of the driver which reaches it. */
  readonly sql?: SpokenSql;
  /** Makes empty tables, ours and those of a workload, or, if the history is to be continued, keeps what they hold. */
  prepare(data: DataKind, keep: boolean, tables?: readonly Table[]): Promise<void>;
  /**
   * Gives the first so many keys a row without a value, so that the first write of one changes a row: at SERIALIZABLE, new
   * rows conflict with whoever looked for others nearby. Absent where a database cannot.
   */
  fill?(keys: number): Promise<void>;
  connect(isolation: Pick<Isolation, 'name'>): Promise<Connection>;
  /** Levels for plain SQL only: others see there what is not committed, of which a history could not tell. */
  readonly dirtyIsolations?: readonly string[];
  /** Whether its data are gone when it is closed. */
  readonly isTemporary?: true;
  /** All nodes of the cluster that its address started, this database first; closing it closes all. */
  readonly nodes?: readonly Database[];
  /** What can be done to its processes, where isolab started them. */
  readonly faults?: ProcessFaults;
  /** What it has been asked and not answered, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
}

/** The servers of a database, which are numbered from 0. */
export interface ProcessFaults {
  readonly nodes: number;
  /** Ends it with kill −9, and whatever it started. */
  kill(node: number): Promise<void>;
  /** Starts it again on the data that it left, and waits until it answers. */
  restart(node: number): Promise<void>;
  /** Stops it, and whatever it started, where they are. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
}

/** One client's connection. Methods fail with Aborted, ConnectionLost or an error of the set-up. */
export interface Connection {
  begin(): Promise<void>;
  /** What the database answers, as it is: answers.ts looks at it. */
  ask(question: Question): Promise<unknown>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Takes SQL as people write it; absent where the database knows none, or its driver does not offer it. */
  readonly sql?: PlainSql;
  /** What it has been asked and not answered, for people. */
  underWay?(): string | null;
  close(): Promise<void>;
  /** Ends it at once, whether or not the database answers; what is under way fails. */
  abandon(): void;
}

/** Statements as they are. Who uses them asks the connection for nothing else, its transactions included. */
export interface PlainSql {
  /** What begins a transaction at the level of the connection. */
  readonly begin: string;
  /** What the session began with, where the database took it. */
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
