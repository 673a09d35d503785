import type { Settings, Workload } from '@isolab/workloads';
import type { Database, Isolation } from '../database/database.ts';
import type { Proxies } from '../database/proxies.ts';
import type { FaultOptions } from '../faults/schedule.ts';
import { type Layout, parseLayout } from '../database/layout.ts';
import type { Queue } from './queue.ts';

export interface CollectorOptions {
  readonly database: Database;
  /**
   * Nodes to which sessions connect in turn, starting with the database itself. If absent, the nodes that the database
   * reports.
   */
  readonly nodes?: readonly Database[];
  readonly isolation: Isolation;
  readonly workload: Workload;
  readonly parameters: Settings;
  readonly sessions: number;
  /** Average number of transactions that each session commits; Infinity if only time ends the collection. */
  readonly transactions: number;
  /** Time after which sessions begin no more transactions. */
  readonly seconds?: number;
  readonly seed: string | number;
  readonly path: string;
  /** Whether to continue an earlier run in the same file, on the data that it left. */
  readonly resume?: boolean;
  /** Layout of keys in the tables, such as `key=integer,tables=3`; recorded in the header. The plain layout if absent. */
  readonly layout?: string;
  /** Whether to read every key once more at each node when the sessions have ended. */
  readonly finalReads?: boolean;
  /**
   * States that each session reads its last keys once more at its end. Every second session reads them over a new
   * connection, where the database has one node.
   */
  readonly ownReads?: boolean;
  /** Faults of the database and the network to inject during the run. */
  readonly faults?: FaultOptions;
  /** Proxies between clients and nodes, which simulate network faults. */
  readonly proxies?: Proxies;
  /**
   * Whether to retry an aborted transaction until it commits, as some papers do, instead of starting the next
   * transaction.
   */
  readonly retry?: boolean;
  /** Longest wait for a new connection. */
  readonly connectMs?: number;
  /** Time without an answer to any session after which the collection gives up. */
  readonly stallMs?: number;
  /**
   * Returns the transactions of a session, instead of those of the workload: for schedules, in which sessions wait for
   * each other.
   */
  readonly queueOf?: (session: number) => Queue;
  readonly signal?: AbortSignal;
  readonly onProgress?: (counts: Counts) => void;
}

export const layoutOf = ({ layout }: Pick<CollectorOptions, 'layout'>): Layout | undefined =>
  layout === undefined ? undefined : parseLayout(layout);

export interface Counts {
  /** Number of transactions that filled the database before the sessions began. */
  readonly loaded: number;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  readonly wanted: number;
  readonly seconds: number;
}
