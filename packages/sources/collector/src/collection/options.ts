import type { Settings, Workload } from '@isolab/workloads';
import type { Database, Isolation } from '../database/database.ts';
import type { Proxies } from '../database/proxies.ts';
import type { FaultOptions } from '../faults/schedule.ts';
import type { Queue } from './queue.ts';

export interface CollectorOptions {
  readonly database: Database;
  /**
   * Nodes of one database to which sessions connect in turn, the first being the database. The database's own nodes if
   * absent.
   */
  readonly nodes?: readonly Database[];
  readonly isolation: Isolation;
  readonly workload: Workload;
  readonly parameters: Settings;
  readonly sessions: number;
  /** Transactions that each session commits, on average; Infinity where only time ends the collection. */
  readonly transactions: number;
  /** Time in which sessions begin transactions, unless they commit all of them before. */
  readonly seconds?: number;
  readonly seed: string | number;
  /** Number of first keys whose rows are made before the sessions begin, without values. */
  readonly filled?: number;
  /** Path of the history. */
  readonly path: string;
  /** Continues an earlier run in the same file, on the data that it left. */
  readonly resume?: boolean;
  /** How keys lie in the tables that the database was opened with, in the words of the user; for the header. */
  readonly layout?: string;
  /** Reads every key once more when the sessions are done, at each node. */
  readonly finalReads?: boolean;
  /** Faults of the database and of the network meanwhile. */
  readonly faults?: FaultOptions;
  /** Proxies between clients and nodes, for faults of the network. */
  readonly proxies?: Proxies;
  /** Attempts an aborted transaction again until it commits, as some papers do; otherwise continues with the next one. */
  readonly retry?: boolean;
  /** Longest silence of the database while a client connects to it. */
  readonly connectMs?: number;
  /** After how long without any answer to any session the collection is given up. */
  readonly stallMs?: number;
  /** The transactions of each session, in place of those of the workload: for schedules, where sessions wait for others. */
  readonly queueOf?: (session: number) => Queue;
  readonly signal?: AbortSignal;
  readonly onProgress?: (counts: Counts) => void;
}
export interface Counts {
  /** Transactions that filled the database before the sessions began. */
  readonly loaded: number;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  readonly wanted: number;
  readonly seconds: number;
}
