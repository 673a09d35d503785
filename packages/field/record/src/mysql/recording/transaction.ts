import type { Column } from '../wire/protocol.ts';
import type { Parameter } from '../wire/values.ts';
import type { InnodbLevel } from '../sql/doing.ts';
import type { Statement } from '../sql/statement.ts';

/** Rows that a SELECT returned, as text. */
export interface Found {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (string | null | undefined)[])[];
  readonly isWhole: boolean;
}

/** A lock, held from a step on. */
export interface HeldLock {
  readonly step: number;
  readonly name: string;
}

/** A statement of a transaction. */
export interface Step {
  readonly statement: Statement;
  readonly parameters: readonly Parameter[] | null;
  readonly isPrepared: boolean;
  readonly sent: bigint;
  readonly answered: bigint;
  /** The database that unqualified names refer to. */
  readonly schema: string | null;
  /** Number of rows that it changed; null if it is unknown. */
  readonly changed: number | null;
  /** Number of rows that an UPDATE matched. */
  readonly matched: number | null;
  /** The rows of a followed SELECT; null for other statements. */
  readonly found: Found | null;
}

export type Outcome = 'committed' | 'aborted' | 'unknown';

export interface Transaction {
  readonly session: SessionName;
  readonly level: InnodbLevel;
  readonly hasSnapshots: boolean;
  readonly begin: bigint;
  readonly isExplicit: boolean;
  /** Whether the transaction took its snapshot at BEGIN. */
  readonly hasSnapshotAtBegin: boolean;
  readonly steps: Step[];
  /** The locks of GET_LOCK that it held from a step on. */
  readonly locks: HeldLock[];
  readonly savepoints: { readonly name: string; readonly steps: number }[];
  /** When the statement was sent that may have committed it. */
  committing: bigint | null;
  end: bigint | null;
  outcome: Outcome | null;
}

/** The identity of a session. */
export interface SessionName {
  readonly name: string;
  /** The `server_id` of its events in the binary log. */
  readonly serverId: number;
}
